"""Every table says what the roles of the API and of the workers may do with it."""

import pytest

from app.core import db
from app.core.db import rights
from app.core.db.migrate import FOLDER


@pytest.fixture(scope="module")
def stated() -> rights.StatedRights:
    return rights.stated(FOLDER)


def test_every_table_states_its_rights(database: str, stated: rights.StatedRights) -> None:
    tables = "select tablename from pg_tables where schemaname = 'public'"
    with db.reading() as reader:
        assert set(db.values(reader, tables)) == set(stated.tables)


def test_each_says_something_for_both_roles(stated: rights.StatedRights) -> None:
    assert [t for t, parts in stated.tables.items() if not parts.keys() >= set(rights.PARTS)] == []


def test_no_role_may_empty_a_table_or_refer_to_it(stated: rights.StatedRights) -> None:
    granted = " ".join(right for parts in stated.tables.values() for right in parts.values())
    assert not {"truncate", "references", "trigger", "all"} & set(granted.replace(",", "").split())


@pytest.mark.parametrize(
    ("table", "part", "right"),
    [
        ("snapshots", "worker", "delete"),  # by retention, in a function of the database
        ("gold_items", "api", "update (uses)"),  # a node asks for work, and is tested
        ("gold_answers", "api", "insert"),
    ],
)
def test_what_a_mixed_load_needs_is_granted(
    table: str, part: str, right: str, stated: rights.StatedRights
) -> None:
    assert right in stated.tables[table][part]
