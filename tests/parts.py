"""In tests, what answers HTTP and what does jobs share a process and its connections.

A connection takes the role of the part that borrows it, so whatever runs shows that the rights of
its role suffice. A test itself borrows as what operators' commands work as; code of the product
that a test calls, or that runs in a thread of its own, borrows as the process it belongs to.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import FrameType
from typing import Any, Final

from flask import Flask
from psycopg import sql
from psycopg_pool import ConnectionPool

from app.core import db
from app.core.actor import SYSTEM, acting
from app.core.config.settings import DATABASE_ROLE
from app.core.db import roles

API: Final = roles.api(DATABASE_ROLE)[0]
WORKER: Final = roles.workers(DATABASE_ROLE)[0]
ROOT: Final = f"{Path(__file__).parents[1]}/"

PLACES: Final = {
    "workers/": WORKER,
    "app/domains/library/passages/index/": WORKER,
    "app/local/": DATABASE_ROLE,
    "app/cli.py": DATABASE_ROLE,
    "app/wsgi.py": API,
    "app/web/": API,
    "tests/": None,
    "bench/": None,
}
"""The role of code that belongs to one part; None is a test, which has called the rest of `app`.

The rest of `app` is the API's, unless workers or operators called it.
"""

_role: ContextVar[str | None] = ContextVar("role", default=None)


def use() -> None:
    """For all applications and connections of this process."""
    borrow, answer = db._borrowed, Flask.wsgi_app

    @contextmanager
    def borrowed(pool: ConnectionPool[db.Tx]) -> Iterator[db.Tx]:
        role = _role.get() or _role_of(sys._getframe(1))
        with borrow(pool) as tx:
            _become(tx, role)
            yield tx

    def answered(self: Flask, environ: Any, start_response: Any) -> Any:
        with api(), acting(SYSTEM):
            return _Body(answer(self, environ, start_response))

    db._borrowed = borrowed
    Flask.wsgi_app = answered  # type: ignore[method-assign]


@contextmanager
def api() -> Iterator[None]:
    """What the block borrows works as the API does."""
    with _as(API):
        yield


@contextmanager
def worker() -> Iterator[None]:
    """What the block borrows works as workers and dispatchers do."""
    with _as(WORKER):
        yield


@contextmanager
def _as(role: str) -> Iterator[None]:
    before = _role.set(role)
    try:
        yield
    finally:
        _role.reset(before)


def _role_of(frame: FrameType | None) -> str:
    """The role of who borrows: the nearest of its callers that belongs to one part says it."""
    role = DATABASE_ROLE
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(ROOT):
            place = file.removeprefix(ROOT)
            for folder, named in PLACES.items():
                if place.startswith(folder):
                    return named or role
            if not place.startswith("app/core/db/"):
                role = API
        frame = frame.f_back
    return role


def _become(tx: Any, role: str) -> None:
    if tx.role != role:
        tx.execute(sql.SQL("set role {}").format(sql.Identifier(role)))
        tx.role = role


class _Body:
    """What is made while it is read is made by the API too."""

    def __init__(self, parts: Iterable[bytes]) -> None:
        self._all, self._parts = parts, iter(parts)
        self.close: Callable[[], None] = getattr(parts, "close", lambda: None)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        with api():
            return next(self._parts)
