"""Pools of workers by queue: a flood of one queue holds no place of another's pool."""

from collections.abc import Iterator

import pytest

from app.core import db
from app.local.embedded.postgres import Postgres
from app.local.embedded.supervisor import Program
from tests import servers
from tests.fault import load as loads
from tests.fault import report, work
from tests.fault.load import Load
from tests.scale.stage import await_workers, ended_by, queues_of, stage

pytestmark = pytest.mark.scale

FLOOD, OWN = 150, 10
"""Jobs of a second each, in two places; and jobs that take no time."""

WAITING = "select count(*) from jobs where queue = 'test' and state = 'queued'"


@pytest.fixture(scope="module")
def pools() -> Iterator[tuple[Program, Program]]:
    """The pool of a flooded queue, and one of a queue with little to do."""
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log", durable=False) as postgres,
        servers.redis() as redis,
        stage(home, postgres.url(), redis.url()) as built,
    ):
        flooded = built.worker("flooded", queues=work.QUEUE)
        own = built.worker("own", queues=work.ASIDE_QUEUE)
        built.dispatcher()
        await_workers("flooded", "own")
        yield flooded, own


def test_a_flood_of_one_queue_leaves_the_pool_of_another_to_its_own_jobs(
    pools: tuple[Program, Program],
) -> None:
    flooded, own = pools
    load = Load()
    for _ in range(FLOOD):
        load.submit_one(seconds=1.0)
    servers.until(lambda: queues_of(flooded) == {work.QUEUE})
    for _ in range(OWN):
        load.submit_one(work.ASIDE)
    servers.until(lambda: ended_by(own) == OWN)
    waiting = int(loads.read(lambda tx: db.value(tx, WAITING)))
    report.notes.append(
        f"pools by queue: {OWN} jobs of one ended while {waiting} of {FLOOD} of another waited"
    )
    assert waiting > 0
    assert (queues_of(flooded), queues_of(own)) == ({work.QUEUE}, {work.ASIDE_QUEUE})
