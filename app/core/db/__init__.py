"""The only place where a transaction begins and ends.

Doors open transactions; leaving the block commits, any exception rolls back. Everything below a
door takes the open transaction as its first argument and cannot commit it.
"""

import select
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final, LiteralString, NamedTuple, TypeVar
from uuid import UUID

import psycopg
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from app.core.db import pooler, roles
from app.core.db.connections import FORGETFUL as FORGETFUL
from app.core.db.connections import SILENCE_SECONDS as SILENCE_SECONDS
from app.core.db.connections import Reader as Reader
from app.core.db.connections import connect as connect
from app.core.db.connections import conninfo as conninfo
from app.core.db.connections import current_patience, limits, plain_conninfo
from app.core.db.connections import require_role as require_role
from app.core.db.connections import within as within

Row = TypeVar("Row")


class Tx(Reader):
    """A connection inside an open transaction: its holder may query, never commit."""

    after_commit: list[Callable[[], None]]
    beginning: bytes = b""
    """Behind a pooler, with what each transaction begins; then there is nothing outside of one."""


class Demoted(psycopg.OperationalError):
    """The server is no primary any more: who tries again gets a connection to the one that is."""


class Statement(NamedTuple):
    """A statement with its parameters, to be sent by itself or as a part of another."""

    sql: LiteralString
    params: dict[str, Any]


IDLE_SECONDS: Final = 5.0
"""How long a connection is kept that nobody wants; another takes some milliseconds.

Jobs of housekeeping come once a minute, to any place: what each leaves is soon gone.
"""
_pool: ConnectionPool[Tx] | None = None
_forgetful_pool: ConnectionPool[Tx] | None = None


def open(
    url: str,
    *,
    size: int = 10,
    wait_seconds: float = 1.0,
    statement_timeout_seconds: float = 30.0,
    forgetful: int = 0,
    role: roles.Names = roles.DEFAULT,
    pooled: bool = False,
) -> None:
    """Call once in each process, after any fork: a pool has threads.

    `forgetful` is how many further connections serve `forgettable`; all of them take `role`.
    `pooled` says that `url` leads to a pooler in transaction mode.
    """
    global _pool, _forgetful_pool

    def opened(size: int, **settings: str) -> ConnectionPool[Tx]:
        given = {**limits(statement_timeout_seconds), **settings}

        def configure(connection: Tx) -> None:
            connection.patience_seconds = statement_timeout_seconds + SILENCE_SECONDS
            connection.role = roles.take(connection, role, stay=not pooled)
            if pooled:
                connection.beginning = pooler.beginning(connection.role, given)

        return ConnectionPool(
            plain_conninfo(url) if pooled else conninfo(url, statement_timeout_seconds, **settings),
            connection_class=Tx,
            min_size=0,  # each connection is a process of the server
            max_size=size,
            max_idle=IDLE_SECONDS,
            timeout=wait_seconds,
            reconnect_timeout=5.0,
            num_workers=1,
            configure=configure,
            check=_still_there,
            kwargs={"autocommit": True, "prepare_threshold": None if pooled else 2},
            open=True,
        )

    _pool = opened(size)
    if forgetful:
        _forgetful_pool = opened(forgetful, **FORGETFUL)


def _still_there(connection: Tx) -> None:
    """Refuse a connection that the server has closed, at the price of one look at its socket.

    An idle connection has nothing to say. If it has, only then is a round trip spent to find out.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        ConnectionPool.check_connection(connection)


def summary(error: psycopg.Error) -> str:
    """The first line of an error with its notes; further lines quote the statement."""
    line = str(error).strip().partition("\n")[0] or type(error).__name__
    return " ".join([line, *getattr(error, "__notes__", [])])


def close() -> None:
    global _pool, _forgetful_pool
    for pool in (_pool, _forgetful_pool):
        if pool:
            pool.close()
    _pool = _forgetful_pool = None


@contextmanager
def transaction(*, pipeline: bool = False) -> Iterator[Tx]:
    """Begin; commit when the block ends; roll back on any exception.

    With `pipeline`, statements whose rows nobody reads travel together with BEGIN and COMMIT in one
    round trip. Raises psycopg.OperationalError (or PoolTimeout, a kind of it) without a database.
    """
    with _borrowed(_opened()) as tx:
        with _begun(tx, pipeline):
            yield tx
        promises = tx.after_commit  # reached only when nothing was raised
    for promise in promises:  # the connection is back in the pool
        promise()


def _begun(tx: Tx, pipeline: bool) -> AbstractContextManager[object]:
    if tx.beginning:
        return nullcontext()
    return _pipelined(tx) if pipeline else tx.transaction()


@contextmanager
def _pipelined(tx: Tx) -> Iterator[None]:
    """As `tx.transaction()`, whose own BEGIN and COMMIT each wait for the server in a pipeline."""
    try:
        with tx.pipeline():
            tx.execute(b"begin")
            yield
            tx.execute(b"commit")
    except BaseException:
        if not tx.closed:
            tx.execute(b"rollback")
        raise


@contextmanager
def savepoint(tx: Tx) -> Iterator[None]:
    """A part of a transaction that can fail by itself.

    `tx.transaction()` alone would end all of it in a pipeline, in which psycopg does not know that
    a transaction has begun until the server has answered.
    """
    _settle(tx)
    with tx.transaction():
        yield


@contextmanager
def tenant(account_id: UUID) -> Iterator[Tx]:
    """A transaction that sees this account's rows in tables with row security; others see none."""
    with transaction() as tx:
        act_for(tx, account_id)
        yield tx


