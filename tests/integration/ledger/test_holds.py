"""Holds: set aside once, captured within what they have, closed once."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from uuid import UUID

import psycopg
import pytest

from app.core import db, ids
from app.core.db import Tx
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from tests import builders

CAMPAIGN, RUN, WORKER = UUID(int=101), UUID(int=102), UUID(int=103)
ESCROW, RESERVED = LedgerAccount(CAMPAIGN, "escrow"), LedgerAccount(CAMPAIGN, "reserved")


def reserve(tx: Tx, amount: str, run: UUID = RUN) -> bool:
    key = f"reserve:{run}"
    return ledger.hold(tx, run, key, "reserve", "USD", ESCROW, RESERVED, Decimal(amount))


def reward(amount: str) -> LedgerLine:
    return LedgerLine(WORKER, "pending", Decimal(amount))


def at(tx: Tx, account: LedgerAccount) -> Decimal:
    return ledger.balance(tx, account, "USD")


@pytest.fixture
def funded(tx: Tx) -> Tx:
    """A campaign with 10 USD in escrow, of which a run holds 6."""
    fund(tx)
    reserve(tx, "6")
    return tx


def fund(tx: Tx) -> None:
    builders.credit(tx, CAMPAIGN, "10")
    lines = (
        LedgerLine(CAMPAIGN, "credit", Decimal(-10)),
        LedgerLine(CAMPAIGN, "escrow", Decimal(10)),
    )
    ledger.post(tx, "fund:1", "fund", "USD", *lines)


def test_a_hold_sets_aside_once(funded: Tx) -> None:
    assert (at(funded, ESCROW), at(funded, RESERVED)) == (4, 6)
    assert not reserve(funded, "6")
    assert at(funded, RESERVED) == 6


def test_a_hold_draws_on_nothing_that_is_not_there(funded: Tx) -> None:
    with pytest.raises(ledger.InsufficientCredit):
        reserve(funded, "4.000000001", ids.new())
    assert at(funded, ESCROW) == 4


def test_a_part_is_captured_once(funded: Tx) -> None:
    for _ in range(2):
        assert ledger.capture(funded, RUN, "reward:1", "reward", reward("5"))
        assert (at(funded, RESERVED), at(funded, LedgerAccount(WORKER, "pending"))) == (1, 5)
    assert at(funded, ESCROW) == 4
    with pytest.raises(ledger.KeyReused):
        ledger.capture(funded, RUN, "reward:1", "reward", reward("1"))


def test_capturing_the_last_and_no_more_than_that_closes_the_hold(funded: Tx) -> None:
    assert ledger.capture(funded, RUN, "reward:0", "reward", reward("0"))
    assert not ledger.capture(funded, RUN, "reward:1", "reward", reward("6.000000001"))
    assert at(funded, RESERVED) == 6
    assert ledger.capture(funded, RUN, "reward:1", "reward", reward("6"))
    assert not ledger.capture(funded, RUN, "reward:2", "reward", reward("0.1"))
    assert ledger.release(funded, RUN, "release:1", "release", ESCROW) == 0


def test_a_capture_does_not_give(funded: Tx) -> None:
    with pytest.raises(psycopg.errors.InvalidParameterValue, match="positive"):
        ledger.capture(funded, RUN, "reward:1", "reward", reward("-1"))


def test_what_is_left_is_released_once(funded: Tx) -> None:
    ledger.capture(funded, RUN, "reward:1", "reward", reward("1.5"))
    assert ledger.release(funded, RUN, "release:1", "release", ESCROW) == Decimal("4.5")
    assert ledger.release(funded, RUN, "release:1", "release", ESCROW) is None
    assert (at(funded, ESCROW), at(funded, RESERVED)) == (Decimal("8.5"), 0)


def test_settling_is_one_transfer_with_the_rest(funded: Tx) -> None:
    to = reward("4"), LedgerLine(ledger.FEES, "fees", Decimal("0.5"))
    assert ledger.settle(funded, RUN, "settle:1", "settle", *to, rest=ESCROW)
    assert not ledger.settle(funded, RUN, "settle:1", "settle", *to, rest=ESCROW)
    lines = {
        (entry.kind, entry.amount)
        for entry in store.entries(funded, [CAMPAIGN, WORKER, ledger.FEES], None, 4)
        if entry.key == "settle:1"
    }
    expected = {("pending", "4"), ("fees", "0.5"), ("escrow", "1.5"), ("reserved", "-6")}
    assert lines == {(kind, Decimal(amount)) for kind, amount in expected}
    assert at(funded, LedgerAccount(WORKER, "pending")) == 4


def test_settling_beyond_the_hold_is_an_error(funded: Tx) -> None:
    with pytest.raises(ledger.HoldExceeded):
        ledger.settle(funded, RUN, "settle:1", "settle", reward("7"), rest=ESCROW)


def test_a_hold_that_is_not_there_is_missed(funded: Tx) -> None:
    with pytest.raises(LookupError):
        ledger.capture(funded, ids.new(), "reward:1", "reward", reward("1"))
    with pytest.raises(LookupError):
        ledger.release(funded, ids.new(), "release:1", "release", ESCROW)


def test_closing_with_the_key_of_something_else_is_an_error(funded: Tx) -> None:
    with pytest.raises(psycopg.errors.UniqueViolation):
        ledger.release(funded, RUN, "fund:1", "release", ESCROW)


def test_captures_beside_a_release_take_no_more_than_was_held(database: str) -> None:
    with db.transaction() as tx:
        fund(tx)
        reserve(tx, "6")

    def act(n: int) -> Decimal:
        with db.transaction() as tx:
            if n == 4:
                return ledger.release(tx, RUN, "release:1", "release", ESCROW) or Decimal(0)
            return Decimal(ledger.capture(tx, RUN, f"reward:{n}", "reward", reward("1")))

    with ThreadPoolExecutor(8) as crowd:
        moved = sum(crowd.map(act, range(8)), Decimal(0))
    with db.transaction() as tx:
        assert (moved, at(tx, RESERVED)) == (6, 0)
