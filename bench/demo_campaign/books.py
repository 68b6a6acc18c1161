"""What only the operator sees: who was tested how, and whether the books are right."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from app.core import db, ids
from app.core.ids import Noun
from app.domains.campaigns.reviews.gold_items import MAKE
from app.domains.money.ledger import audit, audit_store
from app.domains.queue.jobs import service as jobs

_TESTED: Final = """
    select right_answers, wrong_answers, gold_answers, wald, suspended_at, reason
    from reputations where account_id = %(id)s
"""
_GOLD: Final = "select count(*) from gold_items where truth = %(truth)s"


@dataclass(frozen=True)
class Tested:
    """What answers with a known outcome say of an account."""

    right: int = 0
    wrong: int = 0
    gold: int = 0
    wald: float = 0.0
    suspended_at: datetime | None = None
    reason: str | None = None

    @property
    def answers(self) -> int:
        return self.right + self.wrong


def tested(account: str) -> Tested:
    id = ids.internal(Noun.ACCOUNT, account)
    with db.reading() as reader:
        row = reader.execute(_TESTED, {"id": id}).fetchone()
    return Tested(*_values(row)) if row else Tested()


def _values(row: Any) -> tuple[Any, ...]:
    return tuple(row.values()) if isinstance(row, dict) else tuple(row)


def make_gold() -> None:
    """Have items with known answers made now, and not when it is their time."""
    with db.transaction() as tx:
        jobs.enqueue(tx, MAKE, jobs.OPERATOR, {})


def gold_items() -> tuple[int, int]:
    """How many there are of which the answer is accept, and reject."""
    with db.reading() as reader:
        right, wrong = (db.value(reader, _GOLD, truth=truth) for truth in (True, False))
    return int(right or 0), int(wrong or 0)


def audited() -> tuple[dict[str, int], int]:
    """The rules of the books that do not hold, and how many transfers there are."""
    with db.reading() as reader:
        return audit.broken(reader), audit_store.transfers(reader)
