"""Telling waiters that jobs moved costs little, and nothing while Redis is away."""

from uuid import uuid4

import pytest
import redis

from app.core.redis.events import CHANNEL, Publisher
from app.core.redis.guard import AWAY_SECONDS


class Client:
    """Notes what is published; away when told so."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.away = False

    def publish(self, channel: str, message: bytes) -> None:
        self.heard.append((channel, message))
        if self.away:
            raise redis.ConnectionError


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def publisher(client: Client) -> Publisher:
    return Publisher(client)  # type: ignore[arg-type]


def test_jobs_that_moved_together_are_one_message(client: Client, publisher: Publisher) -> None:
    ids = [uuid4(), uuid4()]
    publisher.moved(ids)
    assert client.heard == [(CHANNEL, ids[0].bytes + ids[1].bytes)]


def test_nothing_is_said_when_nothing_moved(client: Client, publisher: Publisher) -> None:
    publisher.moved([])
    assert client.heard == []


def test_a_redis_that_is_away_is_left_alone_for_a_while(client: Client) -> None:
    now = 100.0
    publisher = Publisher(client, clock=lambda: now)  # type: ignore[arg-type]
    client.away = True
    publisher.moved([uuid4()])
    publisher.moved([uuid4()])
    assert len(client.heard) == 1
    now += AWAY_SECONDS
    publisher.moved([uuid4()])
    assert len(client.heard) == 2
