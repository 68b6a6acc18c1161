"""Ends of an item: done, declined, lost, withdrawn. Callers hold the transaction."""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Final
from uuid import UUID

from app.core import metrics, untrusted_json
from app.core.db import Reader, Tx
from app.core.errors import AppError, required
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import behaviour, kinds, store, turn_store
from app.domains.providers.work.errors import LeaseLost, ResultConflict, WorkDeclined, WorkNotFound
from app.domains.providers.work.kinds import Item
from app.domains.providers.work.wakeups import wake
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs import kinds as job_kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import EndedJob, Kind

REASONS: Final = ("cannot", "overloaded", "content", "other")
"""Why a node may decline."""

Answer = dict[str, Any]


def _held(reader: Reader, node_id: UUID, id: UUID, fence: int) -> store.HeldItem:
    """An item that the node has under this fence. Raises WorkNotFound, LeaseLost."""
    turn, row = _turn(reader, node_id, id, fence)
    if turn.outcome is not None or row.state != "running" or row.fence != fence:
        raise LeaseLost
    return row


def _turn(
    reader: Reader, node_id: UUID, id: UUID, fence: int
) -> tuple[turn_store.WorkTurn, store.HeldItem]:
    row = store.by_id(reader, id)
    if row is None or not turn_store.had(reader, row.id, node_id):
        raise WorkNotFound
    turn = required(turn_store.turn(reader, row.id, fence, node_id), LeaseLost)
    return turn, row


def fenced(
    tx: Tx, node_id: UUID, work_id: UUID, fence: int, *, lease_seconds: float | None = None
) -> Item:
    """The item a node has under this fence, its lease renewed. Raises WorkNotFound, LeaseLost."""
    row = _held(tx, node_id, work_id, fence)
    if lease_seconds is not None and attempt_store.extend(tx, row.claimed, lease_seconds) is None:
        raise LeaseLost
    return row


def lease(tx: Tx, node_id: UUID, work_id: UUID, fence: int) -> tuple[store.HeldItem, bool]:
    """Renew the lease; the item, and whether it was cancelled. Raises WorkNotFound, LeaseLost."""
    turn, row = _turn(tx, node_id, work_id, fence)
    if row.state in ("cancelled", "failed") and row.fence == fence and turn.outcome != "done":
        return row, True
    if turn.outcome is not None or row.fence != fence:
        raise LeaseLost
    if attempt_store.extend(tx, row.claimed, kinds.kind_of(row.kind).lease_seconds) is None:
        raise LeaseLost
    return store.by_id(tx, row.id) or row, False


def digest(output: object) -> bytes:
    """The same for the same JSON, however it was spelled."""
    return hashlib.sha256(untrusted_json.dumps(output, sort_keys=True)).digest()


def result_before(
    reader: Reader, node_id: UUID, work_id: UUID, fence: int, output_digest: bytes
) -> Item | Answer:
    """The item that a result is for; or, where this very result was accepted before, its answer.

    Raises WorkNotFound, LeaseLost, ResultConflict.
    """
    turn, row = _turn(reader, node_id, work_id, fence)
    if turn.outcome == "done":
        if turn.output_digest != output_digest:
            raise ResultConflict
        return turn.answer or {}
    if turn.outcome is not None or row.state != "running" or row.fence != fence:
        raise LeaseLost
    return row


def accept(tx: Tx, item: Item, output_digest: bytes, checked: Any) -> Answer:
    """End the job of a checked output. Raises LeaseLost, ResultConflict."""
    answer: Answer = {}

    def write(tx: Tx) -> None:
        answer.update(kinds.kind_of(item.kind).accept(tx, item, checked) or {})

    if complete(tx, item, write, output_digest=output_digest, answer=answer):
        return answer
    if item.node_id is None:
        raise LeaseLost
    again = result_before(tx, item.node_id, item.id, item.fence, output_digest)
    if isinstance(again, Item):
        raise LeaseLost
    return again


def complete(
    tx: Tx,
    item: Item,
    write: Callable[[Tx], None],
    *,
    output_digest: bytes | None = None,
    answer: Answer | None = None,
) -> bool:
    """End the job well and run `write` in its fenced end. False: it was no longer the node's."""
    row = store.by_id(tx, item.id)
    if row is None or row.fence != item.fence:
        return False
    if not jobs.finish(tx, [jobs.Done(row.claimed, write)]):
        return False
    turn_store.end_turn(tx, item.id, "done", digest=output_digest, answer=answer)
    metrics.work_ended.labels(item.kind, "done").inc()
    store.close(tx, item.id, keep=True)
    behaviour.count_losses(tx, store.outdone(tx, item.id))
    return True


