"""Connections to the database that nobody wants are closed: each is a process of the server."""

from collections.abc import Iterator

import psycopg
import pytest

from app.core import db
from tests.servers import until

THERE = "select count(*) from pg_stat_activity where pid = %s"


@pytest.fixture
def restless(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[psycopg.Connection]:
    """Watches a database to which a pool connects that soon closes what is idle."""
    monkeypatch.setattr(db, "IDLE_SECONDS", 0.1)
    db.close()
    db.open(database, forgetful=1)
    with psycopg.connect(database, autocommit=True) as watcher:
        yield watcher
    db.close()


def test_a_pool_that_was_not_used_has_no_connection(restless: psycopg.Connection) -> None:
    assert db._opened().get_stats()["pool_size"] == 0


def test_a_connection_that_nobody_wants_is_closed(restless: psycopg.Connection) -> None:
    with db.transaction() as tx:
        server = db.value(tx, "select pg_backend_pid()")
    until(lambda: restless.execute(THERE, [server]).fetchone() == (0,))
