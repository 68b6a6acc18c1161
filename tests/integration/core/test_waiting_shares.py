"""What an account, an address and a process may hold of the requests that wait."""

from typing import Any

import pytest
from flask import Flask, Response

from app.core import db
from app.core.config.settings import Settings
from app.core.http.long_poll import LongPolls, Shares
from app.core.redis import events
from tests import builders

SEARCH = "/external/v1/search"
SHARES = Shares(process=3, account=1, address=2)
HERE, ELSEWHERE, FAR_AWAY = "192.0.2.1", "192.0.2.2", "198.51.100.3"


class Caller:
    """An account with a search, at an address."""

    def __init__(self, app: Flask, settings: Settings, email: str) -> None:
        self.client = app.test_client()
        with db.transaction() as tx:
            key = builders.api_key(tx, settings, builders.account(tx, email))
        self.headers = {"X-API-Key": key}
        made = self.client.post(SEARCH, json={"query": "q"}, headers=self.headers)
        self.path = f"{SEARCH}/{made.get_json()['id']}"

    def stream(self, address: str) -> Any:
        """Open a stream; closing the answer ends it."""
        return self._get(f"{self.path}/events", address)

    def wait(self, address: str) -> Any:
        return self._get(f"{self.path}?wait=30", address)

    def _get(self, path: str, address: str) -> Any:
        place = {"REMOTE_ADDR": address}
        return self.client.get(path, headers=self.headers, environ_overrides=place)


@pytest.fixture
def callers(app: Flask, settings: Settings) -> list[Caller]:
    listener = events.Listener(events.connect(settings.redis_url))
    app.extensions["waiting"] = LongPolls(listener, SHARES)
    return [Caller(app, settings, f"{name}@example.org") for name in "abcd"]


def refusal(answer: Response) -> tuple[int, str]:
    assert int(answer.headers["Retry-After"]) >= 1
    return answer.status_code, answer.get_json()["error"]["code"]


def test_a_stream_beyond_the_share_of_its_account_is_429(callers: list[Caller]) -> None:
    ada, *_ = callers
    for _ in range(3):  # what ends gives its place back
        with ada.stream(HERE) as first:
            assert first.status_code == 200
            assert refusal(ada.stream(ELSEWHERE)) == (429, "too_many_streams")


def test_a_stream_beyond_the_share_of_its_address_is_429(callers: list[Caller]) -> None:
    ada, bob, eve, _ = callers
    with ada.stream(HERE), bob.stream(HERE) as other:
        assert other.status_code == 200
        assert refusal(eve.stream(HERE)) == (429, "too_many_streams")


def test_a_stream_in_a_full_process_is_503(callers: list[Caller]) -> None:
    ada, bob, eve, dan = callers
    with ada.stream(HERE), bob.stream(HERE), eve.stream(ELSEWHERE):
        assert refusal(dan.stream(FAR_AWAY)) == (503, "overloaded")


def test_a_wait_beyond_the_share_answers_at_once(callers: list[Caller], nobody_waits: None) -> None:
    ada, *_ = callers
    with ada.stream(HERE):
        answer = ada.wait(ELSEWHERE)
    assert (answer.status_code, answer.get_json()["status"]) == (200, "running")
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_wait_in_a_full_process_answers_at_once(
    callers: list[Caller], nobody_waits: None
) -> None:
    ada, bob, eve, dan = callers
    with ada.stream(HERE), bob.stream(HERE), eve.stream(ELSEWHERE):
        assert dan.wait(FAR_AWAY).status_code == 200


@pytest.fixture
def nobody_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("A request waited.")

    monkeypatch.setattr(LongPolls, "_poll", fail)


def test_a_refused_stream_takes_nothing(callers: list[Caller]) -> None:
    ada, bob, *_ = callers
    with ada.stream(HERE):
        for _ in range(3):
            ada.stream(HERE)
        with bob.stream(HERE) as other:
            assert other.status_code == 200
