"""The cache of callers."""

from uuid import UUID

import pytest

from app.core.http.access import Caller
from app.domains.account.accounts.sign_in import callers
from app.domains.account.accounts.sign_in.callers import Cache

KEY, OTHER = Caller(UUID(int=1), UUID(int=2)), Caller(UUID(int=1), UUID(int=3))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> Cache:
    return Cache(clock)


def test_a_caller_is_known_for_five_seconds(cache: Cache, clock: Clock) -> None:
    cache.put(b"k", KEY, None, cache.ticket())
    clock.now += 4.9
    assert cache.get(b"k") == KEY
    clock.now += 0.1
    assert cache.get(b"k") is None


def test_a_caller_is_not_known_beyond_its_expiry(cache: Cache, clock: Clock) -> None:
    cache.put(b"k", KEY, 1.0, cache.ticket())
    clock.now += 1.0
    assert cache.get(b"k") is None


def test_a_long_life_is_not_kept_longer_than_five_seconds(cache: Cache, clock: Clock) -> None:
    cache.put(b"k", KEY, 3600.0, cache.ticket())
    clock.now += 5.0
    assert cache.get(b"k") is None


def test_forgetting_a_credential_leaves_the_others(cache: Cache) -> None:
    cache.put(b"k", KEY, None, cache.ticket())
    cache.put(b"o", OTHER, None, cache.ticket())
    cache.forget(KEY.credential_id)
    assert (cache.get(b"k"), cache.get(b"o")) == (None, OTHER)


def test_an_answer_from_before_a_revocation_is_not_kept(cache: Cache) -> None:
    ticket = cache.ticket()
    cache.forget(KEY.credential_id)
    cache.put(b"k", KEY, None, ticket)
    assert cache.get(b"k") is None


def test_the_cache_is_bounded(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(callers, "MOST", 10)
    for n in range(100):
        cache.put(b"%d" % n, KEY, None, cache.ticket())
    assert len(cache._known) <= 10
