"""Redis fails over by its Sentinels while work goes on."""

import signal
import time
from collections.abc import Callable, Iterator

import pytest
import redis

from app.core import ids
from app.core.redis import events
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.fault import report
from tests.fault.load import Load, settle
from tests.scale.redis_servers import Group, Server
from tests.scale.stage import Stage, await_done, await_workers, clear, stage

pytestmark = pytest.mark.scale

"""A Sentinel that was not run for two seconds mistrusts its clock, and does nothing for thirty."""


@pytest.fixture(scope="module")
def running(redis_group: Group) -> Iterator[Stage]:
    with (
        servers.folder() as home,
        Postgres(home / "pg", log=home / "pg.log", durable=False) as postgres,
        stage(home, postgres.url(), redis_group.url) as built,
    ):
        for name in ("worker0", "worker1"):
            built.worker(name)
        built.dispatcher()
        await_workers("worker0", "worker1")
        yield built


def replaced(group: Group, former: Server, strike: Callable[[], None]) -> None:
    """Strike, and return when the other server is the primary and all Sentinels know."""
    other = group.other(former)
    servers.until(lambda: group.can_replace(other))
    strike()
    servers.until(lambda: group.is_elected(other))


def test_nothing_is_lost_or_doubled_when_the_primary_dies_under_load(
    running: Stage, redis_group: Group, short: bool
) -> None:
    clear()
    load, times = Load(), 1 if short else 4
    began = time.monotonic()
    for _ in range(times):
        load.submit(120 if short else 500)
        former = redis_group.primary()
        replaced(redis_group, former, former.kill)
        load.submit(120 if short else 500)
        former.start(redis_group.other(former))
        servers.until(lambda former=former: former.role() == "slave")
    await_done()
    tally = settle(load.submitted)
    report.rows.append(
        report.Row("Redis primary SIGKILL, Sentinel elects", times, tally, time.monotonic() - began)
    )
    assert tally.good, tally
    for name in ("worker0", "worker1", "dispatcher"):
        assert redis_group.password not in running.log(name)


@pytest.mark.usefixtures("long_form")
def test_a_primary_that_hangs_and_comes_back_as_a_replica_takes_nothing_with_it(
    running: Stage, redis_group: Group
) -> None:
    """It holds messages that nobody sees any more, and connections of workers that wait."""
    clear()
    load, times = Load(), 2
    began = time.monotonic()
    for _ in range(times):
        load.submit(500)
        former = redis_group.primary()
        replaced(redis_group, former, lambda former=former: former.kill(signal.SIGSTOP))
        load.submit(500)
        former.kill(signal.SIGCONT)
        servers.until(lambda former=former: former.role() == "slave")
        load.submit(50)
    await_done()
    tally = settle(load.submitted)
    report.rows.append(
        report.Row("Redis primary hangs, is demoted", times, tally, time.monotonic() - began)
    )
    assert tally.good, tally


@pytest.mark.usefixtures("long_form")
def test_a_client_writes_to_the_new_primary_though_the_former_still_answers(
    redis_group: Group,
) -> None:
    client = events.connect(redis_group.url)
    client.set("citegrid:seen", 1)
    former = redis_group.primary()
    replaced(redis_group, former, lambda: former.kill(signal.SIGSTOP))
    former.kill(signal.SIGCONT)
    servers.until(lambda: former.role() == "slave")

    def is_written() -> bool:
        try:
            return bool(client.set("citegrid:seen", 2))
        except redis.RedisError:
            return False

    servers.until(is_written)
    with redis_group.other(former).client(password=redis_group.password) as other:
        assert other.get("citegrid:seen") == b"2"


@pytest.mark.usefixtures("long_form")
def test_a_listener_follows_the_primary(redis_group: Group) -> None:
    listener = events.Listener(events.connect(redis_group.url))
    publisher = events.Publisher(events.connect(redis_group.url))
    job = ids.new()

    def is_woken() -> bool:
        with listener.watching(job) as event:
            publisher.moved([job])
            return event.wait(0.1)

    servers.until(is_woken)
    former = redis_group.primary()
    replaced(redis_group, former, former.kill)
    servers.until(is_woken)
