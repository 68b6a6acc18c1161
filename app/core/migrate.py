"""Brings a database to the schema of this code: plain SQL files, forward only, each applied once.

Why not yoyo-migrations, which does the same: its lock is a row, so a process killed while it
migrates locks out every later start until somebody removes the row by hand; it records names and
not contents, so an edited file goes unnoticed; it guesses where statements end instead of leaving
that to Postgres; and it leaves connections open. An advisory lock, a checksum and one
multi-statement message need less code than working around that.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from psycopg import Connection, Error
from psycopg.rows import tuple_row

from app.core import db

FOLDER = Path(__file__).parent.parent / "migrations"

# Any number, as long as nothing else of ours locks it: "citegrid" in ASCII.
_LOCK = int.from_bytes(b"citegrid", "big", signed=True)

_TABLE = """
create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now()
)"""


class MigrationChanged(RuntimeError):
    """A file was edited after it had been applied to this database."""


@dataclass(frozen=True, slots=True)
class _Migration:
    name: str
    sql: bytes

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.sql).hexdigest()


def migrate(url: str, folder: Path = FOLDER) -> list[str]:
    """Apply what is missing, in the order of the names, and return the names applied.

    Each file is one transaction with its own record, so a failure leaves the files before it in
    place and nothing of its own. A second run waits for the first and finds nothing to do.
    Raises MigrationChanged, or psycopg.Error with the file's name as a note.
    """
    with _alone(url) as connection:
        connection.execute(_TABLE)
        missing = _missing(connection, folder)
        for migration in missing:
            _apply(connection, migration)
    return [migration.name for migration in missing]


def pending(url: str, folder: Path = FOLDER) -> list[str]:
    """The names that `migrate` would apply now. Raises MigrationChanged, psycopg.Error."""
    with db.connect(url) as connection:
        return [migration.name for migration in _missing(connection, folder)]


@contextmanager
def _alone(url: str) -> Iterator[Connection[Any]]:
    """A connection that no other `migrate` has at the same time; Postgres ends its lock with it."""
    with db.connect(url) as connection:
        # Waiting for the first and building an index may both take long; waiting for a table's
        # lock may not (the `lock_timeout` of every connection), as all its users queue behind us.
        connection.execute("set statement_timeout = 0")
        with connection.transaction():
            connection.execute("set local lock_timeout = 0")
            connection.execute("select pg_advisory_lock(%s)", [_LOCK])
        yield connection


def _missing(connection: Connection[Any], folder: Path) -> list[_Migration]:
    known = _checksums(connection)
    missing = []
    for file in sorted(folder.glob("*.sql")):
        migration = _Migration(file.stem, file.read_bytes())
        if migration.name not in known:
            missing.append(migration)
        elif known[migration.name] != migration.checksum:
            raise MigrationChanged(
                f"{file.name} was edited after it had been applied: write a new file instead."
            )
    return missing


def _checksums(connection: Connection[Any]) -> dict[str, str]:
    cursor = connection.cursor(row_factory=tuple_row)
    found = cursor.execute("select to_regclass('schema_migrations')").fetchone()
    if found is None or found[0] is None:
        return {}
    return dict(cursor.execute("select name, checksum from schema_migrations").fetchall())


def _apply(connection: Connection[Any], migration: _Migration) -> None:
    try:
        with connection.transaction():
            connection.execute(migration.sql)  # all statements in one message, split by Postgres
            connection.execute(
                "insert into schema_migrations (name, checksum) values (%s, %s)",
                [migration.name, migration.checksum],
            )
    except Error as error:
        error.add_note(f"while applying {migration.name}.sql")
        raise
