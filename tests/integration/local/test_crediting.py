"""The operator's commands for credit and the books."""

import re
from decimal import Decimal
from typing import Any
from uuid import UUID

import psycopg
import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.domains.account.audit import store as audit_store
from app.domains.money.ledger import audit
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from app.local.doctor.database import examine_ledger
from tests import builders
from tests.databases import become_owner
from tests.integration.local.conftest import Run

EMAIL = "owner@example.org"


@pytest.fixture
def account(settings: Settings) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx, EMAIL)


def recorded(account: UUID) -> list[tuple[str, dict[str, Any]]]:
    """What the audit log of the account says of its credit."""
    with db.reading() as reader:
        events = audit_store.of_account(reader, account, "credit", None, 10)
    return [(event.action, event.facts) for event in events]


def test_a_grant_can_be_spent_is_shown_and_says_how_to_repeat_it_without_paying_twice(
    run: Run, account: UUID
) -> None:
    granted = run("credits", "grant", EMAIL, "12.50")
    with db.reading() as reader:
        assert ledger.balance(reader, LedgerAccount(account, "credit"), "USD") == Decimal("12.5")
    assert granted.stdout == f"{EMAIL}: 12.5 USD granted.\n"
    assert recorded(account) == [("credit.granted", {"amount": "12.5", "token": "USD"})]
    assert re.fullmatch(
        r"If interrupted, repeat the command with --id [0-9a-f-]{36}\. "
        r"The credit is granted once\.\n",
        granted.stderr,
    )
    assert run("credits", "list").output.split() == ["12.5", "USD", EMAIL]
    shown = run("credits", "show", EMAIL).output
    assert all(part in shown for part in ("12.5  USD     credit", "12.5 USD", "grant:"))
    audited = run("ledger", "audit")
    assert (audited.exit_code, "The ledger balances (transfers: 1)." in audited.output) == (0, True)


def test_the_lines_of_a_chat_are_told_apart(run: Run, account: UUID) -> None:
    with db.transaction() as tx:
        builders.credit(tx, account, "2")
        builders.chat_paid(tx, account, held="2", cost="0.25")
    shown = run("credits", "show", EMAIL).output
    lines = [line.split("  ")[-2].strip() for line in shown.splitlines() if "chat" in line]
    words = "returned from a chat, unused", "reserved for a chat", "chat ended"
    assert sorted(lines) == sorted([*words, "reserved for a chat"])


def test_a_grant_to_nobody_does_not_say_how_to_repeat_it(run: Run) -> None:
    refused = run("credits", "grant", "nobody@example.org", "1")
    assert (refused.exit_code, "account_not_found" in refused.stderr) == (1, True)
    assert "repeat" not in refused.stderr


def test_a_grant_that_is_repeated_by_its_id_counts_once(run: Run, account: UUID) -> None:
    id = str(ids.new())
    outputs = [run("credits", "grant", EMAIL, "1", "--id", id).output for _ in range(2)]
    other = run("credits", "grant", EMAIL, "2", "--id", id)
    with db.reading() as reader:
        assert ledger.balance(reader, LedgerAccount(account, "credit"), "USD") == 1
    assert recorded(account) == [("credit.granted", {"amount": "1", "token": "USD"})]
    assert "already granted" in outputs[1]
    assert (other.exit_code, "another grant" in other.output) == (1, True)


def test_what_is_no_amount_or_no_token_is_not_granted(run: Run, account: UUID) -> None:
    for amount in ("0", "-1", "1e3", "0.0000000001", "NaN"):
        assert run("credits", "grant", EMAIL, "--", amount).exit_code == 2, amount
    done = run("credits", "grant", EMAIL, "1", "--token", "weird token")
    assert (done.exit_code, "such as USD" in done.stderr) == (2, True)


CHANGES = {
    "entries of a token do not sum to zero": "update ledger_entries set amount = amount * 2"
    " where amount > 0",
    "balances that are not the sum of their entries": "update ledger_accounts set balance = 5"
    " where kind = 'credit'",
    "reserved or held other than by open holds": "update ledger_accounts set kind = 'held'"
    " where kind = 'credit'",
    "transfers that do not balance": "delete from ledger_entries where amount > 0",
    "entries in another token than their transfer": "update ledger_transfers set token = 'EUR'",
}


def test_books_that_somebody_changed_break_a_rule(account: UUID) -> None:
    with db.transaction() as tx:
        builders.credit(tx, account, "1")
    for rule, change in CHANGES.items():
        with db.transaction() as tx:
            become_owner(tx)
            tx.execute("set local session_replication_role = replica")  # no trigger forbids it
            tx.execute(change.encode())
            assert rule in audit.broken(tx)
            assert any(rule in finding.what for finding in examine_ledger(tx)), rule
            raise psycopg.Rollback
