"""Work for nodes: offering it, handing it out, its end. Callers hold the transaction.

An item is a job of a remote kind: its state, fence, lease and deadline are its job's. Domains above
say what their kinds mean, and offer items of them.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import kinds, outcomes, store, turn_store
from app.domains.providers.work.kinds import ContributedRecord, WorkKind
from app.domains.providers.work.turn_store import TurnSummary
from app.domains.providers.work.wakeups import for_node, wake
from app.domains.queue.jobs.service import enqueue

MOST_CLAIMS: Final = 100
"""Of one node that wait at once, at a guess."""


def offer(
    tx: Tx,
    kind: WorkKind,
    payer_id: UUID,
    *,
    subject: UUID,
    record_id: UUID | None = None,
    version: int | None = None,
    slots: int = 1,
    excluded: Sequence[UUID] = (),
    gold: bool = False,
    node_id: UUID | None = None,
    deadline_seconds: float | None = None,
    needs: Mapping[str, Any] | None = None,
    id: UUID | None = None,
) -> UUID:
    """Promise an item, in the caller's transaction; returns its id.

    `slots` is how many assignments its record has, which widens the draw. `excluded` accounts never
    get it; `node_id` is the only node that may have it. `needs` may say the `language` of its input
    and its `bytes`.
    """
    wanted = needs or {}
    noun = store.insertion(
        subject=subject,
        record_id=record_id,
        version=version,
        slots=slots,
        excluded=list(excluded),
        meant_for=node_id,
        language=wanted.get("language"),
        input_bytes=wanted.get("bytes"),
        gold=gold,
    )
    made = enqueue(
        tx,
        kind.kind,
        payer_id,
        {},
        id=id or ids.new(),
        noun=noun,
        deadline_seconds=deadline_seconds,
    )
    _wake_for(tx, kind, node_id)
    return made


def _wake_for(tx: Tx, kind: WorkKind, node_id: UUID | None = None) -> None:
    if node_id is None:
        wake(tx, kind.name, 1)
    else:
        wake(tx, for_node(node_id), 1)


def decline(tx: Tx, node_id: UUID, work_id: UUID, fence: int, reason: str) -> None:
    """Give an item back at once, and not to this account again. Raises WorkNotFound, LeaseLost."""
    freed = outcomes.decline(tx, node_id, work_id, fence, reason)
    row = store.by_id(tx, freed) if freed else None
    if row is not None:
        _wake_for(tx, kinds.kind_of(row.kind))


def suspend(tx: Tx, account_id: UUID, reason: str) -> None:
    """None of the account's nodes gets work any more, and others get what they have."""
    for name in outcomes.suspend(tx, account_id, reason):
        _wake_for(tx, kinds.kind_of(name))


def untaken(reader: Reader, kind: WorkKind, seconds: float, most: int) -> list[tuple[UUID, UUID]]:
    """Items that have waited for so long, if no node that may do them was heard of meanwhile; each
    with its subject.
    """
    if nodes.seen_recently(reader, kind.capability, seconds):
        return []
    return store.untaken(reader, kind.kind.queue, seconds, most)


def records_of(
    reader: Reader, account_id: UUID, rows: Sequence[TurnSummary]
) -> dict[UUID, list[ContributedRecord]]:
    """The records that the account contributed by work that it did, by the subject of the work."""
    found: dict[UUID, list[ContributedRecord]] = {}
    for kind in kinds.KINDS:
        done = [row.subject for row in rows if row.kind == kind.name and row.state == "done"]
        for record in kind.records(reader, account_id, done) if kind.records and done else ():
            found.setdefault(record.subject, []).append(record)
    return found


def outcome_counts(reader: Reader, node_id: UUID) -> dict[str, int]:
    """Counts the last 50 turns of a node by how they ended."""
    return turn_store.outcomes(reader, node_id, 50)


def node_changed(tx: Tx, node_id: UUID) -> None:
    """Its claims look whether they may go on waiting."""
    wake(tx, for_node(node_id), MOST_CLAIMS)
