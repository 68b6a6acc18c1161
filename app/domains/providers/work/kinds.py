"""Kinds of work that nodes do. Higher domains define them and say what they mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.hooks import Hook
from app.domains.queue.jobs.kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A piece of work. `account_id` has it; `node_id` too, or is the only node that may have it.

    `payer_id` is the account it is done for, `fence` what everything about it must carry.
    """

    id: UUID
    kind: str
    fence: int
    account_id: UUID | None
    node_id: UUID | None
    payer_id: UUID
    subject: UUID
    record_id: UUID | None
    version: int | None
    gold: bool
    deadline_at: datetime


@dataclass(frozen=True, slots=True)
class ContributedRecord:
    """A record that came of a piece of work, as the account that did the work may see it."""

    subject: UUID
    id: UUID
    state: str
    reasons: list[dict[str, str]]
    duplicate_of: UUID | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkKind:
    """The particulars of one kind of work.

    `capability` is what a node must be able to do: extraction, validation or chat. `load` makes the
    input, after the claim has committed and outside any transaction; None: its subject is gone, and
    the item is withdrawn, for which `ended` does not run. `check` judges an output outside a
    transaction and raises an AppError for one that is refused, which costs the node nothing; what
    it returns goes to `accept`, in the fenced transaction that ends the job, and what that returns
    is answered to the node. `ended` runs when an item fails: past its deadline, or after all its
    attempts. `records` finds what an account contributed of some subjects.
    """

    kind: Kind
    capability: str
    load: Callable[[Item], dict[str, Any] | None]
    check: Callable[[Item, dict[str, Any]], Any]
    accept: Callable[[Tx, Item, Any], dict[str, Any] | None]
    ended: Callable[[Tx, Item], None] | None = None
    records: Callable[[Reader, UUID, Sequence[UUID]], list[ContributedRecord]] | None = None
    first_lease_seconds: float = 10.0
    """Short: the answer to a claim may be lost on its way."""
    lease_seconds: float = 60.0

    @property
    def name(self) -> str:
        return self.kind.name


KINDS: Final = Hook[WorkKind]("work_kinds.KINDS")
"""What nodes can be given."""
FIRST: Final = Hook[Callable[[Tx, str, UUID, UUID], UUID | None]]("work_kinds.FIRST")
"""Asked with kind, account and node before each draw: the item whose id one returns, which it may
have offered just now, is handed out instead."""


def kind_of(name: str) -> WorkKind:
    """LookupError: this process is older than the item."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise LookupError(name)


def chosen_first(tx: Tx, name: str, account_id: UUID, node_id: UUID) -> UUID | None:
    """The item that this node is to have before what is drawn."""
    chosen = (choose(tx, name, account_id, node_id) for choose in FIRST)
    return next((id for id in chosen if id is not None), None)
