"""What is judged: the domain whose records these are says what a vote needs to see, and is told
what the votes decided."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.providers.nodes import store


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of a record. Without independent votes our own checks decided."""

    record_id: UUID
    version: int
    state: str
    """`accepted`, `rejected` or `unresolved`."""
    reasons: list[dict[str, str]]
    votes: int
    independent_votes: int
    validated_by: list[dict[str, Any]]
    own_check: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Subject:
    """`load` gives the input of `nodes.validation` of a record; None: it is gone. Of `page` it may
    hold `structured` and `visible_end`, of each provenance `method`, which only our own checks see.

    `decided` and `dispute_decided` run in the deciding transaction. The latter is told whether the
    former decision was wrong.
    """

    load: Callable[[Reader, UUID, int], dict[str, Any] | None]
    decided: Callable[[Tx, Decision], None]
    dispute_decided: Callable[[Tx, UUID, int, bool], None]


_subjects: list[Subject] = []


def register(subject: Subject) -> Subject:
    """Make known whose records are judged; called once, where the domain's service is defined."""
    if _subjects:
        raise ValueError("records of two domains are judged")
    _subjects.append(subject)
    return subject


def unregister(subject: Subject) -> None:
    _subjects.remove(subject)


def subject() -> Subject:
    """LookupError: this process does not know the domain."""
    if not _subjects:
        raise LookupError("no domain has records to judge")
    return _subjects[0]


Linked = Callable[[Reader, UUID], "list[UUID]"]
_linked: list[Linked] = [store.neighbours]


def linked_by(linked: Linked) -> Linked:
    """Register who knows of accounts that count as one, for instance by a payout address. Those
    with a node in the same network are known."""
    _linked.append(linked)
    return linked


def linked_with(reader: Reader, account_id: UUID) -> set[UUID]:
    """The accounts that count as one with this one, as far as is known; without itself."""
    return {id for linked in _linked for id in linked(reader, account_id)} - {account_id}
