"""Rate limits without Redis, and what a dead or silent one costs."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from app.core.config.settings import BadConfiguration, Settings
from app.core.errors import RateLimited
from app.core.redis import limits
from app.core.redis.guard import RedisGuard
from app.core.redis.limits import Limiter, network
from tests import pace

SETTINGS = Settings(
    database_url="",
    redis_url="",
    secret_key="x" * 32,
    rate_limit_write="2/minute",
    rate_limit_read="1/second",
    rate_limit_anonymous="2/hour",
)


@pytest.fixture(autouse=True)
def now(monkeypatch: pytest.MonkeyPatch) -> int:
    """The time, in nanoseconds; it stands still."""
    now = time.monotonic_ns()
    monkeypatch.setattr(limits.time, "monotonic_ns", lambda: now)
    return now


@pytest.fixture
def alone() -> Iterator[Limiter]:
    """A limiter whose Redis is dead."""
    with limits.connect("redis://127.0.0.1:1") as client:
        yield Limiter(SETTINGS, client)


@pytest.fixture
def silent() -> Iterator[socket.socket]:
    """Takes connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def url(server: socket.socket) -> str:
    return f"redis://:password@127.0.0.1:{server.getsockname()[1]}"


def connections(server: socket.socket) -> int:
    """How many have come since the last count."""
    server.setblocking(False)
    number = 0
    with suppress(BlockingIOError):
        while True:
            server.accept()[0].close()
            number += 1
    return number


def refused(limiter: Limiter, policy: str, key: str) -> RateLimited:
    with pytest.raises(RateLimited) as caught:
        limiter.check(policy, key)
    return caught.value


def test_more_than_a_million_a_second_is_no_limit() -> None:
    unlimited = replace(SETTINGS, rate_limit_write="9999999/second")
    with limits.connect("redis://127.0.0.1:1") as client:
        limiter = Limiter(unlimited, client)
    assert limiter.check("write", "k")["RateLimit"] == '"write";r=999999;t=1'


def test_an_answer_names_the_policy_and_what_is_left(alone: Limiter) -> None:
    assert alone.check("write", "k") == {
        "RateLimit-Policy": '"write";q=2;w=60',
        "RateLimit": '"write";r=1;t=30',
    }


def test_with_nothing_left_t_is_the_time_to_the_next_request(alone: Limiter) -> None:
    alone.check("read", "k")
    assert refused(alone, "read", "k").headers["RateLimit"] == '"read";r=0;t=1'


@pytest.fixture
def spent(alone: Limiter) -> Limiter:
    """One that lets `k` write no more."""
    for _ in range(2):
        alone.check("write", "k")
    return alone


def test_a_refusal_carries_the_limits_and_whole_seconds_to_wait(spent: Limiter) -> None:
    assert refused(spent, "write", "k").headers == {
        "RateLimit-Policy": '"write";q=2;w=60',
        "RateLimit": '"write";r=0;t=30',
        "Retry-After": "30",
    }


def test_keys_have_their_own_quota(spent: Limiter) -> None:
    assert spent.check("write", "other")["RateLimit"] == '"write";r=1;t=30'


def test_policies_have_their_own_quota(spent: Limiter) -> None:
    assert spent.check("read", "k")["RateLimit-Policy"] == '"read";q=1;w=1'


def test_the_quota_refills_with_time(
    spent: Limiter, now: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(spent, "write", "k")
    monkeypatch.setattr(limits.time, "monotonic_ns", lambda: now + 30_000_000_000)
    spent.check("write", "k")
    refused(spent, "write", "k")


def test_addresses_of_one_ipv6_customer_count_together(alone: Limiter) -> None:
    alone.check("anonymous", "2001:db8::1")
    alone.check("anonymous", "2001:db8::ffff:2")
    refused(alone, "anonymous", "2001:db8::3")
    alone.check("anonymous", "2001:db8:0:1::1")


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7/32"),
        ("::ffff:192.0.2.7", "192.0.2.7/32"),
        ("2001:db8::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("unix:", "unknown"),
    ],
)
def test_an_address_is_counted_with_its_network(address: str, counted: str) -> None:
    assert network(address) == counted


def test_the_network_of_a_throttle_is_wider() -> None:
    found = [network(a, v4_bits=24, v6_bits=48) for a in ("192.0.2.7", "2001:db8:1:2::3")]
    assert found == ["192.0.2.0/24", "2001:db8:1::/48"]


@pytest.mark.parametrize("text", ["", "5", "0/minute", "5/fortnight", "-1/second", "5/minute\n"])
def test_a_limit_that_cannot_be_read_stops_the_start(text: str) -> None:
    with (
        limits.connect("redis://127.0.0.1:1") as client,
        pytest.raises(BadConfiguration, match="RATE_LIMIT_READ"),
    ):
        Limiter(replace(SETTINGS, rate_limit_read=text), client)


def test_memory_stays_bounded(alone: Limiter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_BUCKETS", 10)
    for n in range(100):
        alone.check("write", str(n))
    assert len(alone._memory._whole) <= 10


def test_a_silent_redis_costs_one_request_a_fifth_of_a_second(silent: socket.socket) -> None:
    with limits.connect(url(silent)) as client:
        limiter = Limiter(SETTINGS, client)
        began = pace.seconds()
        limiter.check("write", "k")
        assert pace.seconds() - began < 0.4


def test_after_a_failure_redis_is_left_alone(silent: socket.socket) -> None:
    with limits.connect(url(silent)) as client:
        limiter = Limiter(SETTINGS, client)
        limiter._redis = RedisGuard("limits", clock=lambda: 0.0)
        limiter.check("write", "k")
        assert connections(silent) == 1
        limiter.check("write", "k")
        assert connections(silent) == 0
