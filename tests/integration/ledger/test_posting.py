"""One transfer: all of its lines or none, once, never below zero."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import UUID

import psycopg
import pytest

from app.core import db, ids
from app.core.db import Tx
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store
from app.domains.money.ledger.store import Balance, LedgerAccount, LedgerLine
from tests import builders


@pytest.fixture
def funder(tx: Tx) -> UUID:
    """An owner with 10 USD of credit."""
    id = ids.new()
    builders.credit(tx, id, "10")
    return id


def move(owner: UUID, amount: str, to: UUID, kind: str = "escrow") -> tuple[LedgerLine, LedgerLine]:
    return LedgerLine(owner, "credit", -Decimal(amount)), LedgerLine(to, kind, Decimal(amount))


def test_a_transfer_moves_what_its_lines_say_once(tx: Tx, funder: UUID) -> None:
    campaign = ids.new()
    lines = move(funder, "2.5", campaign)
    assert ledger.post(tx, "fund:1", "fund", "USD", *lines)
    assert not ledger.post(tx, "fund:1", "fund", "USD", *reversed(lines))
    assert ledger.balance(tx, LedgerAccount(funder, "credit"), "USD") == Decimal("7.5")
    assert ledger.balance(tx, LedgerAccount(campaign, "escrow"), "USD") == Decimal("2.5")


@pytest.mark.parametrize(
    ("token", "amount", "kind"),
    [("USD", "5", "escrow"), ("EUR", "6", "escrow"), ("USD", "6", "held")],
)
def test_a_key_with_other_lines_is_an_error(
    tx: Tx, funder: UUID, token: str, amount: str, kind: str
) -> None:
    campaign = ids.new()
    builders.credit(tx, funder, "10", "EUR")
    ledger.post(tx, "fund:1", "fund", "USD", *move(funder, "6", campaign))
    with pytest.raises(ledger.KeyReused):
        ledger.post(tx, "fund:1", "fund", token, *move(funder, amount, campaign, kind))


def test_nothing_goes_below_zero_and_the_transaction_can_go_on(tx: Tx, funder: UUID) -> None:
    with pytest.raises(ledger.InsufficientCredit):
        ledger.post(tx, "fund:1", "fund", "USD", *move(funder, "10.000000001", ids.new()))
    assert ledger.balance(tx, LedgerAccount(funder, "credit"), "USD") == 10
    assert ledger.post(tx, "fund:1", "fund", "USD", *move(funder, "10", ids.new()))


def test_lines_of_one_account_are_added_up_and_zeros_left_out(tx: Tx, funder: UUID) -> None:
    voter = ids.new()
    ledger.post(
        tx,
        "pool:1",
        "share",
        "USD",
        LedgerLine(funder, "credit", Decimal(-3)),
        LedgerLine(voter, "pending", Decimal(1)),
        LedgerLine(voter, "pending", Decimal(2)),
        LedgerLine(ledger.FEES, "fees", Decimal(0)),
    )
    amounts = [entry.amount for entry in store.entries(tx, [voter, ledger.FEES], None, 10)]
    assert amounts == [3]


@pytest.mark.parametrize("amount", ["0.0000000001", "NaN", "Infinity"])
def test_what_is_no_amount_is_refused_and_not_rounded(tx: Tx, funder: UUID, amount: str) -> None:
    with pytest.raises(psycopg.errors.NumericValueOutOfRange):
        ledger.post(tx, "fund:1", "fund", "USD", *move(funder, amount, ids.new()))


def test_lines_that_do_not_balance_are_refused(tx: Tx, funder: UUID) -> None:
    with pytest.raises(psycopg.errors.CheckViolation, match="do not balance"):
        ledger.post(tx, "fund:1", "fund", "USD", LedgerLine(funder, "credit", Decimal(-1)))


def test_nobody_else_makes_money(tx: Tx, funder: UUID) -> None:
    lines = LedgerLine(funder, "world", Decimal(-1)), LedgerLine(funder, "credit", Decimal(1))
    with pytest.raises(psycopg.errors.CheckViolation, match="ledger_one_world"):
        ledger.post(tx, "fund:1", "fund", "USD", *lines)


def test_a_transfer_without_lines_cannot_be_committed(database: str) -> None:
    forged = "insert into ledger_transfers values (gen_random_uuid(), 'key', 'why', 'USD')"
    with (
        db.connect(database, role=None) as owner,
        pytest.raises(psycopg.errors.CheckViolation, match="does not balance"),
    ):
        owner.execute(forged)


WRITES = [
    "update ledger_transfers set why = 'other'",
    "delete from ledger_transfers",
    "truncate ledger_transfers cascade",
    "update ledger_entries set amount = 2 * amount",
    "delete from ledger_entries",
    "truncate ledger_entries",
    "delete from ledger_accounts",
    "truncate ledger_accounts cascade",
    "delete from ledger_holds",
    "truncate ledger_holds",
]


def test_what_was_posted_stays_even_if_the_tables_owner_writes(database: str) -> None:
    with db.connect(database, role=None) as owner:
        for statement in WRITES:
            with pytest.raises(psycopg.errors.CheckViolation, match="append-only"):
                owner.execute(statement)


FORGERIES = [
    "insert into ledger_accounts (owner, kind, token) select gen_random_uuid(), 'credit', 'USD'",
    "update ledger_accounts set balance = balance + 1",
    "insert into ledger_transfers values (gen_random_uuid(), 'key', 'why', 'USD')",
    "insert into ledger_entries values (gen_random_uuid(), gen_random_uuid(), 1, 1)",
    "insert into ledger_holds (id, held_id, amount) values (gen_random_uuid(), 1, 1)",
    "update ledger_holds set state = 'open'",
]


def test_the_service_itself_may_only_post(database: str) -> None:
    with db.connect(database) as service:
        for statement in WRITES + FORGERIES:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                service.execute(statement)


def test_entries_come_newest_first_and_page_by_their_ids(tx: Tx, funder: UUID) -> None:
    for n in range(1, 4):
        ledger.post(tx, f"fund:{n}", "fund", "USD", *move(funder, str(n), ids.new()))
    page = store.entries(tx, [funder], None, 2)
    rest = store.entries(tx, [funder], page[-1].id, 10)
    assert [entry.key for entry in page] == ["fund:3", "fund:2"]
    assert [entry.amount for entry in rest] == [-1, 10]


def test_balances_are_those_of_the_kinds_in_question(tx: Tx, funder: UUID) -> None:
    ledger.post(tx, "reward:1", "reward", "USD", *move(funder, "4", funder, "pending"))
    assert store.balances(tx, funder, "pending") == [Balance("pending", "USD", Decimal(4))]
    assert [balance.kind for balance in store.balances(tx, funder)] == ["credit", "pending"]


@pytest.fixture
def crowd() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as threads:
        yield threads


def test_of_copies_at_once_one_is_posted(database: str, crowd: ThreadPoolExecutor) -> None:
    funder, campaign = ids.new(), ids.new()
    with db.transaction() as tx:
        builders.credit(tx, funder, "10")

    def fund(_: int) -> bool:
        with db.transaction() as tx:
            return ledger.post(tx, "fund:1", "fund", "USD", *move(funder, "9", campaign))

    assert sorted(crowd.map(fund, range(16))) == [False] * 15 + [True]


def test_transfers_in_all_directions_at_once_do_not_deadlock(
    database: str, crowd: ThreadPoolExecutor
) -> None:
    owners, quarter = [ids.new() for _ in range(4)], Decimal("0.25")
    with db.transaction() as tx:
        for owner in owners:
            builders.credit(tx, owner, "10")

    def circle(n: int) -> bool:
        giver, taker = owners[n % 4], owners[(n // 4) % 4 - 1]
        lines = move(giver, "0.1", taker, "credit")
        fresh = LedgerLine(giver, "credit", -quarter), LedgerLine(taker, "pending", quarter)
        with db.transaction() as tx:
            return ledger.post(tx, f"gift:{n}", "gift", "USD", *lines, *fresh)

    results = list(crowd.map(circle, range(80)))
    with db.reading() as reader:
        sums = [each.amount for owner in owners for each in store.balances(reader, owner)]
    assert (all(results), sum(sums)) == (True, 40)
