"""A campaign with a run that has set money aside, and votes on its records."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, LiteralString
from uuid import UUID

from app.core import amounts, ids
from app.core.db import Tx
from app.domains.campaigns.rewards import shares, store
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine

TOKEN = "USD"
WINDOW_HOURS = 72.0
_PASSED: Final[Sequence[LiteralString]] = (
    "update reward_entries set created_at = created_at - make_interval(hours => %(hours)s)",
    "update reward_awards set awarded_at = awarded_at - make_interval(hours => %(hours)s)",
)


@dataclass(frozen=True)
class Vote:
    """As reviews give those that agreed."""

    account_id: UUID
    record_id: UUID
    verdict: bool = True
    version: int = 1
    work_id: UUID = field(default_factory=ids.new)


@dataclass(frozen=True)
class Run:
    """A run of a campaign; everything of it happens in the transaction of the test."""

    campaign_id: UUID = field(default_factory=ids.new)
    id: UUID = field(default_factory=ids.new)

    def begin(self, tx: Tx, amount: str) -> "Run":
        credit = LedgerAccount(ledger.WORLD, "world")
        granted = Decimal(amount)
        lines = LedgerLine(*credit, -granted), LedgerLine(self.campaign_id, "escrow", granted)
        ledger.post(tx, f"fund:{self.id}", "funded", TOKEN, *lines)
        escrow, reserved = (
            LedgerAccount(self.campaign_id, "escrow"),
            LedgerAccount(self.campaign_id, "reserved"),
        )
        ledger.hold(tx, self.id, f"reserve:{self.id}", "run", TOKEN, escrow, reserved, granted)
        return self

    def accept(
        self,
        tx: Tx,
        reward: str,
        contributor_id: UUID | None,
        record_id: UUID | None = None,
        refreshed: bool = False,
        paid: bool = True,
    ) -> UUID:
        """The record, which is paid for, or is not."""
        record_id = record_id or ids.new()
        accepted = shares.accept(
            tx,
            shares.AcceptedVersion(
                campaign_id=self.campaign_id,
                run_id=self.id,
                record_id=record_id,
                version=1,
                token=TOKEN,
                reward=Decimal(reward),
                contributor_id=contributor_id,
                refreshed=refreshed,
            ),
            self.id,
        )
        assert accepted is paid
        return record_id

    def share(self, tx: Tx, *votes: Vote) -> Decimal:
        return shares.share_pool(tx, shares.RunPool(self.campaign_id, self.id, TOKEN), votes)

    def escrow(self) -> LedgerAccount:
        return LedgerAccount(self.campaign_id, "escrow")


def balance(tx: Tx, owner: UUID, kind: str) -> str:
    return amounts.text(ledger.balance(tx, LedgerAccount(owner, kind), TOKEN))


def states(tx: Tx, account_id: UUID) -> list[tuple[str, str, str]]:
    """Role, amount and state of each entry, oldest first."""
    page = store.page(tx, account_id, None, None, None, 101)
    return [(row.role, amounts.text(row.amount), row.state) for row in reversed(page)]


def let_pass(tx: Tx, hours: float) -> None:
    """As if so many hours had passed since everything was earned and decided."""
    for sql in _PASSED:
        tx.execute(sql, {"hours": int(hours)})
