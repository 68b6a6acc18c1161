"""Brings a database to the schema of this code: plain SQL files, forward only, each applied once.

Why not yoyo-migrations, which does the same: its lock is a row, so a process killed while it
migrates locks out every later start until somebody removes the row by hand; it records names and
not contents, so an edited file goes unnoticed; it guesses where statements end instead of leaving
that to Postgres; and it leaves connections open. An advisory lock, a checksum and one
multi-statement message need less code than working around that.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from psycopg import Connection, Error, sql
from psycopg.errors import DeadlockDetected, LockNotAvailable
from psycopg.rows import tuple_row

from app.core import db
from app.core.config.settings import DATABASE_ROLE
from app.core.db import rights
from app.core.db.migration import Migration, as_numbers, read_all

Result = TypeVar("Result")

FOLDER = Path(__file__).parents[2] / "migrations"

# Whatever uses a table waits behind who waits to change it, and gives up after five seconds (the
# `lock_timeout` of every connection), so this is less. It is more than Postgres's
# `deadlock_timeout` of a second, after which an autovacuum in the way is stopped.
LOCK_SECONDS: Final = 2.0
# Between two tries those who waited behind us are served.
PAUSE_SECONDS: Final = (1.0, 3.0)
PATIENCE_SECONDS: Final = 300.0
TURN_SECONDS: Final = 0.2  # between two looks whether another run has ended
# A batch is followed by a pause as long as itself: half of the time is left to the service.
BATCH_REST: Final = 1.0

# Any number, as long as nothing else of ours locks it: "citegrid" in ASCII.
_LOCK = int.from_bytes(b"citegrid", "big", signed=True)

_TABLE = """
create table if not exists schema_migrations (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default now(),
    -- The first release that can work with the schema once this file is applied; null: the one
    -- before it can, too. A process that is older than that refuses to start.
    needs text
)"""


# The first of the files that checkouts from before the first release had; others took their place.
_BEFORE_FIRST_RELEASE = "0001_accounts"


class MigrationChanged(RuntimeError):
    """A migration that was applied to this database differs from its file."""


def migrate(
    url: str,
    folder: Path = FOLDER,
    *,
    role: str = DATABASE_ROLE,
    patience_seconds: float = PATIENCE_SECONDS,
) -> list[str]:
    """Apply what is missing, in the order of the names, and return the names applied.

    `url` signs in as who owns the tables. `citegrid_app` in a file stands for `role`. Then the
    roles of the API and of the workers get the rights that `rights.toml` states, also when there
    was nothing to apply: they may have been made since.

    The service may go on meanwhile. Each file is one transaction with its own record, so a failure
    leaves the files before it in place and nothing of its own; the head of a file may say otherwise
    (see `migration`), and then it goes on, or begins anew, at the next run. A file that does not
    get its locks is tried again for `patience_seconds`. A second run waits for the first and finds
    nothing to do. Raises MigrationChanged, or psycopg.Error with the file's name as a note.
    """
    with _alone(url) as connection:
        connection.execute(_TABLE)
        missing = _missing(connection, folder)
        for migration in missing:
            _apply(connection, migration, role, time.monotonic() + patience_seconds)
        if (folder / rights.FILE).exists():
            rights.grant(connection, folder, role)
    return [migration.name for migration in missing]


def pending(url: str, folder: Path = FOLDER) -> list[str]:
    """The names that `migrate` would apply now. Raises MigrationChanged, psycopg.Error."""
    with db.connect(url, role=None) as connection:
        return [migration.name for migration in _missing(connection, folder)]


_OLD = r"""
select distinct name || ' (' || version || ')' from workers
where seen_at > now() - interval '15 seconds'
  and string_to_array(substring(version from '^\d+(?:\.\d+)*'), '.')::int[] < %(needs)s::int[]
