"""A worker's pool as in production: one connection, so that whoever holds it gets no other."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from psycopg_pool import ConnectionPool

from app.core import db
from app.core.db import Tx
from workers.queue.runner import Runner

_borrowed: Final = db._borrowed
_run: Final = Runner.run
_thread: Final = threading.local()


def enforce() -> None:
    """For this process, in the threads of runners: pools of tests have more connections."""
    db._borrowed = _borrowed_once
    Runner.run = _run_with_one  # type: ignore[method-assign]


def _run_with_one(runner: Runner, ids: list[UUID]) -> None:
    _thread.held = list[ConnectionPool[Tx]]()
    try:
        _run(runner, ids)
    finally:
        _thread.held = None


@contextmanager
def _borrowed_once(pool: ConnectionPool[Tx]) -> Iterator[Tx]:
    held: list[ConnectionPool[Tx]] | None = getattr(_thread, "held", None)
    if held is None:
        with _borrowed(pool) as tx:
            yield tx
        return
    assert pool not in held, "a worker has one connection, and it is taken"
    held.append(pool)
    try:
        with _borrowed(pool) as tx:
            yield tx
    finally:
        held.remove(pool)
