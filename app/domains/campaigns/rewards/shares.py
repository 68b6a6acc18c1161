"""Shares of accepted records: for whoever contributed them, and for the votes that agreed."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Decimal
from typing import Final, NamedTuple
from uuid import UUID

from app.core.amounts import UNIT, split
from app.core.db import Reader, Tx
from app.domains.campaigns.reviews.vote_store import AgreeingVote
from app.domains.campaigns.rewards import award_store, store
from app.domains.campaigns.rewards.store import Share
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine

_POOL_PART: Final = Decimal("0.3")


class Parts(NamedTuple):
    """A reward, divided exactly: for who contributed the record, and for the votes."""

    contributor: Decimal
    pool: Decimal


def parts(reward: Decimal) -> Parts:
    """Three tenths for the votes, rounded down to whole units; the rest for the contributor."""
    pool = (reward * _POOL_PART).quantize(UNIT, ROUND_DOWN)
    return Parts(reward - pool, pool)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedVersion:
    """A version that is paid for. `contributor_id` is None where the built-in extraction found it;
    `refreshed` is one that was only found fresh again."""

    campaign_id: UUID
    run_id: UUID
    record_id: UUID
    version: int
    token: str
    reward: Decimal
    contributor_id: UUID | None
    refreshed: bool


def accept(tx: Tx, accepted: AcceptedVersion, hold_id: UUID) -> bool:
    """Pay for an accepted version out of its run's hold; a version is paid for once.

    Where no contributor is paid, that share stays in the hold. False: the hold is closed or has too
    little left, and nothing moved.
    """
    if award_store.by_version(tx, accepted.record_id, accepted.version):
        return True  # before any lock: whoever shares the pool holds the award, and wants the money
    pool, entries = parts(accepted.reward).pool, _contribution(accepted)
    lines = _lines(entries)
    if pool:
        lines.append(LedgerLine(accepted.run_id, "pool", pool))
    if lines and not ledger.capture(tx, hold_id, _key(accepted), "record accepted", *lines):
        return False
    if _award(tx, accepted, pool):
        store.insert(tx, entries)
    return True


def _contribution(accepted: AcceptedVersion) -> list[Share]:
    amount = parts(accepted.reward).contributor
    if accepted.contributor_id is None or accepted.refreshed or not amount:
        return []
    share = Share(
        account_id=accepted.contributor_id,
        token=accepted.token,
        amount=amount,
        role="contributor",
        campaign_id=accepted.campaign_id,
        run_id=accepted.run_id,
        record_id=accepted.record_id,
        version=accepted.version,
        why="the record was accepted",
    )
    return [share]


def _key(accepted: AcceptedVersion) -> str:
    return f"reward:{accepted.record_id}:{accepted.version}"


def _award(tx: Tx, accepted: AcceptedVersion, pool: Decimal) -> bool:
    return award_store.insert(
        tx,
        record_id=accepted.record_id,
        version=accepted.version,
        campaign_id=accepted.campaign_id,
        run_id=accepted.run_id,
        token=accepted.token,
        pool_amount=pool,
    )


def _lines(shares: Sequence[Share]) -> list[LedgerLine]:
    return [LedgerLine(share.account_id, "pending", share.amount) for share in shares]


def accept_late(
    tx: Tx,
    accepted: AcceptedVersion,
    hold_id: UUID,
    votes: Sequence[AgreeingVote],
    rest: LedgerAccount,
) -> bool:
    """Pay for a version that an appeal made accepted, out of what was set aside for it.

    Its run may be closed, so the part for votes is divided at once among those that agreed, in the
    same transfer. What nobody gets goes to `rest`. False: the hold was closed before.
    """
    entries = [
        *_of_votes(tx, accepted, parts(accepted.reward).pool, votes),
        *_contribution(accepted),
    ]
    if not ledger.settle(tx, hold_id, _key(accepted), "appeal upheld", *_lines(entries), rest=rest):
        return False
    _award(tx, accepted, Decimal(0))
    store.insert(tx, entries)
    return True


@dataclass(frozen=True, slots=True)
class RunPool:
    campaign_id: UUID
    run_id: UUID
    token: str


def _of_votes(
    reader: Reader, pool: RunPool | AcceptedVersion, amount: Decimal, votes: Sequence[AgreeingVote]
) -> list[Share]:
    """Equal shares; units that do not divide go to the first votes by the id of their work."""
    payable = _payable(reader, votes)
    amounts = split(amount, len(payable)) if payable else []
    return [
        Share(
            account_id=vote.account_id,
            token=pool.token,
            amount=share,
            role="validator",
            campaign_id=pool.campaign_id,
            run_id=pool.run_id,
            record_id=vote.record_id,
            version=vote.version,
            verdict="accept" if vote.verdict else "reject",
            why="the vote agreed with the decision",
        )
        for vote, share in zip(payable, amounts, strict=True)
        if share
    ]


def share_pool(tx: Tx, pool: RunPool, votes: Sequence[AgreeingVote]) -> Decimal:
    """Divide the pool of a run equally among votes that agreed; returns what went to accounts.

    Call it when no record of the run can be accepted any more. Without votes the pool returns to
    the escrow.
    """
    amount = award_store.share_pool(tx, pool.run_id)
    if not amount:
        return Decimal(0)
    entries = _of_votes(tx, pool, amount, votes)
    to = _lines(entries) or [LedgerLine(pool.campaign_id, "escrow", amount)]
    why = "pool shared" if entries else "nobody to pay"
    away = LedgerLine(pool.run_id, "pool", -amount)
    ledger.post(tx, f"pool:{pool.run_id}", why, pool.token, away, *to)
    store.insert(tx, entries)
    return amount if entries else Decimal(0)


def _payable(reader: Reader, votes: Sequence[AgreeingVote]) -> list[AgreeingVote]:
    """In the order of their work, without those that have a share from an earlier pool."""
    ordered = sorted(votes, key=lambda vote: vote.work_id)
    known_as = [(v.record_id, v.version, v.account_id, v.verdict) for v in ordered]
    left_out = store.unpayable(reader, known_as)
    return [vote for place, vote in enumerate(ordered) if place not in left_out]
