"""Every table says what the roles of the API and of the workers may do with it, and that suffices
for every statement that the code of each sends.
"""

import psycopg
import pytest

from app.core import db
from app.core.db import rights
from app.core.db.migrate import FOLDER
from tests import parts
from tests.statements import statements, with_nulls

OF_OPERATORS = {
    "app.core.db.migrate._RECORD",
    "app.domains.account.accounts.sign_in.peppers.KEEP",
    "app.domains.account.accounts.sign_in.peppers.MOVED",
    "app.domains.library.sources.store.DELETE",
    "app.domains.library.sources.store.PUT",
    "app.domains.own_data.personal_data.secret_rotation.OF_FORMER_KEY",
    "app.domains.own_data.personal_data.secret_rotation.RESEAL",
    "app.domains.providers.providers.store.DISABLE",
    "app.domains.providers.providers.store.ENABLE",
    "app.domains.search.memories.store.WRAP",
}
"""Statements that only commands of operators send: no process of the service may."""


@pytest.fixture(scope="module")
def stated() -> rights.StatedRights:
    return rights.stated(FOLDER)


def test_every_table_states_its_rights(tables: set[str], stated: rights.StatedRights) -> None:
    assert tables == set(stated.tables)


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


def _refused(database: str, role: str, sent: dict[str, str]) -> set[str]:
    """The statements that the database would refuse this role, without sending one.

    It says so as soon as it understands them, for which most need no parameters.
    """
    refused, not_understood = set(), set()
    with db.connect(database, role=(role,)) as connection:
        for name, text in sent.items():
            try:
                connection.execute(f"explain {with_nulls(text)}")  # type: ignore[arg-type]
            except psycopg.errors.InsufficientPrivilege:
                refused.add(name)
            except psycopg.Error:
                not_understood.add(name)
    assert len(not_understood) < len(sent) / 20, sorted(not_understood)
    return refused


def test_every_statement_may_be_sent_by_a_part_of_the_service(database: str) -> None:
    sent = statements()
    of_api = _refused(database, parts.API, sent)
    assert of_api & _refused(database, parts.WORKER, sent) == OF_OPERATORS
