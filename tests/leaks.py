"""Where secrets are readable that should be nowhere: rows of all tables, Redis, logs."""

import base64
from collections.abc import Iterator, Mapping

import psycopg
import redis
from psycopg import sql

_TABLES = """
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname
    """


def leaks(
    secrets: Mapping[str, str | bytes],
    *,
    database_url: str,
    redis_url: str,
    logs: Mapping[str, str],
) -> list[str]:
    """A line for each secret and place where it is found: as it is, in hex or in base64.

    `database_url` signs in as who sees every row. Rows that nobody reads any more count as well.
    """
    spellings = {name: list(_spellings(secret)) for name, secret in secrets.items()}
    return [
        f"{name} in {place}"
        for place, text in _places(database_url, redis_url, logs)
        for name, forms in spellings.items()
        if any(form in text for form in forms)
    ]


def _spellings(secret: str | bytes) -> Iterator[str]:
    raw = secret.encode() if isinstance(secret, str) else secret
    if isinstance(secret, str):
        yield secret
        yield secret.encode("unicode_escape").decode()  # as JSON writes it
    yield raw.hex()  # as a row writes bytes
    yield base64.b64encode(raw).decode().rstrip("=")
    yield base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _places(
    database_url: str, redis_url: str, logs: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    yield from ((f"the log of {name}", text) for name, text in logs.items())
    yield from _rows(database_url)
    yield from _keys(redis_url)


def _rows(url: str) -> Iterator[tuple[str, str]]:
    with psycopg.connect(url, autocommit=True) as connection:
        for (table,) in connection.execute(_TABLES).fetchall():
            every = sql.SQL("select rows::text from {} rows").format(sql.Identifier(table))
            for (row,) in connection.execute(every):
                yield f"the table {table}", row


def _keys(url: str) -> Iterator[tuple[str, str]]:
    with redis.Redis.from_url(url, decode_responses=True, encoding_errors="replace") as client:
        for key in client.scan_iter():
            yield "a key of Redis", str(key)
            yield f"Redis under {key}", str(_value(client, key))


def _value(client: "redis.Redis", key: str) -> object:
    reading = {
        "string": lambda: client.get(key),
        "list": lambda: client.lrange(key, 0, -1),
        "set": lambda: client.smembers(key),
        "hash": lambda: client.hgetall(key),
        "zset": lambda: client.zrange(key, 0, -1),
        "stream": lambda: client.xrange(key),
    }
    return reading.get(str(client.type(key)), lambda: None)()
