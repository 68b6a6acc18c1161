"""Campaigns are funded, run, disputed, paid out and cancelled at once, while connections die.

What is read afterwards are the invariants of money: nothing made, nothing lost, nothing twice.
"""

import random
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Final
from uuid import UUID, uuid5

from app.core import db, ids
from app.core.amounts import UNIT
from app.core.db import Tx, value
from app.domains.campaigns.rewards import award_store, maturity, payout_store, payouts, shares
from app.domains.campaigns.rewards import service as rewards
from app.domains.campaigns.rewards.payouts import InsufficientRewards, PayoutEnded, PayoutOpen
from app.domains.money.ledger import audit
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from tests.fault import money, report

OPERATIONS: Final = 100_000
SHORT: Final = 1_000
TOKEN: Final = "USD"
FUNDERS, EARNERS = [[ids.new() for _ in range(n)] for n in (4, 12)]
CAMPAIGNS: Final = [(ids.new(), FUNDERS[n % 4]) for n in range(20)]
WINDOW_HOURS: Final = 1 / 3_600
RECORDS: Final = 4
WANTED: Final = (
    *("accepted", "closed", "disputed", "upheld", "refused"),
    *("matured", "payout settled", "repeated"),
)


@dataclass(frozen=True)
class Vote:
    work_id: UUID
    account_id: UUID
    record_id: UUID
    version: int = 1
    verdict: bool = True


# Operations: each moves money in one transfer of one transaction.


def fund(campaign: UUID, funder: UUID, key: UUID, amount: Decimal) -> str:
    with db.transaction() as tx:
        lines = LedgerLine(funder, "credit", -amount), LedgerLine(campaign, "escrow", amount)
        ledger.post(tx, f"fund:{key}", "fund", TOKEN, *lines)
    return "funded"


def begin(campaign: UUID, run: UUID, amount: Decimal) -> str:
    with db.transaction() as tx:
        escrow, reserved = LedgerAccount(campaign, "escrow"), LedgerAccount(campaign, "reserved")
        ledger.hold(tx, run, f"reserve:{run}", "run", TOKEN, escrow, reserved, amount)
    return "begun"


def accept(campaign: UUID, run: UUID, record: UUID, reward: Decimal, maker: UUID | None) -> str:
    with db.transaction() as tx:
        if not begun(tx, run):
            return "no run"
        accepted = shares.accept(
            tx,
            shares.AcceptedVersion(
                campaign_id=campaign,
                run_id=run,
                record_id=record,
                version=1,
                token=TOKEN,
                reward=reward,
                contributor_id=maker,
                refreshed=maker is None,
            ),
            run,
        )
    return "accepted" if accepted else "no budget"


def begun(tx: Tx, run: UUID) -> bool:
    return bool(value(tx, "select true from ledger_holds where id = %(run)s", run=run))


def close(campaign: UUID, run: UUID, votes: list[Vote]) -> str:
    with db.transaction() as tx:
        if not begun(tx, run):
            return "no run"
        ledger.release(tx, run, f"release:{run}", "release", LedgerAccount(campaign, "escrow"))
    with db.transaction() as tx:
        shares.share_pool(tx, shares.RunPool(campaign, run, TOKEN), votes)
    return "closed"


DISPUTE: Final = """
    insert into record_disputes (id, kind, campaign_id, record_id, version, account_id, funder_id,
                                 reason, state)
    values (%(id)s, 'dispute', %(campaign)s, %(record)s, 1, %(id)s, %(id)s, 'wrong', 'open')
    on conflict do nothing returning id
    """
DECIDE: Final = """
    update record_disputes set state = %(state)s, decided_by = 'operator', decided_at = now()
    where id = (select id from record_disputes where state = 'open' and kind = 'dispute'
                order by id limit 1 for update skip locked)
    returning record_id, campaign_id
    """


class TooLate(Exception):
    """Something of the record matured."""


def dispute(campaign: UUID, record: UUID) -> str:
    try:
        with db.transaction() as tx:
            if award_store.by_version(tx, record, 1) is None:
                return "not accepted"
            given = {"id": ids.new(), "campaign": campaign, "record": record}
            if value(tx, DISPUTE, **given) is None:
                return "disputed before"
            if not rewards.freeze(tx, record, 1):
                raise TooLate
    except TooLate:
        return "too late"
    return "disputed"


def decide(upheld: bool) -> str:
    with db.transaction() as tx:
        state = "upheld" if upheld else "refused"
        row = tx.execute(DECIDE, {"state": state}).fetchone()
        if row is None:
            return "no dispute"
        if upheld:
            rewards.take_back(tx, row[0], 1, LedgerAccount(row[1], "escrow"))
        else:
            rewards.thaw(tx, row[0], 1)
    return state


