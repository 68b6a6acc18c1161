"""Offers that fail are passed over for a while."""

import uuid

import pytest
import redis

from app.core.config.settings import Settings
from app.core.redis import limits
from app.domains.providers.chats.health import cooldown
from app.domains.providers.chats.health.cooldown import Cooldown

OFFER = uuid.uuid4()


@pytest.fixture
def client(patient_redis_url: str) -> redis.Redis:
    return limits.connect(patient_redis_url)


@pytest.fixture
def cool(client: redis.Redis) -> Cooldown:
    return Cooldown(client)


def left(cool: Cooldown) -> int:
    return cool.seconds_left([OFFER])[0]


def expire(client: redis.Redis) -> None:
    """As if its time were over."""
    client.hset(f"cooling:{OFFER}", "until", 1)


def test_one_failure_is_none_and_two_in_a_row_cool_it(cool: Cooldown) -> None:
    cool.failed(OFFER)
    assert left(cool) == 0
    assert cool.may_use(OFFER)
    cool.failed(OFFER)
    assert 0 < left(cool) <= cooldown.FIRST_SECONDS
    assert not cool.may_use(OFFER)
    assert cool.seconds_left([uuid.uuid4(), OFFER])[0] == 0


def test_half_of_four_within_a_minute_cool_it(cool: Cooldown) -> None:
    cool.failed(OFFER)
    cool.worked(OFFER)
    cool.worked(OFFER)
    assert left(cool) == 0
    cool.failed(OFFER)
    assert left(cool) > 0


def test_afterwards_one_request_tries_it_and_success_ends_it(
    cool: Cooldown, client: redis.Redis
) -> None:
    cool.failed(OFFER)
    cool.failed(OFFER)
    expire(client)
    assert left(cool) == 0
    assert [cool.may_use(OFFER) for _ in range(3)] == [True, False, False]
    cool.worked(OFFER)
    assert [cool.may_use(OFFER) for _ in range(2)] == [True, True]


def test_each_failed_trial_doubles_it(cool: Cooldown, client: redis.Redis) -> None:
    cool.failed(OFFER)
    cool.failed(OFFER)
    for doubled in (30, 60, 120, 240, 480, 600, 600):
        expire(client)
        cool.failed(OFFER)
        assert doubled / 2 < left(cool) <= doubled


def test_without_redis_none_cools(settings: Settings) -> None:
    away = Cooldown(limits.connect("redis://127.0.0.1:1"))
    away.failed(OFFER)
    away.failed(OFFER)
    assert away.seconds_left([OFFER, OFFER]) == [0, 0]
    assert away.may_use(OFFER)
