"""A migrated database for each test: the one of the test before, emptied.

Making one takes the kernel some three hundred files, and longer than most tests run. What a test
deletes is deleted for real; a test that changes the schema gets its database thrown away. Sessions
are handed on as well: what Postgres spends on a new one is more than most tests ask of it.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg import Connection, sql
from psycopg.abc import Query
from psycopg.types.json import Jsonb
from psycopg_pool import ConnectionPool

from app.core import db
from app.core.config.settings import DATABASE_ROLE
from app.core.db import Tx
from app.local.embedded.postgres import Postgres
from tests import servers
from tests.patience import PATIENCE_SECONDS

Pool = ConnectionPool[Tx]

MOST_USES = 200  # then what was deleted has grown its files enough
MOST_ROWS = 2_000  # of one table: so many deleted ones would slow the tests after it

TABLES = """
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname
    """

# Oids are never used twice, so whatever was added, replaced or removed changes a sum.
SCHEMA = """
    select md5(concat_ws(' ',
        (select string_agg(concat_ws(',', c.oid, c.reloptions, c.relrowsecurity, c.relacl), ' '
                           order by c.oid)
         from pg_class c where c.relnamespace = 'public'::regnamespace),
        (select string_agg(concat_ws(',', a.attrelid, a.attname, a.atttypid, a.attnotnull,
                                     a.attisdropped, a.attacl), ' '
                           order by a.attrelid, a.attnum)
         from pg_attribute a join pg_class c on c.oid = a.attrelid
         where c.relnamespace = 'public'::regnamespace and a.attnum > 0),
        (select string_agg(concat_ws(',', t.oid, t.tgenabled), ' ' order by t.oid)
         from pg_trigger t),
        (select string_agg(oid::text, ' ' order by oid) from pg_constraint),
        (select string_agg(concat_ws(',', oid, xmin), ' ' order by oid) from pg_proc
         where pronamespace = 'public'::regnamespace),
        (select string_agg(concat_ws(',', setdatabase, setrole, setconfig), ' ')
         from pg_db_role_setting)))
    """

# That sum takes longer than the rest, so it is asked for after statements that may change it.
NOTE_CHANGES = """
    create schema noted;
    create table noted.changes ();
    create function noted.note() returns event_trigger security definer language plpgsql
        as 'begin insert into noted.changes default values; end';
    create event trigger changes on ddl_command_end execute function noted.note();
    alter event trigger changes enable always;
    """
CHANGED = "select exists (select from noted.changes) or exists (select from pg_db_role_setting)"

OTHERS = """
    select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and pid <> all(%s)
    """

AS_NEW = sql.SQL(
    "reset all; set role {}; select pg_advisory_unlock_all(); discard sequences; discard temp"
)

SEQUENCES = """
    select setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    from pg_sequences where last_value is not null
    """


@dataclass(slots=True)
class _Database:
    url: str
    connection: Connection[Any]
    tables: list[str]
    filled: bytes
    """Asks which of them have rows."""
    schema: str
    seeds: dict[str, list[dict[str, Any]]]
    """The rows that migrations put into tables."""
    uses: int = 0


class Databases:
    """Lends a migrated, otherwise empty database, to one borrower at a time."""

    def __init__(self, server: Postgres) -> None:
        self._server = server
        self._kept = ExitStack()
        self._database: _Database | None = None
        self._pools: list[Pool] = []

    @contextmanager
    def lend(self) -> Iterator[str]:
        """The URL of a database, which `db.transaction()` uses as well, and nobody else."""
        database = self._database or self._create()
        if not self._pools:
            db.open(database.url, wait_seconds=PATIENCE_SECONDS, forgetful=2)
            self._pools = _pools_in_use()
        db._pool, db._forgetful_pool = self._pools
        yield database.url
        try:
            database.connection.execute("select")  # a pool would wait for a server that is gone
            fit = self._empty(database, self._rested())
        except psycopg.Error:  # its server went away meanwhile
            fit = False
        if not fit:
            self.close()

    def close(self) -> None:
        self._database = None
        self._close_pools()
        self._kept.close()

    def _rested(self) -> list[int]:
        """The process ids of the sessions that are kept: none if a pool has several, if somebody
        has one still, or opened pools of his own."""
        if _pools_in_use() != self._pools or not all(map(_is_fit, self._pools)):
            db.close()
            self._close_pools()
        db._pool = db._forgetful_pool = None
        return [pid for pool in self._pools for pid in _renewed(pool)]

    def _close_pools(self) -> None:
        for pool in self._pools:
            pool.close()
        self._pools = []

    def _create(self) -> _Database:
        url = self._kept.enter_context(servers.database(self._server))
        connection = self._kept.enter_context(psycopg.connect(url, autocommit=True))
        connection.execute("set session_replication_role = replica")  # no trigger forbids deleting
        tables = _names(connection, TABLES)
        filled = sql.SQL(" union all ").join(map(_look, tables)).as_bytes()
        seeds = {table: _rows(connection, table) for table in _names(connection, filled)}
        connection.execute(NOTE_CHANGES)
        schema = str(_value(connection, SCHEMA))
        self._database = _Database(url, connection, tables, filled, schema, seeds)
        return self._database

    def _empty(self, database: _Database, rested: list[int]) -> bool:
        """Make it as it was. False when that cannot be: another one is needed."""
        connection = database.connection
        database.uses += 1
        connection.execute(OTHERS, [rested])
        if database.uses >= MOST_USES or not _has_its_schema(database):
            return False
        seeds = database.seeds
        as_seeded = {table for table in seeds if _rows(connection, table) == seeds[table]}
        with connection.transaction():
            filled = set(_names(connection, database.filled)) - as_seeded
            deleted = [_delete(connection, table) for table in filled]
            connection.execute(SEQUENCES)
            for table in seeds.keys() - as_seeded:
                _insert(connection, table, seeds[table])
        return max(deleted, default=0) <= MOST_ROWS


def _has_its_schema(database: _Database) -> bool:
    """True without the tables that a test has added, which are dropped."""
    connection = database.connection
    if not _value(connection, CHANGED):
        return True
    for table in set(_names(connection, TABLES)) - set(database.tables):
        connection.execute(sql.SQL("drop table {} cascade").format(sql.Identifier(table)))
    connection.execute("delete from noted.changes")
    return str(_value(connection, SCHEMA)) == database.schema


def _pools_in_use() -> list[Pool]:
    return [pool for pool in (db._pool, db._forgetful_pool) if pool]


def _is_fit(pool: Pool) -> bool:
    """True if one session at most is left: of several, a test would not know which it gets."""
    stats = pool.get_stats()
    return not pool.closed and stats["pool_size"] == stats["pool_available"] <= 1


def _renewed(pool: Pool) -> Iterator[int]:
    """Make its session as it was when it began, but for prepared statements; the process id."""
    if pool.get_stats()["pool_available"]:
        session = pool.getconn()
        session.execute(AS_NEW.format(sql.Identifier(DATABASE_ROLE)), prepare=False)
        session.role = DATABASE_ROLE
        yield session.info.backend_pid
        pool.putconn(session)


def become_owner(tx: Connection[Any]) -> None:
    """Until the transaction ends, it may do what migrations may: tests sign in as their owner."""
    tx.execute("set local role none")


def sessions_waiting() -> int:
    """How many sessions wait for a lock, which only their owner sees."""
    with db.transaction() as tx:
        become_owner(tx)
        return int(
            db.value(tx, "select count(*) from pg_stat_activity where wait_event_type = 'Lock'")
        )


def _names(connection: Connection[Any], query: Query) -> list[str]:
    return [row[0] for row in connection.execute(query).fetchall()]


def _value(connection: Connection[Any], query: LiteralString) -> Any:
    row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def _rows(connection: Connection[Any], table: str) -> list[dict[str, Any]]:
    query = sql.SQL("select to_jsonb(rows) from {} rows").format(sql.Identifier(table))
    return [row[0] for row in connection.execute(query).fetchall()]


def _look(table: str) -> sql.Composed:
    query = sql.SQL("select {} where exists (select from {})")
    return query.format(table, sql.Identifier(table))


def _delete(connection: Connection[Any], table: str) -> int:
    return connection.execute(sql.SQL("delete from {}").format(sql.Identifier(table))).rowcount


def _insert(connection: Connection[Any], table: str, rows: list[dict[str, Any]]) -> None:
    query = sql.SQL("insert into {0} select * from jsonb_populate_recordset(null::{0}, %s)")
    connection.execute(query.format(sql.Identifier(table)), [Jsonb(rows)])


def assert_refused(database: str, role: str, statement: LiteralString) -> None:
    """Who works as this role may not do that."""
    with (
        db.connect(database, role=(role,)) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute(statement)
