"""The sign-in throttle, with its counters in Redis and in the process."""

import time
from collections.abc import Iterator

import pytest
import redis

from app.core.errors import RateLimited
from app.core.redis import limits
from app.domains.account.accounts.sign_in.throttle import Throttle

pytestmark = pytest.mark.usefixtures("no_time_passes")

ADA = "ada@example.org"


class Guess(Exception):
    """A wrong password."""


def fail(throttle: Throttle, email: str = ADA, address: str = "192.0.2.1") -> int:
    """One wrong attempt; the seconds it was told to wait, 0 when it was let through."""
    try:
        with throttle.attempt(email, address):
            raise Guess
    except Guess:
        return 0
    except RateLimited as slow:
        return int(slow.headers["Retry-After"])


def forget_waits(client: "redis.Redis") -> None:
    for key in client.keys("sign-in:*"):
        client.hdel(key, "until")


@pytest.fixture
def client(patient_redis_url: str) -> Iterator["redis.Redis"]:
    with limits.connect(patient_redis_url) as client:
        yield client


@pytest.fixture(params=["redis", "process"])
def throttle(request: pytest.FixtureRequest, client: "redis.Redis") -> Iterator[Throttle]:
    if request.param == "redis":
        yield Throttle(client)
    else:
        with limits.connect("redis://127.0.0.1:1") as nobody:
            yield Throttle(nobody)


def test_five_attempts_are_free_and_an_attempt_that_waits_does_not_lengthen_the_wait(
    throttle: Throttle,
) -> None:
    assert [fail(throttle) for _ in range(9)] == [0] * 6 + [2, 2, 2]


def test_nobody_waits_for_a_clock_that_was_set_back(client: "redis.Redis") -> None:
    throttle = Throttle(client)
    for _ in range(7):
        fail(throttle)
    for key in client.keys("sign-in:*"):
        client.hset(key, "until", int((time.time() + 86_400) * 1_000_000))
    assert fail(throttle) == 0


def test_an_account_waits_in_any_case_in_all_of_a_network_and_no_other_does(
    throttle: Throttle,
) -> None:
    for _ in range(7):
        fail(throttle)
    assert fail(throttle, email=ADA.upper()) == 2
    assert fail(throttle, address="192.0.2.200") == 2
    assert fail(throttle, address="198.51.100.1") == 0
    assert fail(throttle, email="bob@example.org") == 0


def test_success_resets_the_account_from_its_network(throttle: Throttle) -> None:
    for _ in range(5):
        fail(throttle)
    with throttle.attempt(ADA, "192.0.2.1"):
        pass
    assert [fail(throttle) for _ in range(6)] == [0] * 6


def test_trying_many_accounts_from_one_address_is_slowed_down(throttle: Throttle) -> None:
    waits = [fail(throttle, email=f"user{n}@example.org") for n in range(52)]
    assert waits == [0] * 51 + [2]


def test_trying_one_account_from_many_networks_is_slowed_down(throttle: Throttle) -> None:
    waits = [fail(throttle, address=f"10.0.{n}.1") for n in range(102)]
    assert waits == [0] * 101 + [2]


def test_the_wait_doubles_with_every_failure(client: "redis.Redis") -> None:
    throttle = Throttle(client)
    for _ in range(5):
        fail(throttle)
    waits = []
    for _ in range(12):
        fail(throttle)
        waits.append(fail(throttle))
        forget_waits(client)
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


def test_redis_holds_no_email(client: "redis.Redis") -> None:
    fail(Throttle(client))
    keys = client.keys()
    assert len(keys) == 3
    assert all(b"ada" not in key for key in keys)


def test_every_counter_is_forgotten_some_day(client: "redis.Redis") -> None:
    fail(Throttle(client))
    left = sorted(client.ttl(key) for key in client.scan_iter())
    assert [-(-seconds // 900) * 900 for seconds in left] == [900, 3600, 86400]
