"""Building a generation of the index beside the one that serves, and letting it serve.

From the first moment whoever writes writes to both, so the rebuild has to add only what was there
before, in the order of ids. It is done by one job after another; if one of them fails, compaction
drops what was built.
"""

from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import Conflict
from app.domains.library.passages.index import generation_store, lexical_store, retriever
from app.domains.library.passages.index.generation_store import UnfinishedGeneration
from app.domains.library.passages.index.retriever import ANALYSIS, Analysed
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind

ONLY = "all"
"""The `unique_key` of the jobs: there is one rebuild at a time."""


class RebuildOvertaken(Conflict):
    """Another rebuild replaced this one."""

    code = "rebuild_overtaken"


def due(reader: Reader) -> bool:
    """See `service.rebuild_due`."""
    return generation_store.stale(reader, ANALYSIS, "") is not None


REBUILD = kinds.register(
    Kind(
        name="passages.rebuild",
        queue="housekeeping",
        deadline_seconds=3600,
        priority=90,  # after what is due each minute
        # Nobody continues it: otherwise all writers would write twice forever.
        on_end=lambda tx, _job: generation_store.leave_building(tx),
    )
)


def promise(tx: Tx, *, switched: bool = False, account_id: UUID | None = None) -> UUID:
    """Promise the next job of a rebuild of the index, or the first; the job's id, also of one
    under way. `switched` when only the old generation is to go; `account_id` of whose documents.
    """
    payload: dict[str, Any] = {"switched": True} if switched else {}
    if account_id is not None:
        payload["account_id"] = str(account_id)
    return jobs.enqueue(tx, REBUILD, jobs.OPERATOR, payload, unique_key=ONLY)


def begin(tx: Tx, ns: str) -> UnfinishedGeneration:
    """See `service.begin_rebuild`."""
    generation_store.alone(tx, ns)
    building = generation_store.building(tx, ns)
    if building is not None and building.analysis == ANALYSIS:
        return building
    if building is not None:
        generation_store.leave(tx, building.id)
    return generation_store.begin(tx, ns, ANALYSIS)


def build(
    tx: Tx, building: UnfinishedGeneration, analysed: Sequence[Analysed], kept: Container[int]
) -> UnfinishedGeneration:
    """Add those of the passages that are `kept` and that no writer has added before."""
    to = max(passage.id for passage, _ in analysed)
    if not generation_store.advance(tx, building.id, building.position, to):
        raise RebuildOvertaken
    held = lexical_store.held(tx, building.id, [passage.id for passage, _ in analysed])
    missing = [x for x in analysed if x[0].id in kept and x[0].id not in held]
    if missing:
        retriever.add(tx, building.id, missing)
    return replace(building, position=to)


def switch(tx: Tx, ns: str, building: UnfinishedGeneration) -> None:
    """See `service.switch`."""
    generation_store.alone(tx, ns)
    generation_store.leave_serving(tx, ns)
    if not generation_store.serve(tx, building.id, building.position):
        raise RebuildOvertaken
