"""Every test here has a database; those that ask for them have tables for hooks and results."""

from collections.abc import Iterator

import pytest
import redis

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs import kinds
from tests.databases import become_owner
from tests.integration.jobs import rows
from workers.queue.dispatcher import Dispatcher


@pytest.fixture(autouse=True)
def _database(database: str) -> None:
    """Which `db.transaction()` uses."""


@pytest.fixture
def tables(database: str) -> None:
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("create table ended (job_id uuid primary key, state text not null)")
        tx.execute("create table results (job_id uuid not null)")
        tx.execute("grant all on ended, results to public")  # hooks run as the role of their part


@pytest.fixture
def new_files(database: str) -> None:
    """For `jobs`: rows that tests before have deleted cost pages as long as they lie there."""
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("truncate jobs cascade")


@pytest.fixture
def broker(redis_url: str, redis_client: redis.Redis) -> redis.Redis:
    return redis_client


@pytest.fixture
def dispatcher(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dispatcher]:
    monkeypatch.setattr(kinds, "queues", lambda: [rows.QUEUE])
    dispatcher = Dispatcher(settings)
    yield dispatcher
    dispatcher.listener.close()
    dispatcher.redis.close()
