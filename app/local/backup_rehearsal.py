"""A rehearsal: a backup is restored into a scratch database, and what came back is counted."""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from app.core import db
from app.core.config.settings import Settings
from app.local import backups
from app.local.backups import NoBackup


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The restored rows of each table that has some, and the open jobs among them."""

    rows: dict[str, int]
    open_jobs: int
    seconds: float


def rehearse(settings: Settings, folder: Path) -> Rehearsal:
    """Restore a backup beside the database of the settings, count, and drop it again.

    Raises NoBackup also if other jobs are open than at the time of the backup.
    """
    began = time.monotonic()
    with _scratch(settings.owner_url) as url:
        scratch = replace(settings, database_url=url, database_direct_url="", database_owner_url="")
        manifest = backups.restore(scratch, folder)
        seconds = time.monotonic() - began
        with db.connect(url, role=None) as connection:
            connection.execute("set statement_timeout = 0")
            rows = {table: _count(connection, table) for table in db.values(connection, _TABLES)}
            open_jobs = db.value(connection, _OPEN_JOBS)
    if open_jobs != manifest.open_jobs:
        raise NoBackup(
            f"{open_jobs} open jobs came back, and there were {manifest.open_jobs} at the time of"
            f" the backup: {folder} is not complete."
        )
    return Rehearsal({table: count for table, count in rows.items() if count}, open_jobs, seconds)


@contextmanager
def _scratch(url: str) -> Iterator[str]:
    """The address of a database of its own on the server of `url`."""
    name = f"citegrid_rehearsal_{secrets.token_hex(4)}"
    create = "create database {} template template0 encoding 'UTF8'"
    drop = "drop database {} with (force)"
    with db.connect(url, role=None) as connection:
        connection.execute("set statement_timeout = 0")
        try:
            connection.execute(sql.SQL(create).format(sql.Identifier(name)))
        except psycopg.errors.InsufficientPrivilege:
            raise NoBackup(
                "The role of DATABASE_OWNER_URL may not create a database: run `alter role ..."
                " createdb` as a superuser, or rehearse on another server."
            ) from None
        try:
            yield make_conninfo(url, dbname=name)
        finally:
            connection.execute(sql.SQL(drop).format(sql.Identifier(name)))


_TABLES = """
    select relname from pg_class
    where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname
    """
_OPEN_JOBS = "select count(*) from jobs where finished_at is null"


def _count(connection: db.Reader, table: str) -> int:
    """Row security would hide rows from the owner as well; here is nobody to protect them from."""
    name = sql.Identifier(table)
    connection.execute(sql.SQL("alter table {} disable row level security").format(name))
    row = connection.execute(sql.SQL("select count(*) from {}").format(name)).fetchone()
    return int(row[0]) if row else 0
