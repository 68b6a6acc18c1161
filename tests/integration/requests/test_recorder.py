"""The recorder: bounded, off the path of the answer, and never in the way."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from app.core import db, ids, metrics
from app.core.ids import Noun
from app.domains.own_data.requests import recorder
from app.domains.own_data.requests import service as requests
from app.domains.own_data.requests.recorder import MOST_OF_AN_ACCOUNT, Recorder
from tests import builders, servers


@pytest.fixture
def lost() -> Callable[[], float]:
    """How many requests were not kept since the test began."""
    before = metrics.requests_unrecorded._value.get()
    return lambda: metrics.requests_unrecorded._value.get() - before


def test_what_is_noted_is_written_a_moment_later(database: str) -> None:
    made = builders.answered(ids.new())
    Recorder(seconds=0.01).note(made)
    servers.until(lambda: _number() == 1)


def _number() -> int:
    with db.reading() as reader:
        return int(db.value(reader, "select count(*) from requests"))


def test_what_postgres_cannot_store_does_not_lose_the_others(database: str) -> None:
    with db.transaction() as tx:
        builders.request(tx, ids.new(), path="/v1/\x00\ud800", headers={"User-Agent": "\x00"})
        assert db.value(tx, "select path from requests") == "/v1/\ufffd\ufffd"


def test_an_error_that_repeats_it_does_not_lose_the_others_either(database: str) -> None:
    refused = {"message": "\x00", "details": [{"field": "/\ud800", "problem": "\udfff"}]}
    with db.transaction() as tx:
        builders.request(tx, ids.new(), error=refused)
        assert db.value(tx, "select error from requests") == {
            "message": "\ufffd",
            "details": [{"field": "/\ufffd", "problem": "\ufffd"}],
        }


def test_of_very_many_some_are_counted_only(database: str, lost: Callable[[], float]) -> None:
    account, number = ids.new(), MOST_OF_AN_ACCOUNT + 7
    with db.transaction() as tx:
        recorder.insert(tx, [builders.answered(account) for _ in range(number)])
        assert db.value(tx, "select count(*) from requests") == MOST_OF_AN_ACCOUNT
        assert db.value(tx, "select requests from request_counts") == number
    assert lost() == 7


def test_after_a_batch_that_cannot_be_written_the_next_one_is(
    database: str, lost: Callable[[], float]
) -> None:
    recording = Recorder(seconds=0.01)
    recording.note(builders.answered(ids.new(), error={"message": object()}))
    servers.until(lambda: lost() == 1)
    recording.note(builders.answered(ids.new()))
    servers.until(lambda: _number() == 1)


def test_while_postgres_is_away_they_are_lost_and_counted(lost: Callable[[], float]) -> None:
    Recorder(seconds=0.01).note(builders.answered(ids.new()))
    servers.until(lambda: lost() == 1)


def test_memory_is_bounded(lost: Callable[[], float]) -> None:
    recording = Recorder(seconds=3600, most=2)
    for _ in range(5):
        recording.note(builders.answered(ids.new()))
    assert lost() == 3


def test_requests_past_their_time_are_forgotten(database: str) -> None:
    old = ids.public(Noun.REQUEST, ids.first_of(datetime.now(UTC) - timedelta(days=8)))
    with db.transaction() as tx:
        account = builders.account(tx)
        builders.request(tx, account, id=old)
        recent = builders.request(tx, account)
        assert requests.forget(tx, most=10, kept_days=7) == 1
        assert requests.find(tx, account, ids.lookup(Noun.REQUEST, recent))
