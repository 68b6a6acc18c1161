"""Chats and grants move money at once, and are repeated, while connections die.

The other half of the ledger, runs and rewards, is in test_rewards.
"""

import random
from collections import Counter
from decimal import Decimal
from functools import partial
from typing import Final
from uuid import UUID

from app.core import db, ids
from app.core.amounts import UNIT
from app.core.db import value
from app.domains.money.ledger import audit, audit_store
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from tests import wired
from tests.fault import money, report

OPERATIONS: Final = 100_000
SHORT: Final = 1_000
TOKEN: Final = "USD"
PAYERS, PROVIDERS = [[ids.new() for _ in range(n)] for n in (6, 4)]
FUNDED: Final = PAYERS[:-1]
"""The last payer is never granted anything, so that some holds are refused however chance falls."""
GRANTS: Final = [ids.new() for _ in range(400)]
RECENT: Final = 40
WANTED: Final = ("begun", "captured", "settled", "voided", "short", "repeated")

CHATS: Final = {
    **audit_store.BOOKS,
    "grants posted other than once": """
        select count(*) from (
            select 1 from ledger_transfers where starts_with(key, 'grant:')
            group by key having count(*) > 1) double
        """,
    "closed holds whose transfers are not what they held": """
        select count(*) from ledger_holds hold where state = 'closed' and amount <> (
            select coalesce(sum(-entry.amount), 0)
            from ledger_entries entry join ledger_transfers on ledger_transfers.id = transfer_id
            where account_id = held_id and entry.amount < 0
              and split_part(key, ':', 2) = hold.id::text)
        """,
    "providers paid other than by settled chats": """
        select count(*) from (select 1) one
        where (select coalesce(sum(balance), 0) from ledger_accounts
               where kind in ('available', 'fees'))
           <> (select coalesce(sum(captured), 0) from ledger_holds)
        """,
}


def chosen(chats: list[tuple[UUID, UUID]], rng: random.Random) -> money.Operation:
    """`chats` are those begun so far, with who pays; the newest of them are worked on."""
    kind, payer = rng.random(), rng.choice(PAYERS)
    if kind < 0.05:
        return partial(grant, rng.choice(GRANTS))
    if kind < 0.40:
        chat = ids.new()
        chats.append((chat, payer))
        return partial(begin, chat, payer, _units(rng, 30_000_000_000))
    chat, payer = rng.choice(chats[-RECENT:]) if chats else (ids.new(), payer)
    if kind < 0.65:
        return partial(capture, chat, rng.randrange(4))
    if kind < 0.85:
        return partial(settle, chat, payer, rng.choice(PROVIDERS))
    return partial(void, chat, payer)


def _units(rng: random.Random, most: int) -> Decimal:
    return Decimal(rng.randrange(1, most)) * UNIT


def grant(id: UUID) -> str:
    """Each is of the same account and amount whoever repeats it."""
    with db.transaction() as tx:
        amount = _units(random.Random(str(id)), 90_000_000_000)
        granted = ledger.grant(tx, id, FUNDED[id.int % len(FUNDED)], TOKEN, amount)
    return "granted" if granted else "granted before"


def begin(chat: UUID, payer: UUID, most: Decimal) -> str:
    source, held = LedgerAccount(payer, "credit"), LedgerAccount(payer, "held")
    with db.transaction() as tx:
        begun = ledger.hold(tx, chat, f"hold:{chat}", "chat", TOKEN, source, held, most)
    return "begun" if begun else "begun before"


def capture(chat: UUID, part: int) -> str:
    amount = _units(random.Random(f"{chat} {part}"), 9_000_000_000)
    line = LedgerLine(PROVIDERS[part], "available", amount)
    try:
        with db.transaction() as tx:
            taken = ledger.capture(tx, chat, f"part:{chat}:{part}", "part", line)
    except LookupError:
        return "never begun"
    return "captured" if taken else "too late to capture"


def settle(chat: UUID, payer: UUID, provider: UUID) -> str:
    cost = _units(random.Random(str(chat)), 9_000_000_000)
    fee = cost.quantize(Decimal("0.001"), "ROUND_DOWN") / 10
    lines = LedgerLine(provider, "available", cost - fee), LedgerLine(ledger.FEES, "fees", fee)
    rest = LedgerAccount(payer, "credit")
    try:
        with db.transaction() as tx:
            settled = ledger.settle(tx, chat, f"settle:{chat}", "chat", *lines, rest=rest)
    except LookupError:
        return "never begun"
    except ledger.HoldExceeded:
        return "beyond the hold"
    return "settled" if settled else "settled before"


def void(chat: UUID, payer: UUID) -> str:
    try:
        with db.transaction() as tx:
            left = ledger.release(tx, chat, f"void:{chat}", "void", LedgerAccount(payer, "credit"))
    except LookupError:
        return "never begun"
    return "nothing to void" if not left else "voided"


def test_the_books_stay_exact_whatever_dies(database: str, long: bool) -> None:
    for id in GRANTS[:40]:
        grant(id)
    operations = OPERATIONS if long else SHORT
    counts = money.besieged(partial(chosen, []), operations, database, WANTED)
    report.notes.append(_summary(operations, counts))
    with db.transaction() as tx:
        with wired.instead(audit.RULES, CHATS):
            assert audit.broken(tx) == {}
        posted = int(value(tx, "select count(*) from ledger_transfers"))
    assert counts["deadlock"] == 0, counts
    assert posted >= counts["begun"] + counts["captured"] + counts["settled"] + counts["voided"]


def _summary(operations: int, counts: Counter[str]) -> str:
    shown = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return f"Chats, {operations} operations in {money.THREADS} threads: {shown}"
