"""Connections to Postgres that never wait for ever, whoever hangs: the server, or the network."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import psycopg
from psycopg import Connection
from psycopg.abc import RV, PQGen
from psycopg.conninfo import make_conninfo
from psycopg.errors import InsufficientPrivilege
from psycopg.types.json import JsonbDumper

from app.core.db import pooler, refusals, roles

psycopg.adapters.register_dumper(dict, JsonbDumper)


class Patience:
    """The seconds that may still be spent on waiting for the database."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds

    def spend(self, seconds: float) -> None:
        self.left = max(0.0, self.left - seconds)


current_patience: ContextVar[Patience | None] = ContextVar("current_patience", default=None)
"""Of the block `within` that this thread is in."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """All that this thread asks of the database in the block takes at most so long together.

    Beyond it: psycopg.OperationalError, whether the database refuses, is slow, or hangs.
    """
    before = current_patience.set(Patience(seconds))
    try:
        yield
    finally:
        current_patience.reset(before)


SILENCE_SECONDS: Final = 10.0
"""A server may be silent for its statement timeout and so much longer; then it is given up."""


class Reader(Connection[Any]):
    """A connection for statements that only read, each for itself or inside a transaction."""

    patience_seconds: float | None = None
    """How long one answer may take. None: without a limit, for migrations."""
    role: str | None = None
    """The role it took. None: it stayed what it signs in as."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        """As psycopg's, with what is left of `within`; a right that is refused is noted.

        Every answer of the server passes here, so no caller can swallow a refusal unseen.
        """
        try:
            return self._wait(gen, interval, timeout)
        except InsufficientPrivilege as error:
            if self.role:  # else it migrates, and may find out in this way what it may do
                refusals.note(self.role, error)
            raise

    def _wait(self, gen: PQGen[RV], interval: float, timeout: float | None) -> RV:
        """An abandoned connection is closed.

        The timeouts of the server end what it is slow at; they say nothing when it hangs itself, or
        the network before it.
        """
        patience = current_patience.get()
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


def conninfo(url: str, statement_timeout_seconds: float = 30.0, **settings: str) -> str:
    """The connection string with the limits every connection of ours has, and `settings`."""
    given = {
        **limits(statement_timeout_seconds),
        **{f"tcp_keepalives_{name}": str(value) for name, value in _SIGNS_OF_LIFE.items()},
        "tcp_user_timeout": f"{SILENT_SECONDS}s",
        **settings,
    }
    options = " ".join(f"-c {name}={value}" for name, value in given.items())
    return make_conninfo(plain_conninfo(url), options=options)


def plain_conninfo(url: str) -> str:
    """The connection string with what concerns this end alone."""
    return make_conninfo(
        url,
        connect_timeout=3,
        # Of several hosts the primary; and no replica is taken for one, wherever an address leads.
        target_session_attrs="read-write",
        tcp_user_timeout=SILENT_SECONDS * 1000,
        **{f"keepalives_{name}": value for name, value in _SIGNS_OF_LIFE.items()},
    )


def limits(statement_timeout_seconds: float) -> dict[str, str]:
    """The settings of the server for whatever we send."""
    return {
        "statement_timeout": f"{int(statement_timeout_seconds * 1000)}ms",
        "lock_timeout": "5s",
        "idle_in_transaction_session_timeout": "15s",
        # Queries here are short: planning a parallel or compiled plan costs more than it saves.
        "jit": "off",
        "max_parallel_workers_per_gather": "0",
        "timezone": "UTC",
    }


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
    try:
        connection = Reader.connect(conninfo(url), autocommit=True, **kwargs)
    except psycopg.OperationalError as error:
        pooler.explain(error)
        raise
    connection.patience_seconds = patience_seconds
    if role:
        try:
            connection.role = roles.take(connection, role)
        except psycopg.Error:
            connection.close()
            raise
    return connection


def require_role(url: str, role: roles.Names) -> str | None:
    """Call when a process starts: which role it works as. Raises UnsafeRole with what to do.

    Raises PoolerFound as well. A database that is away says nothing: each connection of the pool is
    checked when it is made.
    """
    try:
        with connect(url, role=None) as connection:
            pooler.refuse(connection, limits(30.0)["idle_in_transaction_session_timeout"])
            return roles.require(connection, role)
    except psycopg.OperationalError as error:
        pooler.refuse_error(error)
        return None