order by 1"""


def outdated(url: str, folder: Path = FOLDER) -> list[str]:
    """The workers, with their releases, that would fail once the pending migrations are applied."""
    with db.connect(url, role=None) as connection:
        needs = [as_numbers(one.needs) for one in _missing(connection, folder) if one.needs]
        if not needs:
            return []
        return list(db.values(connection, _OLD, needs=list(max(needs))))


_TRY_LOCK = "select pg_try_advisory_lock(%(lock)s)"


@contextmanager
def _alone(url: str) -> Iterator[db.Reader]:
    """A connection that no other `migrate` has at the same time; Postgres ends its lock with it."""
    with db.connect(url, role=None) as connection:
        # Waiting for the first, building an index and waiting for those who might not see it may
        # all take long.
        connection.execute("set statement_timeout = 0")
        connection.execute("set lock_timeout = 0")
        # Not one statement that waits: `create index concurrently` waits for whoever has a
        # statement under way, and so would the first run for the second, which waits for it.
        while not db.value(connection, _TRY_LOCK, lock=_LOCK):
            time.sleep(TURN_SECONDS)
        yield connection


def _missing(connection: Connection[Any], folder: Path) -> list[Migration]:
    known = _checksums(connection)
    if _BEFORE_FIRST_RELEASE in known:
        raise MigrationChanged(
            "This database was made by a checkout from before the first release, and no migration"
            " leads from there to here: start with an empty database. That of a local run is in its"
            " data folder (.citegrid, or what --data names): remove the folder and start again."
        )
    missing = []
    for migration in read_all(folder):
        if migration.name not in known:
            missing.append(migration)
        elif known[migration.name] != migration.checksum:
            raise MigrationChanged(
                f"{migration.name}.sql was edited after it had been applied: write a new file"
                " instead."
            )
    return missing


def _checksums(connection: Connection[Any]) -> dict[str, str]:
    cursor = connection.cursor(row_factory=tuple_row)
    table = cursor.execute("select to_regclass('schema_migrations')").fetchone()
    if table is None or table[0] is None:
        return {}
    return dict(cursor.execute("select name, checksum from schema_migrations").fetchall())


def _apply(connection: Connection[Any], migration: Migration, role: str, until: float) -> None:
    # The checksum is that of the file: it is the same whatever the role is called.
    statements = migration.sql.replace(DATABASE_ROLE.encode(), role.encode())
    try:
        if migration.outside_transaction:
            _run_outside(connection, migration, statements)
            _record(connection, migration)
        elif migration.in_batches:
            _run_batches(connection, statements, until)
            _record(connection, migration)
        else:
            _patiently(lambda: _run_whole(connection, migration, statements), until)
    except LockNotAvailable as error:
        error.add_note(
            f"while applying {migration.name}.sql: somebody held a table for so long. Look for an"
            " old transaction in pg_stat_activity, end it, and migrate again"
        )
        raise
    except Error as error:
        error.add_note(f"while applying {migration.name}.sql")
        raise


def _run_whole(connection: Connection[Any], migration: Migration, statements: bytes) -> None:
    with _locking(connection):
        connection.execute(statements)  # all statements in one message, split by Postgres
        _record(connection, migration)


def _run_batches(connection: Connection[Any], statement: bytes, until: float) -> None:
    """Each batch commits by itself, so a run that was killed goes on where it was."""
    changed = 1
    while changed:
        began = time.monotonic()
        changed = _patiently(lambda: _run_batch(connection, statement), until)
        seconds = time.monotonic() - began
        until += seconds * (1 + BATCH_REST)  # patience is for locks, not for work
        if changed:
            time.sleep(seconds * BATCH_REST)


def _run_batch(connection: Connection[Any], statement: bytes) -> int:
    with _locking(connection):
        return connection.execute(statement).rowcount


def _run_outside(connection: Connection[Any], migration: Migration, statement: bytes) -> None:
    """Such a statement lets others read and write while it waits: nothing limits its waiting."""
    index = migration.concurrent_index
    if index:
        _drop_invalid(connection, index)
    try:
        connection.execute(statement)
    except Error:
        if index:
            with suppress(Error):  # or at the next run
                _drop_invalid(connection, index)
        raise


# What a build leaves behind that failed or was killed: no query uses it, and every write pays.
_INVALID = """
    select from pg_index
    where indexrelid = to_regclass(%s) and not indisvalid
    """


def _drop_invalid(connection: Connection[Any], index: str) -> None:
    if connection.execute(_INVALID, [index]).fetchone() is not None:
        drop = sql.SQL("drop index concurrently if exists {}")
        connection.execute(drop.format(sql.Identifier(index)))


@contextmanager
def _locking(connection: Connection[Any]) -> Iterator[None]:
    """A transaction that does not wait for a lock for long."""
    with connection.transaction():
        limit = f"{int(LOCK_SECONDS * 1000)}ms"
        connection.execute("select set_config('lock_timeout', %s, true)", [limit])
        yield


def _patiently(act: Callable[[], Result], until: float) -> Result:
    """Do `act` again while it does not get its locks, until then."""
    while True:
        try:
            return act()
        except (LockNotAvailable, DeadlockDetected):
            if time.monotonic() > until:
                raise
        time.sleep(random.uniform(*PAUSE_SECONDS))  # noqa: S311 (no secret)


_RECORD = "insert into schema_migrations (name, checksum, needs) values (%s, %s, %s)"


def _record(connection: Connection[Any], migration: Migration) -> None:
    connection.execute(_RECORD, [migration.name, migration.checksum, migration.needs])
