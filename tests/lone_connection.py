"""Who works or answers borrows one connection of a pool: a worker's pool has no other, and where
every thread of a web process held one and waited for a second, none would ever come.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from flask import Flask, Response
from psycopg_pool import ConnectionPool

from app.core import db
from app.core.db import Tx
from workers.queue.runner import Runner

_borrowed: Final = db._borrowed
_run: Final = Runner.run
_answer: Final = Flask.full_dispatch_request
_thread: Final = threading.local()


def enforce() -> None:
    """For this process, in jobs and requests: a test itself may hold one meanwhile."""
    db._borrowed = _borrowed_once
    Runner.run = _run_with_one  # type: ignore[method-assign]
    Flask.full_dispatch_request = _answer_with_one  # type: ignore[method-assign]


def _run_with_one(runner: Runner, ids: list[UUID]) -> None:
    with _counted():
        _run(runner, ids)


def _answer_with_one(app: Flask) -> Response:
    with _counted():
        return _answer(app)


@contextmanager
def _counted() -> Iterator[None]:
    before, _thread.held = getattr(_thread, "held", None), list[ConnectionPool[Tx]]()
    try:
        yield
    finally:
        _thread.held = before


@contextmanager
def _borrowed_once(pool: ConnectionPool[Tx]) -> Iterator[Tx]:
    held: list[ConnectionPool[Tx]] | None = getattr(_thread, "held", None)
    if held is None:
        with _borrowed(pool) as tx:
            yield tx
        return
    assert pool not in held, "it holds a connection of this pool already"
    held.append(pool)
    try:
        with _borrowed(pool) as tx:
            yield tx
    finally:
        held.remove(pool)
