"""Addresses of Sentinels: what they say, what Celery is told, and that they are never repeated."""

import socket

import pytest

from app.core.config import redis_urls
from app.core.redis import clients

URL = "sentinel://app:p%40ss@one:26379,two,[::1]:26381/queue?db=3&sentinel_password=other"


def parsed(url: str = URL) -> redis_urls.Sentinels:
    sentinels = redis_urls.parse(url)
    assert sentinels is not None
    return sentinels


def test_every_sentinel_is_known_with_its_port() -> None:
    assert parsed().hosts == (("one", 26379), ("two", 26379), ("::1", 26381))


def test_the_group_and_the_database_are_named() -> None:
    assert (parsed().name, parsed().database) == ("queue", 3)


def test_servers_and_sentinels_have_logins_of_their_own() -> None:
    assert parsed().login == {"username": "app", "password": "p@ss"}
    assert parsed().sentinel_login == {"password": "other"}


def test_an_address_of_one_server_is_no_business_of_sentinels() -> None:
    assert redis_urls.parse("redis://:password@host:6379/0") is None


@pytest.mark.parametrize("url", ["", "host:6379", "unix:///run/secret", "valkey://secret@host"])
def test_an_address_that_redis_and_celery_do_not_both_take_is_refused(url: str) -> None:
    with pytest.raises(redis_urls.BadRedisUrl, match="must begin with redis://, ") as refused:
        redis_urls.parse(url)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "sentinel://one:26379", "sentinel://one:26379/", "sentinel://:secret@/queue",
        "sentinel://:secret@one,/queue", "sentinel://:secret@one:port/queue",
        "sentinel://:secret@one/queue/2", "sentinel://:secret@one/queue?db=two",
        "sentinel://:secret@one/queue?secret=1",
    ],
)  # fmt: skip
def test_an_address_that_names_no_group_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(redis_urls.BadRedisUrl) as refused:
        redis_urls.parse(url)
    assert "secret" not in str(refused.value)


def test_a_client_asks_for_the_primary_of_the_group() -> None:
    pool = clients.client(URL, socket_timeout=0.1).connection_pool
    assert (pool.service_name, pool.connection_kwargs["db"]) == ("queue", 3)


def test_sentinels_are_waited_for_no_longer_than_the_server() -> None:
    pool = clients.client(URL, socket_timeout=0.1, socket_connect_timeout=0.2).connection_pool
    waits = pool.sentinel_manager.sentinel_kwargs
    assert (waits["socket_timeout"], waits["socket_connect_timeout"]) == (0.1, 0.2)


def test_with_tls_both_are_spoken_to_in_it() -> None:
    pool = clients.client(URL.replace("sentinel://", "sentinels://")).connection_pool
    assert pool.connection_class.__name__ == "SentinelManagedSSLConnection"
    assert pool.sentinel_manager.sentinel_kwargs["ssl"]


def test_celery_is_told_each_sentinel_with_the_login_of_the_servers() -> None:
    broker = clients.broker(URL, polling_interval=1)
    assert broker.url == (
        "sentinel://app:p%40ss@one:26379/3;sentinel://app:p%40ss@two:26379/3;"
        "sentinel://app:p%40ss@[::1]:26381/3"
    )
    assert broker.options["master_name"] == "queue"
    assert broker.options["polling_interval"] == 1


def test_celery_is_told_an_address_of_one_server_as_it_is() -> None:
    url, options, tls = clients.broker("redis://host/0")
    assert (url, "master_name" in options, tls) == ("redis://host/0", False, None)


@pytest.mark.parametrize("url", [URL, "redis://host/0"])
def test_a_connection_to_a_silent_server_is_ended_by_the_kernel(url: str) -> None:
    for options in (
        clients.client(url).connection_pool.connection_kwargs,
        clients.broker(url).options,
    ):
        signs = options["socket_keepalive_options"]
        assert options["socket_keepalive"]
        assert signs[socket.TCP_USER_TIMEOUT] == clients.SILENT_SECONDS * 1000
