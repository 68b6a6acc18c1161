"""The only place where a transaction begins and ends.

Doors open transactions; leaving the block commits, any exception rolls back. Everything below a
door takes the open transaction as its first argument and cannot commit it.
"""

import select
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, LiteralString, NamedTuple, TypeVar
from uuid import UUID

import psycopg
from psycopg import Connection
from psycopg.abc import RV, PQGen
from psycopg.conninfo import make_conninfo
from psycopg.rows import class_row
from psycopg_pool import ConnectionPool

from app.core import roles

Row = TypeVar("Row")


SILENCE_SECONDS: Final = 10.0
"""A server may be silent for its statement timeout and so much longer; then it is given up."""


class Reader(Connection[Any]):
    """A connection for statements that only read, each for itself or inside a transaction."""

    patience_seconds: float | None = None
    """How long one answer may take. None: without a limit, for migrations."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """As psycopg's, with what is left of `within`. An abandoned connection is closed.

        The timeouts of the server end what it is slow at; they say nothing when it hangs itself, or
        the network before it.
        """
        patience = _patience.get()
        left = _least(self.patience_seconds, patience.left if patience else None)
        if left is None:
            return super().wait(gen, interval, timeout)
        began = time.monotonic()
        try:
            return super().wait(gen, interval, left)
        except psycopg.OperationalError:
            if time.monotonic() - began >= left:
                self.pgconn.finish()
            raise
        finally:
            if patience is not None:
                patience.spend(time.monotonic() - began)


def _least(*seconds: float | None) -> float | None:
    return min((each for each in seconds if each is not None), default=None)


class Tx(Reader):
    """A connection inside an open transaction: its holder may query, never commit."""

    after_commit: list[Callable[[], None]]


class Demoted(psycopg.OperationalError):
    """The server is no primary any more: who tries again gets a connection to the one that is."""


class Statement(NamedTuple):
    """A statement with its parameters, to be sent by itself or as a part of another."""

    sql: LiteralString
    params: dict[str, Any]


class _Patience:
    """How many seconds may still be spent on waiting for the database."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def spend(self, seconds: float) -> None:
        self.left = max(0.0, self.left - seconds)


_patience: ContextVar[_Patience | None] = ContextVar("patience", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """All that this thread asks of the database in the block takes at most so long together.

    Beyond it: psycopg.OperationalError, whether the database refuses, is slow, or hangs.
    """
    before = _patience.set(_Patience(seconds))
    try:
        yield
    finally:
        _patience.reset(before)


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
) -> None:
    """Call once in each process, after any fork: a pool has threads.

    `forgetful` is how many further connections serve `forgettable`; all of them take `role`.
    """
    global _pool, _forgetful_pool
    plain = conninfo(url, statement_timeout_seconds)
    patience_seconds = statement_timeout_seconds + SILENCE_SECONDS
    _pool = _open_pool(plain, size, wait_seconds, patience_seconds, role)
    if forgetful:
        hasty = conninfo(url, statement_timeout_seconds, **FORGETFUL)
        _forgetful_pool = _open_pool(hasty, forgetful, wait_seconds, patience_seconds, role)


def _open_pool(
    conninfo: str, size: int, wait_seconds: float, patience_seconds: float, role: roles.Names
) -> ConnectionPool[Tx]:
    def configure(connection: Tx) -> None:
        connection.patience_seconds = patience_seconds
        roles.take(connection, role)

    return ConnectionPool(
        conninfo,
        connection_class=Tx,
        min_size=1,
        max_size=size,
        timeout=wait_seconds,
        reconnect_timeout=5.0,
        num_workers=1,
        configure=configure,
        check=_still_there,
        kwargs={"autocommit": True, "prepare_threshold": 2},
        open=True,
    )


def _still_there(connection: Tx) -> None:
    """Refuse a connection that the server has closed, at the price of one look at its socket.

    An idle connection has nothing to say. If it has, only then is a round trip spent to find out.
    """
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if poll.poll(0):
        ConnectionPool.check_connection(connection)


# Few statements by an index, again and again: planning each again takes longer than running it, and
# one that was planned while the table was empty would go on to read all of it.
FORGETFUL = {
    "synchronous_commit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
}


# A peer that gives no sign of life for so long is considered gone: a cable is pulled, a firewall
# has forgotten the connection. The kernel alone would wait for minutes, or hours. At both ends, so
# that the server gives up the locks of a client that is cut off. Without effect on Unix sockets.
SILENT_SECONDS = 16
_SIGNS_OF_LIFE = {"idle": 7, "interval": 3, "count": 3}


