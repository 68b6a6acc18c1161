"""Subjects of judging: the domain whose records these are says what a vote needs to see, and is
told what the votes decided.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.hooks import Hook


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a record. Without independent votes our own checks decided."""

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
    former decision was wrong; None: the votes do not say, and it stands.
    """

    load: Callable[[Reader, UUID, int], dict[str, Any] | None]
    decided: Callable[[Tx, Decision], None]
    dispute_decided: Callable[[Tx, UUID, int, bool | None], None]


SUBJECT: Final = Hook[Subject]("subjects.SUBJECT")
LINKED: Final = Hook[Callable[[Reader, UUID], Sequence[UUID]]]("subjects.LINKED")
"""The accounts that count as one with an account, for instance by a payout address."""


def linked_with(reader: Reader, account_id: UUID) -> set[UUID]:
    """The accounts that count as one with this one, as far as is known; without itself."""
    return {id for linked in LINKED for id in linked(reader, account_id)} - {account_id}