def postpone(tx: Tx, item: Item, error: AppError) -> None:
    """The item cannot be handed out now, through no fault of the node: later, while it may be."""
    row = store.by_id(tx, item.id)
    if row is not None and row.fence == item.fence:
        turn_store.end_turn(tx, item.id, "released")
        store.free(tx, item.id)
        jobs.fail(tx, row.claimed, error, retryable=True)


def decline(tx: Tx, node_id: UUID, work_id: UUID, fence: int, reason: str) -> UUID | None:
    """Give an item back, and not to this account again; its id, if others may have it now.

    One that is meant for this node alone fails. Declining twice is as once. Raises WorkNotFound,
    LeaseLost.
    """
    turn, row = _turn(tx, node_id, work_id, fence)
    if turn.outcome == "declined":
        return None
    if turn.outcome is not None or row.fence != fence:
        raise LeaseLost
    turn_store.end_turn(tx, row.id, "declined", reason=reason)
    metrics.work_ended.labels(row.kind, "declined").inc()
    if row.meant_for is not None:
        if jobs.fail(tx, row.claimed, WorkDeclined(), retryable=False) is None:
            raise LeaseLost
    else:
        if not attempt_store.give_back(tx, row.claimed):
            raise LeaseLost
        store.free(tx, row.id, excluding=True)
    behaviour.count_decline(tx, node_id)
    return row.id if row.meant_for is None else None


def withdraw(tx: Tx, work_ids: Iterable[UUID], *, held: bool = False) -> int:
    """End items that are not wanted any more, without running their `ended`; how many.

    Those that a node has only if `held`: it hears of it when it next asks for its lease.
    """
    wanted = list(work_ids)
    ended = len(store.withdraw(tx, wanted, [kind.name for kind in kinds.KINDS]))
    if held:
        ended += sum(_cancel(tx, id) for id in wanted)
    return ended


def _cancel(tx: Tx, id: UUID) -> bool:
    turn_store.end_turn(tx, id, "withdrawn")
    store.close(tx, id, keep=False)
    return jobs.cancel(tx, id) is not None


def suspend(tx: Tx, account_id: UUID, reason: str) -> list[str]:
    """Give the work of an account's nodes to others, for good; the kinds of what is free."""
    nodes.suspend(tx, account_id, reason)
    freed = []
    for turn in turn_store.open_turns_of(tx, account_id):
        row = store.by_id(tx, turn.work_id)
        if row is None:
            continue
        if row.meant_for is not None:  # nobody else may have it
            jobs.fail(tx, row.claimed, WorkDeclined(), retryable=False)
        elif attempt_store.give_back(tx, row.claimed):
            turn_store.end_turn(tx, row.id, "released", reason="suspended")
            store.free(tx, row.id, excluding=True)
            freed.append(row.kind)
    return freed


# What the life of jobs calls.


def register_kind(name: str, *, queue: str, deadline_seconds: float, max_attempts: int) -> Kind:
    """Make a kind of job known to this process as one that nodes do; its items end here."""
    return job_kinds.register(
        name,
        queue=queue,
        deadline_seconds=deadline_seconds,
        max_attempts=max_attempts,
        remote=True,
        on_end=on_end,
        on_lost=on_lost,
    )


def on_lost(tx: Tx, job: EndedJob) -> None:
    """The node fell silent: its account is passed over for a while."""
    turn = turn_store.open_turn(tx, job.id)
    turn_store.end_turn(tx, job.id, "lost")
    metrics.work_ended.labels(job.kind, "lost").inc()
    store.free(tx, job.id, lost=True)
    if job.state == "queued":
        wake(tx, job.kind, 1)
    if turn is not None:
        behaviour.count_loss(tx, turn.node_id)


def on_end(tx: Tx, job: EndedJob) -> None:
    """Failed or cancelled, whoever ended it."""
    row = store.by_id(tx, job.id)
    turn_store.end_turn(tx, job.id, "withdrawn")
    if row is None or not store.close(tx, job.id, keep=False):
        return
    ended = kinds.kind_of(job.kind).ended
    if ended is not None:
        ended(tx, row)