def conninfo(
    url: str,
    statement_timeout_seconds: float = 30.0,
    **settings: str,
) -> str:
    """The connection string with the limits every connection of ours has, and `settings`."""
    limits = {
        "statement_timeout": f"{int(statement_timeout_seconds * 1000)}ms",
        "lock_timeout": "5s",
        "idle_in_transaction_session_timeout": "15s",
        # Queries here are short: planning a parallel or compiled plan costs more than it saves.
        "jit": "off",
        "max_parallel_workers_per_gather": "0",
        "timezone": "UTC",
        **{f"tcp_keepalives_{name}": str(value) for name, value in _SIGNS_OF_LIFE.items()},
        "tcp_user_timeout": f"{SILENT_SECONDS}s",
        **settings,
    }
    options = " ".join(f"-c {name}={value}" for name, value in limits.items())
    return make_conninfo(
        url,
        connect_timeout=3,
        # Of several hosts the primary; and no replica is taken for one, wherever an address leads.
        target_session_attrs="read-write",
        options=options,
        tcp_user_timeout=SILENT_SECONDS * 1000,
        **{f"keepalives_{name}": value for name, value in _SIGNS_OF_LIFE.items()},
    )


def connect(
    url: str,
    *,
    role: roles.Names | None = roles.DEFAULT,
    patience_seconds: float | None = None,
    **kwargs: Any,
) -> Reader:
    """One connection of its own, in autocommit: for listening, migrating and last words.

    It takes `role`; with None it stays what it signs in as, the owner of the tables.
    `patience_seconds` is how long the server may be silent; without it, as long as it likes.
    """
    connection = Reader.connect(conninfo(url), autocommit=True, **kwargs)
    connection.patience_seconds = patience_seconds
    if role:
        try:
            roles.take(connection, role)
        except psycopg.Error:
            connection.close()
            raise
    return connection


def require_role(url: str, role: roles.Names) -> str | None:
    """Call when a process starts: which role it works as. Raises UnsafeRole with what to do.

    A database that is away says nothing: each connection of the pool is checked when it is made.
    """
    try:
        with connect(url, role=None) as connection:
            return roles.require(connection, role)
    except psycopg.OperationalError:
        return None


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
        with _pipelined(tx) if pipeline else tx.transaction():
            yield tx
        promises = tx.after_commit  # reached only when nothing was raised
    for promise in promises:  # the connection is back in the pool
        promise()


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
    """A connection for one writing statement, which commits by itself: no BEGIN, no COMMIT.

    Statements that only read may come before it.
    """
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
    patience, began = _patience.get(), time.monotonic()
    wait_seconds = pool.timeout if patience is None else min(pool.timeout, patience.left)
    with pool.connection(wait_seconds) as tx:
        if patience is not None:
            patience.spend(time.monotonic() - began)
        tx.after_commit = []
        try:
            yield tx
        except psycopg.errors.ReadOnlySqlTransaction as error:
            tx.close()
            pool.drain()
            raise Demoted(summary(error)) from error


def _opened(*, forgetful: bool = False) -> ConnectionPool[Tx]:
    pool = _forgetful_pool if forgetful else _pool
    if pool is None:
        raise RuntimeError("db.open() has not been called in this process")
    return pool


def first(reader: Reader, row: type[Row], sql: LiteralString, **params: Any) -> Row | None:
    """The first row as `row`, or None."""
    with reader.cursor(row_factory=class_row(row)) as cursor:
        return cursor.execute(sql, params).fetchone()


def one(reader: Reader, row: type[Row], sql: LiteralString, **params: Any) -> Row:
    """The row that must be there; LookupError otherwise."""
    if (match := first(reader, row, sql, **params)) is None:
        raise LookupError(sql)
    return match


def many(reader: Reader, row: type[Row], sql: LiteralString, **params: Any) -> list[Row]:
    """All rows as `row`."""
    with reader.cursor(row_factory=class_row(row)) as cursor:
        return cursor.execute(sql, params).fetchall()


def value(reader: Reader, sql: LiteralString, **params: Any) -> Any:
    """The first column of the first row, or None."""
    record = reader.execute(sql, params).fetchone()
    return record[0] if record else None


def values(reader: Reader, sql: LiteralString, **params: Any) -> Sequence[Any]:
    """The first column of every row."""
    return [row[0] for row in reader.execute(sql, params).fetchall()]


def run(reader: Reader, sql: LiteralString, **params: Any) -> int:
    """Execute and return how many rows were touched (do not ask inside a pipeline)."""
    return reader.execute(sql, params).rowcount


def send(tx: Tx, sql: LiteralString, **params: Any) -> None:
    """Execute without waiting for the outcome: the form to use inside a pipeline."""
    tx.execute(sql, params)
