"""Every table says what an export holds of it, and what becomes of it when an account is erased."""

import re

from app.core import db
from app.core.db.own_data import Nobodys
from app.domains.own_data.personal_data.tables import DELETED, EXPORTED, TABLES

DECLARED = [table.name for table in TABLES]
OF_ACCOUNTS = """
    select distinct table_name from information_schema.columns
    where table_schema = 'public'
      and column_name in ('account_id', 'owner', 'provider_id', 'contributor_id', 'payer_id',
                          'funder_id', 'by_whom', 'requested_by', 'paused_by')
    """
REFERENCES = """
    select conrelid::regclass::text, confrelid::regclass::text from pg_constraint
    where contype = 'f' and conrelid <> confrelid
    """
SECRET = re.compile(r"digest|secret|password|wrapped|sealed|token_", re.I)


def test_every_table_says_what_is_exported_and_what_becomes_of_it(tables: set[str]) -> None:
    missing = tables - set(DECLARED)
    assert not missing, f"declare in own_data.py of the domain that keeps it: {missing}"


def test_no_table_that_names_an_account_is_called_nobodys(database: str) -> None:
    with db.reading() as reader:
        of_accounts = set(db.values(reader, OF_ACCOUNTS))
    assert not of_accounts & {table.name for table in TABLES if Nobodys() in table.erasures}


def test_no_table_is_declared_that_is_not_there(tables: set[str]) -> None:
    assert set(DECLARED) - tables == set()


def test_no_table_is_declared_twice() -> None:
    assert len(DECLARED) == len(set(DECLARED))


def test_what_hangs_on_a_row_is_deleted_before_it(database: str) -> None:
    """Else one statement deletes more than its bound, or nothing."""
    place = {rows.table.name: n for n, rows in enumerate(DELETED)}
    with db.reading() as reader:
        pairs = reader.execute(REFERENCES).fetchall()
    too_late = [
        (row, referred)
        for row, referred in pairs
        if row in place and referred in place and place[row] > place[referred]
    ]
    assert not too_late


def test_no_secret_is_among_the_columns_of_an_export() -> None:
    for listing in EXPORTED:
        assert not SECRET.search(
            listing.export.columns.replace("completion_tokens", "").replace("prompt_tokens", "")
        ), listing.file
