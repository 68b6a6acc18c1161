"""Faults of Postgres and Redis themselves."""

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg
import redis
from psycopg.rows import scalar_row

from tests.fault.full.fault import Fault
from tests.mixed.installation import Installation

_DOWN_SECONDS = 60.0
_START_SECONDS = 120.0
_CONNECTIONS = """
    select count(*) from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid()
    """


class _RedisEmptied(Fault):
    def count_keys(self, running: Installation) -> None:
        with redis.Redis.from_url(running.redis.url()) as client:
            self.effects["keys lost"] += int(client.dbsize())


class RedisRestarted(_RedisEmptied):
    name = "Redis SIGKILL, restarted empty"
    times = 8
    seconds = 30

    def strike(self, running: Installation, n: int) -> None:
        self.count_keys(running)
        with _redis_killed(running):
            self.effects["kills"] += 1


class RedisFlushed(_RedisEmptied):
    name = "Redis FLUSHALL"
    times = 16
    seconds = 35

    def strike(self, running: Installation, n: int) -> None:
        self.count_keys(running)
        with redis.Redis.from_url(running.redis.url()) as client:
            client.flushall()
        self.effects["flushes"] += 1


class RedisAway(_RedisEmptied):
    name = "Redis away for two minutes"
    times = 2
    seconds = 245
    _AWAY_SECONDS = 120.0

    def strike(self, running: Installation, n: int) -> None:
        self.count_keys(running)
        running.down.add("redis")
        with _redis_killed(running):
            self.effects["seconds away"] += round(self._AWAY_SECONDS)
            running.rest(self._AWAY_SECONDS)
        running.down.discard("redis")


@contextmanager
def _redis_killed(running: Installation) -> Iterator[None]:
    """It begins again at the same port, which nobody takes meanwhile, not even a client's end of
    a connection."""
    port = urlsplit(running.redis.url()).port
    os.kill(running.redis.pid, signal.SIGKILL)
    until = time.monotonic() + _DOWN_SECONDS
    while running.redis.running and time.monotonic() < until:
        time.sleep(0.01)
    with socket.socket() as placeholder:
        placeholder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        placeholder.bind(("127.0.0.1", port))
        yield
    running.redis.start(seconds=_START_SECONDS)


class PostgresEnded(Fault):
    name = "Postgres immediate shutdown, restarted"
    times = 6
    seconds = 40

    def strike(self, running: Installation, n: int) -> None:
        with psycopg.connect(running.postgres.url(), row_factory=scalar_row) as connection:
            lost = connection.execute(_CONNECTIONS).fetchone()
        os.kill(running.postgres.pid, signal.SIGQUIT)
        until = time.monotonic() + _DOWN_SECONDS
        while running.postgres.running and time.monotonic() < until:
            time.sleep(0.01)
        self.effects["shutdowns"] += 1
        self.effects["connections lost"] += lost or 0
        running.postgres.start(seconds=_START_SECONDS)


class BackendsKilled(Fault):
    name = "pg_terminate_backend at random"
    times = 10
    seconds = 90
    _KILLS, _PAUSE_SECONDS = 20, 0.3
    _KILL = """
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()
        order by random() limit 1
        """

    def strike(self, running: Installation, n: int) -> None:
        with psycopg.connect(running.postgres.url(), autocommit=True) as connection:
            for _ in range(self._KILLS):
                killed = connection.execute(self._KILL).rowcount
                self.effects["connections ended"] += killed
                running.rest(self._PAUSE_SECONDS)
