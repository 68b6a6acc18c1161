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


def test_a_client_with_the_url_may_read_and_write(redis_server: Redis) -> None:
    with redis.Redis.from_url(redis_server.url()) as client:
        client.set("a", "b")
        assert client.get("a") == b"b"


def test_a_client_without_the_password_may_not(redis_server: Redis) -> None:
    with (
        redis.Redis(port=redis_server._port, retry=Retry(NoBackoff(), 0)) as client,
        pytest.raises(redis.AuthenticationError),
    ):
        client.ping()


def test_the_password_is_not_in_the_process_list(redis_server: Redis) -> None:
    assert (
        redis_server._password.encode()
        not in Path(f"/proc/{redis_server.pid}/cmdline").read_bytes()
    )


def test_it_refuses_rather_than_drops_when_full(redis_server: Redis) -> None:
    with redis.Redis.from_url(redis_server.url()) as client:
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


def test_it_writes_nothing_to_disk(redis_server: Redis) -> None:
    with redis.Redis.from_url(redis_server.url()) as client:
        assert client.config_get("save") == {"save": ""}
        assert client.config_get("appendonly") == {"appendonly": "no"}


def test_celery_can_use_it(redis_server: Redis) -> None:
    with Connection(redis_server.url()) as connection:
        connection.ensure_connection(max_retries=1)
        assert connection.connected


def test_stopping_ends_the_process_and_forgets_it(own: Redis) -> None:
    pid = own.pid
    own.stop()
    assert (alive(pid), own.pid, own.running) == (False, 0, False)


def test_after_a_restart_clients_find_it_at_the_same_place(own: Redis) -> None:
    before = own.url()
    own.stop()
    assert own.start().url() == before


def test_a_port_taken_meanwhile_is_given_up_for_another(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        server = Redis(log=tmp_path / "redis.log")
        server._port = taken.getsockname()[1]
        with server:
            assert server._port != taken.getsockname()[1]
