"""A pooler in transaction mode (PgBouncer) between us and Postgres.

Each transaction may run in another session of the server. So nothing is left in one: the role and
the limits are set in each transaction, no statement stays prepared, and what needs a session of its
own (listening, locks of sessions, migrations) has DATABASE_DIRECT_URL.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg import Connection, sql

from app.core.config.settings import BadConfiguration

REMEDY: Final = (
    "set DATABASE_DIRECT_URL to the address of Postgres itself, and leave DATABASE_URL as it is."
)
_ANSWERS: Final = f"a pooler answers instead of Postgres: {REMEDY}"
_REFUSAL: Final = "unsupported startup parameter"
_SETTING: Final = "show idle_in_transaction_session_timeout"


class PoolerFound(BadConfiguration):
    """DATABASE_URL leads to a pooler, and nobody has said so."""


def refuse(connection: Connection[Any], expected: str) -> None:
    """Raises PoolerFound if what was to be set when the connection was made is not.

    A pooler that has been told to ignore such settings would lose the role as well.
    """
    (timeout,) = connection.execute(_SETTING).fetchone() or ("",)
    if timeout != expected:
        raise PoolerFound(f"Database: a pooler before it ignores settings of connections: {REMEDY}")


def refuse_error(error: psycopg.OperationalError) -> None:
    """Raises PoolerFound if it is a pooler that says so."""
    if _REFUSAL in str(error):
        raise PoolerFound(f"Database: {_ANSWERS}")


def explain(error: psycopg.OperationalError) -> None:
    """Notes what to do if it is a pooler that says so: for commands, which show the error."""
    if _REFUSAL in str(error):
        error.add_note(f"({_ANSWERS})")


def beginning(role: str, settings: Mapping[str, str]) -> bytes:
    """The statements that begin a transaction, which travel together."""
    values = [
        sql.SQL("set local {} = {}").format(sql.Identifier(name), sql.Literal(value))
        for name, value in settings.items()
    ]
    begin = [sql.SQL("begin"), sql.SQL("set local role {}").format(sql.Identifier(role))]
    return sql.SQL(";").join([*begin, *values]).as_bytes()


@contextmanager
def begun(connection: Connection[Any], beginning: bytes) -> Iterator[None]:
    """A transaction that commits when the block ends, and rolls back on any exception."""
    connection.execute(beginning)
    try:
        yield
    except BaseException:
        if not connection.closed:
            connection.execute(b"rollback")
        raise
    connection.execute(b"commit")
