"""A database that says nothing at all is given up, though the connection to it stands."""

import psycopg
import pytest

from app.core import db
from app.core.db.connections import current_patience
from tests.patience import PATIENCE_SECONDS

HANG = "select pg_sleep(60)"


def test_a_silent_server_is_given_up_when_its_own_timeout_is_long_over(database: str) -> None:
    with db.reading() as reader:
        reader.execute("set statement_timeout = 0")
        assert reader.patience_seconds == 30.0 + db.SILENCE_SECONDS
        reader.patience_seconds = 0.1
        with pytest.raises(psycopg.OperationalError):
            reader.execute(HANG)
        assert reader.closed
    with db.reading() as reader:
        assert db.value(reader, "select 1") == 1


def test_a_wait_in_vain_for_a_connection_counts_in_what_a_block_may_take(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    db.close()
    db.open(database, size=1, wait_seconds=PATIENCE_SECONDS)
    with db.reading(), db.within(60.0):
        monkeypatch.setattr(db._pool, "timeout", 0.1)
        with pytest.raises(psycopg.OperationalError), db.reading():
            pass
        patience = current_patience.get()
    assert patience
    assert patience.left <= 59.9


def test_a_connection_of_its_own_has_the_patience_it_is_given(database: str) -> None:
    with db.connect(database, patience_seconds=7.0) as connection:
        assert connection.patience_seconds == 7.0
        connection.patience_seconds = 0.1
        with pytest.raises(psycopg.OperationalError):
            connection.execute(HANG)
    assert connection.closed


@pytest.mark.parametrize("name", ["keepalives_idle", "tcp_user_timeout"])
def test_the_kernel_ends_connections_to_a_host_that_vanished(name: str) -> None:
    assert name in psycopg.conninfo.conninfo_to_dict(db.conninfo("postgresql:///x"))
