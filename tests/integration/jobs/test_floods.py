"""What an account with little waits for while others have much waiting: its turn, and a place."""

from itertools import takewhile
from uuid import UUID

import pytest

from app.core import ids
from app.domains.queue.jobs import kinds
from tests.integration.jobs import rows
from tests.integration.jobs.pools import Pool
from workers.queue.dispatcher import Dispatcher

PLACES = 4
ASIDE = kinds.register("test.floods.aside", queue="aside-rows", deadline_seconds=60)


@pytest.fixture
def dispatcher(dispatcher: Dispatcher, monkeypatch: pytest.MonkeyPatch) -> Dispatcher:
    monkeypatch.setattr(kinds, "queues", lambda: [rows.QUEUE, ASIDE.queue])
    return dispatcher


def began_before(pool: Pool, id: UUID) -> int:
    """How many other jobs begin until this one does."""
    begun = (job.id for _ in range(200) for job in pool.turn())
    return len(list(takewhile(lambda each: each != id, begun)))


@pytest.mark.parametrize("flooding", [1, 10])
def test_a_flood_in_its_own_queue_lets_few_jobs_begin_before_a_small_accounts(
    dispatcher: Dispatcher, flooding: int
) -> None:
    rows.promise_many(accounts=flooding, jobs=2_000)
    pool, small = Pool(dispatcher, rows.QUEUE, PLACES), ids.new()
    for _ in range(20):
        pool.turn()
    for _ in range(5):
        assert began_before(pool, rows.promise(account=small)) <= flooding + 2


def test_a_flood_in_another_queue_lets_no_job_begin_before_those_of_a_pool_of_its_own(
    dispatcher: Dispatcher,
) -> None:
    rows.promise_many(accounts=10, jobs=2_000)
    pool = Pool(dispatcher, ASIDE.queue, PLACES)
    assert [began_before(pool, rows.promise(ASIDE)) for _ in range(5)] == [0] * 5
