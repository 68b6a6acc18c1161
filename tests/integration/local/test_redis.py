"""The embedded Redis, started and stopped for real."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from kombu import Connection
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.local.embedded.children import alive
from app.local.embedded.redis import Redis
from tests import servers


@pytest.fixture
def own() -> Iterator[Redis]:
    """One that a test may stop."""
    with servers.redis() as server:
        yield server


def test_a_client_with_the_url_may_fill_memory_which_drops_and_saves_nothing(
    redis_server: Redis,
) -> None:
    with redis.Redis.from_url(redis_server.url()) as client:
        client.set("a", "b")
        assert client.get("a") == b"b"
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("save") == {"save": ""}
        assert client.config_get("appendonly") == {"appendonly": "no"}


def test_a_client_needs_the_password_which_no_list_of_processes_has(redis_server: Redis) -> None:
    with (
        redis.Redis(port=redis_server._port, retry=Retry(NoBackoff(), 0)) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()
    command = Path(f"/proc/{redis_server.pid}/cmdline").read_bytes()
    assert redis_server._password.encode() not in command


def test_celery_can_use_it(redis_server: Redis) -> None:
    with Connection(redis_server.url()) as connection:
        connection.ensure_connection(max_retries=1)
        assert connection.connected


def test_one_that_was_stopped_is_found_at_the_same_place_when_it_starts_again(own: Redis) -> None:
    pid, before = own.pid, own.url()
    own.stop()
    assert (alive(pid), own.pid, own.running) == (False, 0, False)
    assert own.start().url() == before


def test_a_port_taken_meanwhile_is_given_up_for_another(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = Redis(log=tmp_path / "redis.log")
        server._port = taken.getsockname()[1]
        with server:
            assert server._port != taken.getsockname()[1]
