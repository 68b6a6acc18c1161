"""What doctor says of connections to Postgres."""

from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs.operations import worker_store
from app.local.doctor import database


@pytest.mark.usefixtures("database")
def test_workers_that_are_there_leave_so_many_for_web_processes(settings: Settings) -> None:
    with db.transaction() as tx:
        worker_store.beat(tx, worker_store.Beat("host:1", "host:one", ["searches"], 4, "0.1"))
        finding = database.examine_connections(tx, replace(settings, database_pool_size=2))
    assert finding.verdict == "ok"
    assert "9 for workers and dispatchers" in finding.what


@pytest.mark.usefixtures("database")
def test_pools_that_postgres_has_no_room_for_are_warned_of(settings: Settings) -> None:
    with db.reading() as reader:
        finding = database.examine_connections(reader, replace(settings, database_pool_size=1_000))
    assert finding.verdict == "warn"
    assert "2000 wanted" in finding.what
