"""Kinds of work that nodes do. A higher domain registers its kinds and says what they mean."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Tx
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob, Kind


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


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkKind:
    """What is particular to one kind of work.

    `capability` is what a node must be able to do: extraction, validation or chat. `load` makes the
    input, after the claim has committed and outside any transaction; None: its subject is gone, and
    the item is withdrawn, for which `ended` does not run. `check` judges an output outside a
    transaction and raises an AppError for one that is refused, which costs the node nothing; what
    it returns goes to `accept`, in the fenced transaction that ends the job, and what that returns
    is answered to the node. `ended` runs when an item fails: past its deadline, or after all its
    attempts.
    """

    kind: Kind
    capability: str
    load: Callable[[Item], dict[str, Any] | None]
    check: Callable[[Item, dict[str, Any]], Any]
    accept: Callable[[Tx, Item, Any], dict[str, Any] | None]
    ended: Callable[[Tx, Item], None] | None = None
    first_lease_seconds: float = 10.0
    """Short: the answer to a claim may be lost on its way."""
    lease_seconds: float = 60.0

    @property
    def name(self) -> str:
        return self.kind.name


_kinds: dict[str, WorkKind] = {}


def add(
    kind: WorkKind,
    on_end: Callable[[Tx, EndedJob], None],
    on_lost: Callable[[Tx, EndedJob], None],
) -> WorkKind:
    """Make a kind known to this process, as a remote kind of job with these hooks."""
    job_kind = kinds.register(replace(kind.kind, remote=True, on_end=on_end, on_lost=on_lost))
    _kinds[job_kind.name] = replace(kind, kind=job_kind)
    return _kinds[job_kind.name]


def kind_of(name: str) -> WorkKind:
    """LookupError: this process is older than the item."""
    return _kinds[name]


def every() -> Iterator[WorkKind]:
    return iter(list(_kinds.values()))


Before = Callable[[Tx, UUID, UUID], UUID | None]
_before: dict[str, Before] = {}


def before(kind: WorkKind, choose: Before) -> None:
    """Ask `choose(tx, account_id, node_id)` before each draw of a kind.

    The item whose id it returns, which it may have offered just now, is handed out instead.
    """
    _before[kind.name] = choose


def chosen_before(tx: Tx, name: str, account_id: UUID, node_id: UUID) -> UUID | None:
    choose = _before.get(name)
    return None if choose is None else choose(tx, account_id, node_id)
