"""Real servers for tests, in temporary folders."""

import itertools
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from app.core.db.migrate import migrate
from app.local.embedded.postgres import Postgres
from app.local.embedded.redis import Redis
from tests import secrets_in_logs
from tests.patience import PATIENCE_SECONDS

_TEMPLATE = "template_citegrid"
_numbers = itertools.count()


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder with a short path; a server of another account may pass through it."""
    with tempfile.TemporaryDirectory(prefix="citegrid-") as name:
        Path(name).chmod(0o711)
        yield Path(name)
        secrets_in_logs.check_folder(Path(name))


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A server with a migrated template database; it does not survive a power cut."""
    with folder() as home, Postgres(home / "pg", log=home / "pg.log", durable=False) as server:
        with psycopg.connect(server.url(), autocommit=True) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(_TEMPLATE)))
        migrate(server.url(_TEMPLATE))
        yield server


@contextmanager
def redis() -> Iterator[Redis]:
    with folder() as home, Redis(log=home / "redis.log") as server:
        yield server


def patient_url(url: str) -> str:
    """For tests that count exactly: what does not answer at once is done without, and on a busy
    machine that would be a Redis which is there."""
    seconds = f"{PATIENCE_SECONDS:.0f}"
    return f"{url}?socket_timeout={seconds}&socket_connect_timeout={seconds}"


@contextmanager
def database(server: Postgres, *, migrated: bool = True) -> Iterator[str]:
    """URL of a database of its own, thrown away afterwards whoever is still connected."""
    name = sql.Identifier(f"test_{os.getpid()}_{next(_numbers)}")
    template = sql.Identifier(_TEMPLATE if migrated else "template1")
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(sql.SQL("create database {} template {}").format(name, template))
        try:
            yield server.url(name.as_string().strip('"'))
        finally:
            connection.execute(sql.SQL("drop database {} with (force)").format(name))


def until(condition: Callable[[], object], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until `condition()` holds; fail when it still does not after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.01)
