"""Every table says what an export holds of it, and what becomes of it when an account is erased."""

import re

import pytest

from app.core import db
from app.domains.own_data.personal_data.contents import LISTINGS, MEMORIES
from app.domains.own_data.personal_data.erasure_rules import BY_THEIR_OWNER, DELETED, KEPT, NOBODYS
from app.domains.own_data.personal_data.unexported import NOT_EXPORTED

EXPORTED = {listing.table.split()[0] for listing in LISTINGS} | set(MEMORIES)
GONE = {rows.table for rows in DELETED} | set(BY_THEIR_OWNER)
OF_ACCOUNTS = """
    select distinct table_name from information_schema.columns
    where table_schema = 'public'
      and column_name in ('account_id', 'owner', 'provider_id', 'contributor_id', 'payer_id',
                          'funder_id', 'by_whom', 'requested_by', 'paused_by')
    """
SECRET = re.compile(r"digest|secret|password|wrapped|sealed|token_", re.I)


@pytest.fixture
def tables(database: str) -> set[str]:
    with db.reading() as reader:
        return set(db.values(reader, "select tablename from pg_tables where schemaname = 'public'"))


def test_every_table_is_exported_or_says_why_not(tables: set[str]) -> None:
    missing = tables - EXPORTED - set(NOT_EXPORTED)
    assert not missing, f"add a listing to personal_data/contents.py, or a reason: {missing}"


def test_every_table_says_what_becomes_of_it_when_an_account_is_erased(tables: set[str]) -> None:
    missing = tables - GONE - set(KEPT) - NOBODYS
    assert not missing, f"add to personal_data/erasures.py: {missing}"


def test_no_table_that_names_an_account_is_called_nobodys(database: str) -> None:
    with db.reading() as reader:
        assert not set(db.values(reader, OF_ACCOUNTS)) & NOBODYS


def test_no_rule_is_for_a_table_that_is_not_there(tables: set[str]) -> None:
    ruled = EXPORTED | set(NOT_EXPORTED) | GONE | set(KEPT) | NOBODYS
    assert ruled - tables == set()


def test_no_table_is_exported_and_left_out() -> None:
    assert EXPORTED & set(NOT_EXPORTED) == set()


def test_no_secret_is_among_the_columns_of_an_export() -> None:
    for listing in LISTINGS:
        assert not SECRET.search(
            listing.columns.replace("completion_tokens", "").replace("prompt_tokens", "")
        ), listing.file