def mature() -> str:
    with db.transaction() as tx:
        return "matured" if maturity.mature(tx, WINDOW_HOURS, 500) else "nothing due"


def request_payout(account: UUID, share: Decimal) -> str:
    try:
        with db.transaction() as tx:
            available = ledger.balance(tx, LedgerAccount(account, "available"), TOKEN)
            amount = (available * share).quantize(UNIT)
            if not amount:
                return "nothing available"
            payouts.request_payout(tx, account, TOKEN, amount, "wallet 7")
    except (PayoutOpen, InsufficientRewards):
        return "no payout"
    return "payout requested"


def end_payout(settle: bool) -> str:
    try:
        with db.transaction() as tx:
            requested = payout_store.requested(tx)[:1]
            if not requested:
                return "no payout open"
            id = requested[0].id
            if settle:
                payouts.settle_payout(tx, id, "T-1")
            else:
                payouts.refuse_payout(tx, id, "no such wallet")
    except PayoutEnded:
        return "payout ended before"
    return "payout settled" if settle else "payout refused"


def cancel(campaign: UUID, funder: UUID, key: UUID) -> str:
    with db.transaction() as tx:
        left = ledger.balance(tx, LedgerAccount(campaign, "escrow"), TOKEN)
        if not left:
            return "nothing left"
        lines = LedgerLine(campaign, "escrow", -left), LedgerLine(funder, "credit", left)
        # The key of a cancellation that was repeated may have been posted with what was left then.
        posted = value(tx, "select true from ledger_transfers where key = %(key)s", key=str(key))
        if not posted:
            ledger.post(tx, str(key), "cancel", TOKEN, *lines)
    return "cancelled"


def chosen(runs: list[tuple[UUID, UUID]], rng: random.Random) -> money.Operation:
    """A random operation. `runs` are those that were begun, each with its campaign."""
    campaign, funder = rng.choice(CAMPAIGNS)
    amount = Decimal(rng.randrange(1, 3_000_000_000)) * UNIT
    kind = rng.random()
    if kind < 0.10:
        return partial(fund, campaign, funder, ids.new(), amount * 5)
    if kind < 0.22 or not runs:
        run = ids.new()
        runs.append((campaign, run))
        return partial(begin, campaign, run, amount)
    campaign, run = rng.choice(runs[-40:])
    record = uuid5(run, str(rng.randrange(RECORDS)))
    if kind < 0.60:
        return partial(accept, campaign, run, record, _reward(run, record), _maker(record))
    if kind < 0.70:
        return partial(close, campaign, run, _votes(run))
    return _after(kind, campaign, funder, record, rng)


def _after(
    kind: float, campaign: UUID, funder: UUID, record: UUID, rng: random.Random
) -> money.Operation:
    if kind < 0.77:
        return partial(dispute, campaign, record)
    if kind < 0.83:
        return partial(decide, rng.random() < 0.5)
    if kind < 0.91:
        return mature
    if kind < 0.95:
        return partial(request_payout, rng.choice(EARNERS), Decimal(rng.random()))
    if kind < 0.98:
        return partial(end_payout, rng.random() < 0.7)
    return partial(cancel, campaign, funder, ids.new())


def _reward(run: UUID, record: UUID) -> Decimal:
    """Of one record always the same; the smallest pays one unit to its contributor."""
    return Decimal(random.Random(f"{run} {record}").randrange(1, 500_000_000)) * UNIT


def _maker(record: UUID) -> UUID | None:
    """Every fourth record was read by the built-in extraction."""
    return EARNERS[record.int % 6] if record.int % 4 else None


def _votes(run: UUID) -> list[Vote]:
    rng = random.Random(str(run))
    return [
        Vote(uuid5(record, str(account)), account, record)
        for record in (uuid5(run, str(n)) for n in range(RECORDS))
        for account in rng.sample(EARNERS[6:], rng.randrange(4))
    ]


def test_money_stays_exact_whatever_dies(database: str, long: bool) -> None:
    with db.transaction() as tx:
        for funder in FUNDERS:
            granted = Decimal(1_000_000)
            lines = (
                LedgerLine(ledger.WORLD, "world", -granted),
                LedgerLine(funder, "credit", granted),
            )
            ledger.post(tx, f"grant:{funder}", "grant", TOKEN, *lines)
    runs = list[tuple[UUID, UUID]]()
    operations = OPERATIONS if long else SHORT
    counts = money.besieged(partial(chosen, runs), operations, database, WANTED)
    report.notes.append(_table(operations, counts))
    with db.transaction() as tx:
        assert audit.broken(tx) == {}
    assert counts["deadlock"] == 0, counts


def _table(operations: int, counts: Counter[str]) -> str:
    shown = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return f"Rewards, {operations} operations in {money.THREADS} threads: {shown}"
