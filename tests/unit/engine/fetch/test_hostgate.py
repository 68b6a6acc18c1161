"""One request at a time to a host and a pause in between: in a process, and through Redis."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import fakeredis
import pytest
from redis.exceptions import ConnectionError as RedisAway

from app.core.redis.host_turns import RedisHostGate
from app.engine.fetch import LocalGate
from app.engine.fetch.politeness import HostGate
from tests import pace
from tests.patience import PATIENCE_SECONDS


def soon(seconds: float = PATIENCE_SECONDS) -> float:
    return time.monotonic() + seconds


@pytest.fixture
def server() -> fakeredis.FakeServer:
    return fakeredis.FakeServer()


def gate(server: fakeredis.FakeServer, lease_seconds: float = 60.0) -> RedisHostGate:
    """A gate as another process would have it: its own client, its own fallback."""
    redis = fakeredis.FakeRedis(server=server)
    return RedisHostGate(redis, LocalGate(), lease_seconds=lease_seconds)


Another = Callable[[], HostGate]


@pytest.fixture(params=["of one process", "through Redis"])
def another(request: pytest.FixtureRequest, server: fakeredis.FakeServer) -> Another:
    """A gate to the same hosts, for each who asks."""
    local = LocalGate()
    return partial(gate, server) if request.param == "through Redis" else lambda: local


def test_no_two_have_the_same_hosts_turn(another: Another) -> None:
    inside, overlaps = threading.Semaphore(1), []

    def work(_: int) -> None:
        mine = another()
        for _ in range(3):
            with mine.turn("a", 0.0, soon()):
                overlaps.append(not inside.acquire(blocking=False))
                inside.release()

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(work, range(3)))
    assert overlaps == [False] * 9


def test_a_host_rests_after_a_turn_for_everybody(another: Another) -> None:
    with another().turn("a", 0.2, soon()):
        pass
    ended = time.monotonic()
    with another().turn("a", 0.0, soon()):
        assert time.monotonic() - ended >= 0.15


def test_another_host_need_not_wait(another: Another) -> None:
    with another().turn("a", 60.0, soon()), another().turn("b", 0.0, soon(0.05)):
        pass
    with another().turn("b", 0.0, soon(0.05)):
        pass


def test_a_turn_that_does_not_come_in_time_is_a_timeout(another: Another) -> None:
    late = another().turn("a", 0.0, soon(0.15))
    with another().turn("a", 0.0, soon()), pytest.raises(TimeoutError), late:
        pass


def test_a_rest_longer_than_the_deadline_is_not_waited_for(another: Another) -> None:
    another().defer("a", 60.0)
    begun = pace.seconds()
    with pytest.raises(TimeoutError), another().turn("a", 0.0, soon(30.0)):
        pass
    assert pace.seconds() - begun < 1.0


def test_the_end_of_a_turn_does_not_shorten_a_rest_that_was_asked_for(another: Another) -> None:
    with another().turn("a", 0.1, soon()):
        another().defer("a", 60.0)
    with pytest.raises(TimeoutError), another().turn("a", 0.0, soon(0.2)):
        pass


def test_a_failing_turn_is_given_back(another: Another) -> None:
    with pytest.raises(ValueError, match="broken"), another().turn("a", 0.0, soon()):
        raise ValueError("broken")
    with another().turn("a", 0.0, soon(0.05)):
        pass


def test_hosts_that_rest_no_more_are_forgotten() -> None:
    gate = LocalGate()
    for number in range(3000):
        with gate.turn(f"host-{number}", 0.0, soon()):
            pass
    assert len(gate._hosts) <= 1025


def test_waiting_for_a_rest_keeps_nobody_out_once_it_is_over(server: fakeredis.FakeServer) -> None:
    gate(server).defer("a", 0.1)
    with gate(server).turn("a", 0.0, soon()):
        pass


def test_a_turn_whose_holder_died_ends_with_its_lease(server: fakeredis.FakeServer) -> None:
    gate(server, lease_seconds=0.1).turn("a", 0.0, soon()).__enter__()
    with gate(server).turn("a", 0.0, soon()):
        pass


def test_a_holder_that_overslept_does_not_take_the_turn_of_the_next(
    server: fakeredis.FakeServer,
) -> None:
    slow = gate(server, lease_seconds=0.1).turn("a", 0.0, soon())
    slow.__enter__()
    with gate(server).turn("a", 0.0, soon()):
        slow.__exit__(None, None, None)
        with pytest.raises(TimeoutError), gate(server).turn("a", 0.0, soon(0.15)):
            pass


def test_without_redis_this_process_is_still_paced(server: fakeredis.FakeServer) -> None:
    server.connected = False
    alone = gate(server)
    with (
        alone.turn("a", 0.0, soon()),
        pytest.raises(TimeoutError),
        alone.turn("a", 0.0, soon(0.05)),
    ):
        pass
    alone.defer("a", 60.0)
    with pytest.raises(TimeoutError), alone.turn("a", 0.0, soon(0.05)):
        pass


def test_redis_going_away_within_a_turn_does_not_fail_it(server: fakeredis.FakeServer) -> None:
    with gate(server).turn("a", 0.0, soon()):
        server.connected = False
    with pytest.raises(RedisAway):
        fakeredis.FakeRedis(server=server).ping()
