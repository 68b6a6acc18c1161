"""In tests, what answers HTTP and what does jobs share a process and its connections.

A connection takes the role of the part that borrows it, so whatever runs shows that the rights of
its role suffice. A test itself borrows as what operators' commands work as.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from flask import Flask
from psycopg import sql
from psycopg_pool import ConnectionPool

from app.core import db
from app.core.actor import SYSTEM, acting
from app.core.config.settings import DATABASE_ROLE
from app.core.db import roles

_role: ContextVar[str] = ContextVar("role", default=DATABASE_ROLE)


def use() -> None:
    """For all applications and connections of this process."""
    borrow, answer = db._borrowed, Flask.wsgi_app

    @contextmanager
    def borrowed(pool: ConnectionPool[db.Tx]) -> Iterator[db.Tx]:
        with borrow(pool) as tx:
            _become(tx, _role.get())
            yield tx

    def answered(self: Flask, environ: Any, start_response: Any) -> Any:
        with api(), acting(SYSTEM):
            return _Body(answer(self, environ, start_response))

    db._borrowed = borrowed
    Flask.wsgi_app = answered  # type: ignore[method-assign]


@contextmanager
def api() -> Iterator[None]:
    """What the block borrows works as the API does."""
    with _as(roles.api(DATABASE_ROLE)[0]):
        yield


@contextmanager
def worker() -> Iterator[None]:
    """What the block borrows works as workers and dispatchers do."""
    with _as(roles.workers(DATABASE_ROLE)[0]):
        yield


@contextmanager
def _as(role: str) -> Iterator[None]:
    before = _role.set(role)
    try:
        yield
    finally:
        _role.reset(before)


def _become(tx: Any, role: str) -> None:
    """Only connections that work as DATABASE_ROLE: a test may have opened others."""
    taken = getattr(tx, "role_of_test", DATABASE_ROLE)
    if taken != role:
        tx.execute(sql.SQL("set role {}").format(sql.Identifier(role)))
        tx.role_of_test = role


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
