"""Following: an index outside of Postgres hears of every change of passages, in order.

A change is written down in the transaction that makes it, so nothing is stored that is not sent.
While no index follows, nothing is written. Sending may be repeated: a change has a version, and
passages never change, they come and go.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import Conflict, required
from app.domains.library.passages import change_store, retrieval, store
from app.domains.library.passages.change_store import Lag, Remote
from app.domains.library.passages.index import generation_store
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.index.retriever import ANALYSIS
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.service import OPERATOR, enqueue, unfinished
from app.domains.queue.jobs.store import Job
from app.engine.search.interface import IndexedPassage

BUILT = 1
"""The version of passages that were there when an index was begun."""

KEPT_SECONDS = 7 * 86_400.0
"""An index that has not heard of something for so long is left: what waits must have an end."""

_ONLY = "all"
_PER_STEP = 1_000  # passages


class RemoteIndexOvertaken(Conflict):
    """Another process took over this index, or the index was detached."""

    code = "remote_index_overtaken"


SEND = kinds.register(
    "index.send", queue="housekeeping", deadline_seconds=300, priority=30, backoff_limit_seconds=30
)


def _leave(tx: Tx, _job: EndedJob) -> None:
    """Nobody continues it: otherwise changes would be kept for it in vain."""
    change_store.leave(tx, ["building"])


BUILD = kinds.register(
    "index.build",
    queue="housekeeping",
    deadline_seconds=1800,
    priority=90,  # after what is due each minute
    pauses=(2, 10, 30, 60, 120),
    on_end=_leave,
)


def promise(tx: Tx) -> None:
    """Have what waits sent; there is one such job at a time.

    Call it after the changes have committed, or from the end of such a job.
    """
    if change_store.waiting(tx):
        enqueue(tx, SEND, OPERATOR, {}, unique_key=_ONLY)


def forget_sent(tx: Tx, most: int) -> int:
    """Delete changes that every index has; how many. Called each minute, it also sees that what
    waits is sent, and leaves an index that has not heard of a change for a week."""
    change_store.give_up(tx, KEPT_SECONDS)
    forgotten = change_store.prune(tx, most)
    promise(tx)
    return forgotten


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    """Changes to send: passages with the version they are sent in; `to` is their last position."""

    to: int
    added: Sequence[tuple[IndexedPassage, int]]
    removed: Sequence[tuple[int, int]]


def serving(reader: Reader) -> Remote | None:
    return next((index for index in change_store.current(reader) if index.state == "serving"), None)


def unsent(reader: Reader, index: Remote) -> ChangeBatch | None:
    """The next changes this index has to hear of; None when it has heard of all.

    A passage that was added and has gone since is left out: its removal follows.
    """
    changes = change_store.after(reader, index.sent, _PER_STEP)
    if not changes:
        return None
    versions = {id: change.position for change in changes for id in change.added}
    added = retrieval.passages(reader, list(versions))
    return ChangeBatch(
        changes[-1].position,
        [(passage, versions[passage.id]) for passage in added],
        [(id, change.position) for change in changes for id in change.removed],
    )


def sent(tx: Tx, index: Remote, to: int) -> None:
    """Note that the index has all changes up to this one. Raises RemoteIndexOvertaken."""
    if not change_store.set_sent(tx, index.id, index.sent, to):
        raise RemoteIndexOvertaken


# A rebuild, step by step: begin, then `unbuilt` and `built` until nothing is left, then `serve`.


def rebuild(tx: Tx, *, switched: bool = False) -> UUID:
    """Enqueue the rebuild of the index elsewhere; the job's id. One under way is returned."""
    payload = {"switched": True} if switched else {}
    return enqueue(tx, BUILD, OPERATOR, payload, unique_key=_ONLY)


def rebuild_job(reader: Reader) -> Job | None:
    return unfinished(reader, BUILD, _ONLY)


def begin(tx: Tx, prefix: str) -> Remote:
    """Begin an index, or continue the one being built; from here on changes are written down.

    Waits for those who are storing passages: what they store is committed when it is read.
    """
    generation_store.alone(tx, NAMESPACE)
    unfinished = building(tx)
    if unfinished is not None and unfinished.analysis == ANALYSIS:
        return unfinished
    change_store.leave(tx, ["building"])
    # By chance: a database that was restored must not take an index for the one it remembers.
    name = f"{prefix}{NAMESPACE}-{secrets.token_hex(4)}"
    change_store.begin(tx, name, ANALYSIS)
    return required(building(tx), LookupError(name))


def building(reader: Reader) -> Remote | None:
    return next(
        (index for index in change_store.current(reader) if index.state == "building"), None
    )


def unbuilt(reader: Reader, index: Remote) -> tuple[list[IndexedPassage], int]:
    """The next passages to send, and how many are left with them."""
    rows = store.after(reader, index.built_to, _PER_STEP, None)
    left = store.count_after(reader, index.built_to, None) if rows else 0
    return [retrieval.indexed(row) for row in rows], left


def built(tx: Tx, index: Remote, to: int) -> None:
    """Note that passages up to this id are in it. Raises RemoteIndexOvertaken."""
    if not change_store.set_built(tx, index.id, index.built_to, to):
        raise RemoteIndexOvertaken


def serve(tx: Tx, index: Remote) -> None:
    """Let this index serve; the former one is left. Raises RemoteIndexOvertaken."""
    change_store.leave(tx, ["serving"])
    if not change_store.serve(tx, index.id):
        raise RemoteIndexOvertaken


def detach(tx: Tx) -> None:
    """Let no index follow: Postgres answers, and changes are not written down any more."""
    generation_store.alone(tx, NAMESPACE)
    change_store.leave(tx, ["serving", "building"])


# What operators and searches want to know.


def lag(reader: Reader) -> Lag | None:
    """The changes that the serving index has not heard of; None when none serves."""
    return change_store.lag(reader) if serving(reader) else None


def buckets(reader: Reader, width: int) -> dict[int, tuple[int, int]]:
    """Passages and the sum of their digests in the index of Postgres, by the first id of a run."""
    rows = change_store.buckets(reader, width)
    return {first: (passages, digest) for first, passages, digest in rows}


def changing(reader: Reader, index: Remote, width: int) -> set[int]:
    """The buckets in which the index has not heard of something: they may differ."""
    return change_store.changing(reader, index.sent, width)
