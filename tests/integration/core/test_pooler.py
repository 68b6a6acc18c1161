"""Doors behind a real PgBouncer in transaction mode."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress

import psycopg
import pytest

from app.core import db
from app.core.db import Reader, roles
from app.core.db.moments import one_moment
from app.core.db.pooler import PoolerFound
from tests.pgbouncer import SESSIONS, pgbouncer

STATE = "select current_user, current_setting('statement_timeout'), current_setting('jit')"
ROLE = roles.DEFAULT[0]


@pytest.fixture
def pooled(database: str) -> Iterator[str]:
    """Its URL, which the doors use."""
    db.close()
    with pgbouncer(database) as url:
        db.open(url, pooled=True, statement_timeout_seconds=7, forgetful=2, size=8)
        yield url
        db.close()


@pytest.mark.usefixtures("pooled")
def test_each_door_works_as_the_role_and_within_the_limits() -> None:
    doors: tuple[Callable[[], AbstractContextManager[Reader]], ...] = (
        db.transaction,
        db.reading,
        db.single,
        db.forgettable,
        one_moment,
    )
    for door in doors:
        with door() as connection:
            assert connection.execute(STATE).fetchone() == (ROLE, "7s", "off"), door


def test_nothing_is_left_for_the_next_client_of_a_session(pooled: str) -> None:
    with db.forgettable() as tx:
        tx.execute("select 1")
    with psycopg.connect(pooled, autocommit=True) as other:
        for _ in range(2 * SESSIONS):
            state = other.execute(f"{STATE}, current_setting('enable_seqscan')").fetchone()
            assert state == ("postgres", "0", "on", "on")


@pytest.mark.usefixtures("pooled")
def test_what_fails_is_rolled_back_and_what_ends_is_kept() -> None:
    with db.single() as tx:
        tx.execute("insert into dispatchers (id) values ('kept')")
    with suppress(psycopg.errors.DivisionByZero), db.transaction() as tx:
        tx.execute("insert into dispatchers (id) values ('undone')")
        tx.execute("select 1 / 0")
    with db.reading() as reader:
        assert db.values(reader, "select id from dispatchers") == ["kept"]


@pytest.mark.usefixtures("pooled")
def test_more_clients_than_sessions_repeat_statements_at_once() -> None:
    """Statements that stay prepared would be missing in another session, or be there already."""
    failures: list[psycopg.Error] = []
    together = threading.Barrier(2 * SESSIONS)

    def ask() -> None:
        together.wait()
        try:
            for number in range(30):
                with db.transaction(pipeline=number % 2 == 0) as tx:
                    assert db.value(tx, "select %(number)s::int", number=number) == number
        except psycopg.Error as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(2 * SESSIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


@pytest.mark.parametrize("ignored", ["", "options"])
def test_a_pooler_that_nobody_has_named_is_refused_with_the_remedy(
    database: str, ignored: str
) -> None:
    with pgbouncer(database, ignored) as url, pytest.raises(PoolerFound) as refused:
        db.require_role(url, roles.DEFAULT)
    assert "set DATABASE_DIRECT_URL" in str(refused.value)


def test_a_command_that_meets_a_pooler_shows_the_remedy(database: str) -> None:
    with pgbouncer(database) as url, pytest.raises(psycopg.OperationalError) as refused:
        db.connect(url, role=None)
    assert "set DATABASE_DIRECT_URL" in db.summary(refused.value)
