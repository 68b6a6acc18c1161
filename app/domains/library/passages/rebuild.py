"""Building a generation of the index beside the one that serves, and letting it serve.

From the first moment whoever writes writes to both, so the rebuild has to add only what was there
before, in the order of ids. It is done by one job after another, each of which begins, then takes
what is `unbuilt` and builds it until nothing is left, then switches; if one fails, compaction drops
what was built. Searches go on answering from the generation that serves.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import Conflict
from app.domains.library.passages import store
from app.domains.library.passages.index import generation_store, lexical_store, retriever
from app.domains.library.passages.index.generation_store import (
    OF_ACCOUNTS,
    UnfinishedGeneration,
    namespace_of,
)
from app.domains.library.passages.index.retriever import ANALYSIS, Analysed
from app.domains.library.passages.retrieval import indexed
from app.domains.library.passages.service import REBUILD
from app.domains.queue.jobs.service import OPERATOR, enqueue, unfinished
from app.domains.queue.jobs.store import Job
from app.engine.search.interface import IndexedPassage

_ONLY = "all"
"""The `unique_key` of the jobs: there is one rebuild at a time."""


class RebuildOvertaken(Conflict):
    """Another rebuild replaced this one."""

    code = "rebuild_overtaken"


def due(reader: Reader) -> bool:
    """True if what serves was indexed by another version of the analysis than this code's."""
    return generation_store.stale(reader, ANALYSIS, "") is not None


def stale_account(reader: Reader) -> UUID | None:
    """An account of which that is true; None if there is none."""
    ns = generation_store.stale(reader, ANALYSIS, OF_ACCOUNTS)
    return None if ns is None else UUID(ns.removeprefix(OF_ACCOUNTS))


def promise(tx: Tx, *, switched: bool = False, account_id: UUID | None = None) -> UUID:
    """Promise the next job of a rebuild of the index, or the first; the job's id, also of one
    under way. `switched` when only the old generation is to go; `account_id` of whose documents.
    """
    payload: dict[str, Any] = {"switched": True} if switched else {}
    if account_id is not None:
        payload["account_id"] = str(account_id)
    return enqueue(tx, REBUILD, OPERATOR, payload, unique_key=_ONLY)


def unfinished_job(reader: Reader) -> Job | None:
    """The job that does the rebuild, running or waiting; None when there is no rebuild."""
    return unfinished(reader, REBUILD, _ONLY)


def begin(tx: Tx, account_id: UUID | None = None) -> UnfinishedGeneration:
    """Begin a rebuild of the operator's index or an account's, or continue the last one."""
    ns = namespace_of(account_id)
    generation_store.alone(tx, ns)
    building = generation_store.building(tx, ns)
    if building is not None and building.analysis == ANALYSIS:
        return building
    if building is not None:
        generation_store.leave(tx, building.id)
    return generation_store.begin(tx, ns, ANALYSIS)


def unbuilt(
    reader: Reader,
    building: UnfinishedGeneration,
    most: int = 1_000,
    account_id: UUID | None = None,
) -> tuple[list[IndexedPassage], int]:
    """The next passages to analyse, outside of any transaction, and how many are left with them."""
    found = store.after(reader, building.position, most, account_id)
    left = store.count_after(reader, building.position, account_id) if found else 0
    return [indexed(passage) for passage in found], left


def build(
    tx: Tx, building: UnfinishedGeneration, analysed: Sequence[Analysed]
) -> UnfinishedGeneration:
    """Index those that are still there and that no writer has added before; where the rebuild
    stands then. Raises RebuildOvertaken.
    """
    kept = store.lock(tx, [passage.id for passage, _ in analysed])
    to = max(passage.id for passage, _ in analysed)
    if not generation_store.advance(tx, building.id, building.position, to):
        raise RebuildOvertaken
    held = lexical_store.held(tx, building.id, [passage.id for passage, _ in analysed])
    missing = [x for x in analysed if x[0].id in kept and x[0].id not in held]
    if missing:
        retriever.add(tx, building.id, missing)
    return replace(building, position=to)


def switch(tx: Tx, building: UnfinishedGeneration, account_id: UUID | None = None) -> None:
    """Let the new generation serve; compaction drops the old one. Raises RebuildOvertaken."""
    ns = namespace_of(account_id)
    generation_store.alone(tx, ns)
    generation_store.leave_serving(tx, ns)
    if not generation_store.serve(tx, building.id, building.position):
        raise RebuildOvertaken