def act_for(tx: Tx, account_id: UUID) -> None:
    """Make an open transaction one of `tenant`, until it ends."""
    tx.execute("select set_config('app.account_id', %s, true)", [str(account_id)])


@contextmanager
def reading() -> Iterator[Reader]:
    """A connection for statements that only read: no BEGIN and COMMIT around them."""
    with _borrowed(_opened()) as reader:
        yield reader


@contextmanager
def single() -> Iterator[Tx]:
    """A connection for one writing statement, after any that read: no BEGIN, no COMMIT."""
    with _borrowed(_opened()) as tx:
        yield tx


@contextmanager
def forgettable() -> Iterator[Tx]:
    """A connection for one writing statement that a crash of the database may undo.

    The statement does not wait for the disk. For what repairs itself: claims, leases, progress.
    """
    with _borrowed(_opened(forgetful=True)) as tx:
        yield tx


@contextmanager
def _borrowed(pool: ConnectionPool[Tx]) -> Iterator[Tx]:
    """Raises Demoted, and ends all connections to the server, if it cannot be written any more."""
    tx = _waited_for(pool)
    try:
        with tx:
            tx.after_commit = []
            try:
                with pooler.begun(tx, tx.beginning) if tx.beginning else nullcontext():
                    yield tx
            except psycopg.errors.ReadOnlySqlTransaction as error:
                tx.close()
                pool.drain()
                raise Demoted(summary(error)) from error
    finally:
        pool.putconn(tx)


def _waited_for(pool: ConnectionPool[Tx]) -> Tx:
    """A connection of the pool. The wait counts in `within`, also if it was in vain."""
    patience, began = current_patience.get(), time.monotonic()
    if patience is None:
        return pool.getconn()
    try:
        return pool.getconn(min(pool.timeout, patience.left))
    finally:
        patience.spend(time.monotonic() - began)


def _opened(*, forgetful: bool = False) -> ConnectionPool[Tx]:
    pool = _forgetful_pool if forgetful else _pool
    if pool is None:
        raise RuntimeError("db.open() has not been called in this process")
    return pool


def first(reader: Reader, row: type[Row], sql: LiteralString, **params: Any) -> Row | None:
    with reader.cursor(row_factory=class_row(row)) as cursor:
        return cursor.execute(sql, params).fetchone()


def one(reader: Reader, row: type[Row], sql: LiteralString, **params: Any) -> Row:
    """The row that must be there; LookupError otherwise."""
    if (match := first(reader, row, sql, **params)) is None:
        raise LookupError(sql)
    return match


def many(reader: Reader, row: type[Row], sql: LiteralString, **params: Any) -> list[Row]:
    with reader.cursor(row_factory=class_row(row)) as cursor:
        return cursor.execute(sql, params).fetchall()


def value(reader: Reader, sql: LiteralString, **params: Any) -> Any:
    """The first column of the first row, or None."""
    record = reader.execute(sql, params).fetchone()
    return record[0] if record else None


def values(reader: Reader, sql: LiteralString, **params: Any) -> list[Any]:
    """The first column of every row."""
    return [row[0] for row in reader.execute(sql, params).fetchall()]


def run(reader: Reader, sql: LiteralString, **params: Any) -> int:
    """Execute and return how many rows were touched. A pipeline is waited for: see `send`."""
    cursor = reader.execute(sql, params)
    _settle(reader)
    return cursor.rowcount


def _settle(reader: Reader) -> None:
    """Wait for what was sent in a pipeline."""
    if reader.pgconn.pipeline_status:
        with reader.pipeline():
            pass  # the end of an inner one waits


def send(tx: Tx, sql: LiteralString, **params: Any) -> None:
    """Execute without waiting for the outcome: the form to use inside a pipeline."""
    tx.execute(sql, params)
