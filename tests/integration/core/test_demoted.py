"""A server that cannot be written to any more is no primary: its connections are dropped."""

from collections.abc import Iterator

import psycopg
import pytest

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from tests.databases import become_owner


@pytest.fixture
def read_only(settings: Settings) -> Iterator[None]:
    """Whatever connects from now on finds a replica, or what looks like one."""
    name = psycopg.conninfo.conninfo_to_dict(settings.database_url)["dbname"]
    with psycopg.connect(settings.database_url, autocommit=True) as owner:
        owner.execute(f'alter database "{name}" set default_transaction_read_only = on')
        yield
        owner.execute("set default_transaction_read_only = off")
        owner.execute(f'alter database "{name}" reset default_transaction_read_only')


def write(tx: Tx) -> None:
    become_owner(tx)
    tx.execute("create table written (at timestamptz)")


@pytest.mark.usefixtures("database")
def test_a_connection_to_a_demoted_server_is_an_operational_error_once() -> None:
    with db.reading() as reader:
        reader.execute("set default_transaction_read_only = on")
    with pytest.raises(db.Demoted), db.transaction() as tx:
        write(tx)
    with db.transaction() as tx:
        write(tx)
        tx.execute("drop table written")


@pytest.mark.usefixtures("read_only")
def test_a_replica_is_not_taken_for_the_primary(settings: Settings) -> None:
    with pytest.raises(psycopg.OperationalError, match="read-only"):
        db.connect(settings.database_url, role=None)
