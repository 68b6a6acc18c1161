"""Clients for REDIS_URL: of one server, or of the primary that its Sentinels name."""

import socket
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import redis
from redis.sentinel import Sentinel

from app.core.config import redis_urls

SILENT_SECONDS = 16
"""A server that gives no sign of life for so long is considered gone."""


class Broker(NamedTuple):
    """The settings of Celery's broker: its form of the address, and its transport's options."""

    url: str
    options: dict[str, Any]
    tls: dict[str, Any] | None


def client(url: str, **options: Any) -> redis.Redis:
    """A client with these options of `redis.Redis`, none of which connects yet.

    With Sentinels each new connection asks them for the primary, in as many seconds as a connection
    may take, and one that finds its server demoted is made anew.
    """
    options = {**_signs_of_life(), **options}
    sentinels = redis_urls.parse(url)
    if sentinels is None:
        return redis.Redis.from_url(url, **options)
    tls: dict[str, Any] = {"ssl": True} if sentinels.tls else {}
    asking = {**_waits(options), **tls, **sentinels.sentinel_login}
    watching = Sentinel(sentinels.hosts, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]
    primary: redis.Redis = watching.master_for(  # type: ignore[no-untyped-call]
        sentinels.name, db=sentinels.database, **sentinels.login, **tls, **options
    )
    return primary


def broker(url: str, **options: Any) -> Broker:
    """The address as Celery takes it, with these options of the transport."""
    options = {**_signs_of_life(), **options}
    sentinels = redis_urls.parse(url)
    if sentinels is None:
        return Broker(url, options, None)
    password = quote(sentinels.login.get("password", ""), safe="")
    login = f"{quote(sentinels.login.get('username', ''), safe='')}:{password}@" if password else ""
    alternatives = [
        f"sentinel://{login}{_bracketed(host)}:{port}/{sentinels.database}"
        for host, port in sentinels.hosts
    ]
    tls: dict[str, Any] = {"ssl": True} if sentinels.tls else {}
    return Broker(
        ";".join(alternatives),
        {
            **options,
            "master_name": sentinels.name,
            "sentinel_kwargs": {**_waits(options), **tls, **sentinels.sentinel_login},
        },
        {"ssl_cert_reqs": "required"} if sentinels.tls else None,
    )


def _signs_of_life() -> dict[str, Any]:
    """Options of a connection that the kernel ends when its peer is silent (tcp(7), Linux)."""
    wanted = {
        "TCP_KEEPIDLE": 7,
        "TCP_KEEPINTVL": 3,
        "TCP_KEEPCNT": 3,
        "TCP_USER_TIMEOUT": SILENT_SECONDS * 1000,
    }
    known = {
        getattr(socket, name): value for name, value in wanted.items() if hasattr(socket, name)
    }
    return {"socket_keepalive": True, "socket_keepalive_options": known}


def _waits(options: Mapping[str, Any]) -> dict[str, Any]:
    """A Sentinel may take as long as the server itself."""
    names = ("socket_timeout", "socket_connect_timeout", "retry")
    return {name: options[name] for name in names if name in options}


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
