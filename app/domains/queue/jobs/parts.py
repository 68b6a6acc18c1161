"""Long work: a parent that waits, and parts that do it in slices.

A part is an ordinary job with a parent. It ends together with the parent's count of open parts, in
one transaction that holds the parent's row: so one part is the last one, whichever end at once.
Locks go from part to parent only. Who ends a parent takes the parent's row alone; its parts write
nothing after that, as each of their steps asks for a parent that waits, and are swept up.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from app.core.db import Tx
from app.domains.queue.jobs import kinds, part_store
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.kinds import EndedJob, EndedPart
from app.domains.queue.jobs.part_store import Parent

MOST_PARTS = 64
"""Open at once, of one parent."""


class ParentEnded(Exception):
    """The parent waits no more: what its part wanted to write is not wanted."""


class Wait(NamedTuple):
    """The return of a handler that waits for its parts instead of ending.

    `write` runs in the transaction that makes the job wait, and enqueues the parts. The job is done
    again when no part is open any more, or at `until`, when it should end without the rest. If no
    part is open after `write` it rests: it is queued again, for `until` or at once.
    """

    write: Callable[[Tx], None]
    until: datetime | None = None


def parent_of_another(tx: Tx, id: UUID) -> Parent:
    """The unfinished job that gets one more part, locked. Raises ParentEnded."""
    parent = part_store.lock(tx, id)
    if parent is None:
        raise ParentEnded
    if parent.parts_open >= MOST_PARTS:
        raise ValueError(f"a job has at most {MOST_PARTS} open parts")
    return parent


def hold(tx: Tx, parent_id: UUID | None) -> bool:
    """True if the parent waits, and its own; all of them go on until the transaction ends."""
    while parent_id is not None:
        parent = part_store.share(tx, parent_id)
        if parent is None:
            return False
        parent_id = parent.parent_id
    return True


def wait(tx: Tx, job: ClaimedJob, waiting: Wait) -> bool:
    """Make a job wait. False: it was no longer the worker's. Raises ParentEnded for a part."""
    if not part_store.wait(tx, job, waiting.until):
        return False
    if not hold(tx, job.parent_id):
        raise ParentEnded
    waiting.write(tx)
    part_store.resume(tx, job.id, waiting.until)
    return True


def succeeded(tx: Tx, part: ClaimedJob) -> None:
    """A part has done its work. Raises ParentEnded when its parent does not wait for it."""
    parent = _count_down(tx, part.parent_id)
    if parent is None or parent.state != "waiting" or not hold(tx, parent.parent_id):
        raise ParentEnded
    job = EndedJob(part.id, part.account_id, part.kind, "succeeded", part.payload, None)
    _report(tx, parent, job)


def ended(tx: Tx, part: EndedJob) -> None:
    """A part has failed or was cancelled. Nothing happens without an unfinished parent."""
    parent = _count_down(tx, part.parent_id)
    if parent is not None:
        _report(tx, parent, part)


def dismiss(tx: Tx, part: EndedJob) -> None:
    """As `ended`, when the hook of the parent's kind cannot be run."""
    parent = _count_down(tx, part.parent_id)
    if parent is not None:
        part_store.resume(tx, parent.id)


def _count_down(tx: Tx, parent_id: UUID | None) -> Parent | None:
    return None if parent_id is None else part_store.count_down(tx, parent_id)


def _report(tx: Tx, parent: Parent, part: EndedJob) -> None:
    """Let the parent's kind decide what follows; with no part open after that the parent wakes."""
    hook = kinds.of(parent.kind).on_part
    if hook is not None:
        hook(
            tx,
            EndedPart(
                parent.id,
                parent.account_id,
                part.id,
                part.kind,
                part.state,
                part.payload,
                part.error,
                parent.parts_open,
            ),
        )
    part_store.resume(tx, parent.id)


def lanes_wanted(left: int, parts_open: int, *, lanes: int, most: int) -> int:
    """The number of lanes, of `most` rows each, that are worth opening for `left` more rows."""
    return max(0, min(lanes, -(-left // most)) - parts_open)
