"""Rate limits counted in a real Redis."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
import redis

from app.core.config.settings import Settings
from app.core.errors import RateLimited
from app.core.redis import limits
from app.core.redis.limits import Limiter

SETTINGS = Settings(database_url="", redis_url="", secret_key="x" * 32, rate_limit_write="5/hour")


@pytest.fixture
def client(patient_redis_url: str) -> Iterator["redis.Redis"]:
    with limits.connect(patient_redis_url) as client:
        yield client


def test_processes_share_one_quota(client: "redis.Redis") -> None:
    first, second = Limiter(SETTINGS, client), Limiter(SETTINGS, client)
    left = [limiter.check("write", "k")["RateLimit"] for limiter in (first, second, first)]
    assert [said.split(";")[1] for said in left] == ["r=4", "r=3", "r=2"]


def test_the_quota_fits_exactly(client: "redis.Redis") -> None:
    settings = replace(SETTINGS, rate_limit_write="700/day")
    limiter = Limiter(settings, client)
    for _ in range(700):
        limiter.check("write", "k")
    with pytest.raises(RateLimited):
        limiter.check("write", "k")


def test_simultaneous_requests_never_exceed_the_quota(client: "redis.Redis") -> None:
    limiter, outcomes = Limiter(SETTINGS, client), []

    def ask() -> None:
        try:
            limiter.check("write", "k")
            outcomes.append(True)
        except RateLimited:
            outcomes.append(False)

    threads = [threading.Thread(target=ask) for _ in range(30)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(True) == 5


def test_a_bucket_disappears_when_it_is_whole_again(client: "redis.Redis") -> None:
    Limiter(SETTINGS, client).check("write", "k")
    (key,) = client.keys()
    assert 600_000 < client.pttl(key) <= 720_000


def test_a_limit_that_was_raised_holds_for_who_had_used_up_the_former(
    client: "redis.Redis",
) -> None:
    strict = Limiter(replace(SETTINGS, rate_limit_write="1/day"), client)
    strict.check("write", "k")
    with pytest.raises(RateLimited):
        strict.check("write", "k")
    raised = Limiter(replace(SETTINGS, rate_limit_write="60/minute"), client)
    assert ";r=59;" in raised.check("write", "k")["RateLimit"]


def test_one_request_is_one_command_after_the_first(client: "redis.Redis") -> None:
    limiter = Limiter(SETTINGS, client)
    limiter.check("write", "k")
    before = client.info("commandstats")
    limiter.check("write", "k")
    after = client.info("commandstats")
    sent = ("cmdstat_evalsha", "cmdstat_eval", "cmdstat_script|load", "cmdstat_script")
    calls = [
        sum(stats.get(name, {"calls": 0})["calls"] for name in sent) for stats in (before, after)
    ]
    assert calls[1] - calls[0] == 1
