"""Every table says how long it keeps its rows."""

from pathlib import Path

import pytest

from app.core import db
from app.core.config.settings import Settings
from bench.capacity import bounds
from workers.housekeeping import retention
from workers.housekeeping.retention import Expires, WithOwner

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "capacity.md"


def test_every_table_has_a_rule_of_retention(tables: set[str], settings: Settings) -> None:
    missing = tables - set(retention.rules(settings))
    assert not missing, (
        f"add a line to `rules` in workers/housekeeping/retention.py for {sorted(missing)}"
    )


def test_every_rule_of_retention_is_for_a_table(tables: set[str], settings: Settings) -> None:
    assert set(retention.rules(settings)) - tables == set()


def test_the_page_says_what_bounds_each_table() -> None:
    """Else: make docs"""
    assert bounds.table() in PAGE.read_text()


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


VACUUMED_LATE = """
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relname = any(%(tables)s) and not exists (
        select from unnest(reloptions) as option
        where option like 'autovacuum_vacuum_scale_factor=%%'
          and split_part(option, '=', 2)::float <= 0.05
    )
    """


@pytest.mark.usefixtures("database")
def test_what_retention_deletes_is_vacuumed_before_it_gets_in_the_way(settings: Settings) -> None:
    """Else: create table ... with (autovacuum_vacuum_scale_factor = 0.02)"""
    rules = retention.rules(settings).items()
    expiring = [table for table, rule in rules if isinstance(rule, Expires)]
    with db.reading() as reader:
        assert not db.values(reader, VACUUMED_LATE, tables=expiring)
