"""Every table says how long it keeps its rows."""

import pytest

from app.core import db
from app.core.config import Settings
from workers import retention
from workers.retention import WithOwner


@pytest.fixture
def tables(database: str) -> set[str]:
    with db.reading() as reader:
        return set(db.values(reader, "select tablename from pg_tables where schemaname = 'public'"))


def test_every_table_has_a_rule_of_retention(tables: set[str], settings: Settings) -> None:
    missing = tables - set(retention.rules(settings))
    assert not missing, f"add a line to `rules` in workers/retention.py for {sorted(missing)}"


def test_every_rule_of_retention_is_for_a_table(tables: set[str], settings: Settings) -> None:
    assert set(retention.rules(settings)) - tables == set()


CASCADES = """
    select conrelid::regclass::text, confrelid::regclass::text from pg_constraint
    where contype = 'f' and confdeltype = 'c'
    """


def test_rows_that_go_with_their_owner_are_deleted_by_a_foreign_key(settings: Settings) -> None:
    with db.reading() as reader:
        cascades = set(reader.execute(CASCADES).fetchall())
    declared = {
        (table, rule.owner)
        for table, rule in retention.rules(settings).items()
        if isinstance(rule, WithOwner) and rule.by == WithOwner.by
    }
    assert declared - cascades == set()
