"""Shares of accepted records: for whoever contributed them, and for the votes that agreed."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Final, NamedTuple, Protocol
from uuid import UUID

from app.core.amounts import UNIT
from app.core.db import Reader, Tx
from app.domains.campaigns.rewards import award_store, store
from app.domains.campaigns.rewards.store import Share
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.engine.judging import division

_POOL_PART: Final = Decimal("0.3")


class PaidVote(Protocol):
    """A counted vote that agreed with the decision."""

    @property
    def work_id(self) -> UUID: ...
    @property
    def account_id(self) -> UUID: ...
    @property
    def record_id(self) -> UUID: ...
    @property
    def version(self) -> int: ...
    @property
    def verdict(self) -> object: ...


class Parts(NamedTuple):
    """A reward, divided exactly: for who contributed the record, and for the votes."""

    contributor: Decimal
    pool: Decimal


def parts(reward: Decimal) -> Parts:
    """Three tenths for the votes, rounded down to whole units; the rest for the contributor."""
    pool = (reward * _POOL_PART).quantize(UNIT, ROUND_DOWN)
    return Parts(reward - pool, pool)


@dataclass(frozen=True, slots=True)
class _Paid:
    """Whose money it is: that of a run, in one token."""

    campaign_id: UUID
    run_id: UUID
    token: str

    def to_contributor(
        self, account_id: UUID, record_id: UUID, version: int, amount: Decimal
    ) -> Share:
        return Share(
            account_id=account_id,
            token=self.token,
            amount=amount,
            role="contributor",
            campaign_id=self.campaign_id,
            run_id=self.run_id,
            record_id=record_id,
            version=version,
            why="the record was accepted",
        )

    def to_votes(self, amount: Decimal, votes: Sequence[PaidVote]) -> list[Share]:
        """Equal shares; units that do not divide go to the first."""
        shares = division.split(amount, len(votes)) if votes else []
        return [
            self._to_vote(vote, share) for vote, share in zip(votes, shares, strict=True) if share
        ]

    def _to_vote(self, vote: PaidVote, amount: Decimal) -> Share:
        return Share(
            account_id=vote.account_id,
            token=self.token,
            amount=amount,
            role="validator",
            campaign_id=self.campaign_id,
            run_id=self.run_id,
            record_id=vote.record_id,
            version=vote.version,
            verdict="accept" if _accepting(vote) else "reject",
            why="the vote agreed with the decision",
        )


def accept(
    tx: Tx,
    *,
    campaign_id: UUID,
    run_id: UUID,
    record_id: UUID,
    version: int,
    token: str,
    hold_id: UUID,
    reward: Decimal,
    contributor_id: UUID | None,
    refreshed: bool,
) -> bool:
    """Pay for an accepted version out of its run's hold; a version is paid for once.

    The built-in extraction (`contributor_id` None) gets nothing, and a version that was only found
    fresh again pays no contributor: that share stays in the hold. False: the hold is closed or has
    too little left, and nothing moved.
    """
    if award_store.by_version(tx, record_id, version):
        return True  # before any lock: whoever shares the pool holds the award, and wants the money
    share, pool = parts(reward)
    entries = list[Share]()
    if contributor_id is not None and share and not refreshed:
        paid = _Paid(campaign_id, run_id, token)
        entries.append(paid.to_contributor(contributor_id, record_id, version, share))
    lines = [*_lines(entries), *([LedgerLine(run_id, "pool", pool)] if pool else [])]
    key = f"reward:{record_id}:{version}"
    if lines and not ledger.capture(tx, hold_id, key, "record accepted", *lines):
        return False
    if award_store.insert(
        tx,
        record_id=record_id,
        version=version,
        campaign_id=campaign_id,
        run_id=run_id,
        token=token,
        pool_amount=pool,
    ):
        store.insert(tx, entries)
    return True


def _lines(shares: Sequence[Share]) -> list[LedgerLine]:
    return [LedgerLine(share.account_id, "pending", share.amount) for share in shares]


def accept_late(
    tx: Tx,
    *,
    campaign_id: UUID,
    run_id: UUID,
    record_id: UUID,
    version: int,
    token: str,
    hold_id: UUID,
    reward: Decimal,
    contributor_id: UUID | None,
    refreshed: bool,
    votes: Sequence[PaidVote],
    rest: LedgerAccount,
) -> bool:
    """Pay for a version that an appeal made accepted, out of what was set aside for it.

    Its run may be closed, so the part for votes is divided at once among those that agreed, in the
    same transfer. What nobody gets goes to `rest`. False: the hold was closed before.
    """
    share, pool = parts(reward)
    paid = _Paid(campaign_id, run_id, token)
    entries = paid.to_votes(pool, _payable(tx, votes))
    if contributor_id is not None and share and not refreshed:
        entries.append(paid.to_contributor(contributor_id, record_id, version, share))
    key = f"reward:{record_id}:{version}"
    if not ledger.settle(tx, hold_id, key, "appeal upheld", *_lines(entries), rest=rest):
        return False
    award_store.insert(
        tx,
        record_id=record_id,
        version=version,
        campaign_id=campaign_id,
        run_id=run_id,
        token=token,
        pool_amount=Decimal(0),
    )
    store.insert(tx, entries)
    return True


def share_pool(
    tx: Tx, *, campaign_id: UUID, run_id: UUID, token: str, votes: Sequence[PaidVote]
) -> Decimal:
    """Divide the pool of a run equally among votes that agreed; returns what went to accounts.

    Call it when no record of the run can be accepted any more. Units that do not divide go to the
    first votes by the id of their work. Without votes the pool returns to the escrow.
    """
    amount = award_store.share_pool(tx, run_id)
    if not amount:
        return Decimal(0)
    entries = _Paid(campaign_id, run_id, token).to_votes(amount, _payable(tx, votes))
    to = _lines(entries) or [LedgerLine(campaign_id, "escrow", amount)]
    why = "pool shared" if entries else "nobody to pay"
    ledger.post(tx, f"pool:{run_id}", why, token, LedgerLine(run_id, "pool", -amount), *to)
    store.insert(tx, entries)
    return amount if entries else Decimal(0)


def _payable(reader: Reader, votes: Sequence[PaidVote]) -> list[PaidVote]:
    """In the order of their work, without those that have a share from an earlier pool."""
    ordered = sorted(votes, key=lambda vote: vote.work_id)
    known_as = [(v.record_id, v.version, v.account_id, _accepting(v)) for v in ordered]
    left_out = store.unpayable(reader, known_as)
    return [vote for place, vote in enumerate(ordered) if place not in left_out]


def _accepting(vote: PaidVote) -> bool:
    return vote.verdict in (True, "accept")
