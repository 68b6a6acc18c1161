"""What doctor says of connections to Postgres."""

from dataclasses import replace

import pytest

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs.operations import worker_store
from app.local.doctor import database


@pytest.mark.usefixtures("database")
def test_pools_that_postgres_has_no_room_for_beside_workers_are_warned_of(
    settings: Settings,
) -> None:
    with db.transaction() as tx:
        worker_store.beat(tx, worker_store.Beat("host:1", "host:one", ["searches"], 4, "0.1"))
        small, large = (
            database.examine_connections(tx, replace(settings, database_pool_size=size))
            for size in (2, 1_000)
        )
    assert small.verdict == "ok"
    assert "9 for workers and dispatchers" in small.what
    assert large.verdict == "warn"
    assert "2000 wanted" in large.what
