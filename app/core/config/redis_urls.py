"""Addresses of Sentinels in REDIS_URL, who know which of several servers is the primary.

    sentinel://[user:password@]host:port,host:port,.../name[?db=0]

User and password are those of Redis; `sentinel_username` and `sentinel_password` in the query are
those of the Sentinels, if they have any. `sentinels://` speaks TLS with both.
"""

from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

_ONE_SERVER: Final = ("redis", "rediss")  # all that both redis-py and Celery speak
_SCHEMES: Final = {"sentinel": False, "sentinels": True}
_OPTIONS: Final = {"db", "sentinel_username", "sentinel_password"}
_SENTINEL_PORT: Final = 26_379


class BadRedisUrl(ValueError):
    """The address names no Redis and no Sentinels; the message never repeats it."""


@dataclass(frozen=True, slots=True, repr=False)
class Sentinels:
    """Several Sentinels, and the name by which they know the servers they watch."""

    hosts: tuple[tuple[str, int], ...]
    name: str
    database: int
    tls: bool
    login: dict[str, str]
    sentinel_login: dict[str, str]


def parse(url: str) -> Sentinels | None:
    """Reads an address of Sentinels; None for that of one server. Raises BadRedisUrl."""
    scheme = url.partition("://")[0].lower()
    if scheme in _ONE_SERVER:
        _check_server(url)
        return None
    if scheme not in _SCHEMES:
        raise BadRedisUrl(f"must begin with {'://, '.join((*_ONE_SERVER, *_SCHEMES))}://")
    try:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
        database = int(options.get("db", "0"))
        hosts = tuple(_host(host) for host in parts.netloc.rpartition("@")[2].split(","))
    except ValueError:
        raise BadRedisUrl("must look like sentinel://host:port,host:port/name?db=0") from None
    name = unquote(parts.path.removeprefix("/"))
    if not name or "/" in name:
        raise BadRedisUrl("names no group: sentinel://host:port,host:port/name")
    if unknown := options.keys() - _OPTIONS:
        raise BadRedisUrl(f"takes {', '.join(sorted(_OPTIONS))}, and not {len(unknown)} other(s)")
    sentinel_login = {
        part: options[f"sentinel_{part}"]
        for part in ("username", "password")
        if options.get(f"sentinel_{part}")
    }
    return Sentinels(hosts, name, database, _SCHEMES[scheme], _login(parts), sentinel_login)


def _check_server(url: str) -> None:
    """Raises BadRedisUrl for what redis-py would repeat in its error, such as a password."""
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise BadRedisUrl("must look like redis://:password@host:port/0, with %23 for #") from None


def _host(text: str) -> tuple[str, int]:
    parts = urlsplit(f"//{text}")
    if not parts.hostname or parts.username is not None:
        raise ValueError(text)
    return parts.hostname, parts.port or _SENTINEL_PORT


def _login(parts: SplitResult) -> dict[str, str]:
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return {
        name: unquote(value)
        for name, value in (("username", user), ("password", password))
        if value
    }
