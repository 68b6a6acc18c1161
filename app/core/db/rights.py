"""The roles of the API and of the workers, and what they may do: `migrations/rights.toml`.

A file and not grants in migrations: what a role may do is read in one place, and roles that are
made later get all of it. Where the owner of the tables may not make roles, both go on as
DATABASE_ROLE; `citegrid-server doctor` says so, and what a superuser is to do.

A right is taken away in the release after the one whose code stopped needing it: processes of the
release before work beside a new schema.
"""

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from psycopg import Connection, sql
from psycopg.errors import DuplicateObject, InsufficientPrivilege, UniqueViolation

from app.core.db import roles

FILE: Final = "rights.toml"
PARTS: Final = ("api", "worker")
APP: Final = "app"
"""DATABASE_ROLE: has all rights where nothing is stated for it."""
MAINTAIN: Final = ", maintain"  # before Postgres 17 only an owner may vacuum: autovacuum does it


@dataclass(frozen=True, slots=True)
class StatedRights:
    """By part of the installation: what it may do with each table, and which functions it calls."""

    tables: dict[str, dict[str, str]]
    functions: dict[str, list[str]]


def stated(folder: Path) -> StatedRights:
    tables = tomllib.loads((folder / FILE).read_text())
    return StatedRights(tables, tables.pop("functions"))


def grant(connection: Connection[Any], folder: Path, role: str) -> None:
    """Make both roles, and give them exactly what is stated; `role` is DATABASE_ROLE."""
    rights = stated(folder)
    with connection.transaction():
        for part in PARTS:
            name = roles.sibling(role, part)
            if _made(connection, name):
                named = sql.Identifier(name)
                connection.execute(sql.SQL(_NONE).format(role=named))
                _give(connection, rights, part, named)
        app = sql.Identifier(role)
        for table in (name for name, parts in rights.tables.items() if APP in parts):
            connection.execute(
                sql.SQL("revoke all on {} from {}").format(sql.Identifier(table), app)
            )
        _give(connection, rights, APP, app)


def _made(connection: Connection[Any], role: str) -> bool:
    """True if the role is there, and may be taken where that is for us to say."""
    named = sql.Identifier(role)
    powerless = "nologin nosuperuser nobypassrls nocreatedb nocreaterole"
    if not _exists(connection, role):
        _try(connection, sql.SQL("create role {} " + powerless).format(named))
    if not _exists(connection, role):
        return False
    if not _may_take(connection, role):
        _try(connection, sql.SQL("grant {} to current_user").format(named))
    return True


def _exists(connection: Connection[Any], role: str) -> bool:
    known = "select from pg_roles where rolname = %s"
    return connection.execute(known, [role]).fetchone() is not None


def _may_take(connection: Connection[Any], role: str) -> bool:
    try:
        roles.require(connection, (role,))
    except roles.UnsafeRole:
        return False
    return True


def _try(connection: Connection[Any], statement: sql.Composed) -> None:
    """Another database of the server may make the same role now; a superuser may have to."""
    missed = (DuplicateObject, UniqueViolation, InsufficientPrivilege)
    with suppress(*missed), connection.transaction():
        connection.execute(statement)


_NONE = """
    grant usage on schema public to {role};
    revoke all on all tables in schema public from {role};
    grant usage on all sequences in schema public to {role};
    """


def _give(
    connection: Connection[Any], rights: StatedRights, part: str, role: sql.Identifier
) -> None:
    without = "" if connection.info.server_version >= 170_000 else MAINTAIN
    statements = [
        sql.SQL("grant {} on {} to {};").format(
            sql.SQL(parts[part].replace(without, "")), sql.Identifier(table), role
        )
        for table, parts in rights.tables.items()
        if parts.get(part)
    ]
    for function in map(sql.Identifier, rights.functions[part]):
        statements.append(sql.SQL("revoke all on function {} from public;").format(function))
        statements.append(sql.SQL("grant execute on function {} to {};").format(function, role))
    connection.execute(sql.SQL("").join(statements))


_RIGHT: Final = re.compile(r"(\w+)(?: \(([^)]*)\))?")
_ALL: Final = "select, insert, update, delete"

_LACKING: Final = """
    select distinct role, right_of, name
    from unnest(%(roles)s::text[], %(rights)s::text[], %(tables)s::text[], %(columns)s::text[])
        as stated (role, right_of, name, of_column)
    where not case when to_regclass(name) is null then false
                   when of_column = '' then has_table_privilege(role, name, right_of)
                   else has_column_privilege(role, name, of_column, right_of) end
    union all
    select role, 'execute', name
    from unnest(%(callers)s::text[], %(functions)s::text[]) as stated (role, name)
    where not exists (
        select from pg_proc
        where proname = name and pronamespace = 'public'::regnamespace
          and has_function_privilege(role, pg_proc.oid, 'execute'))
    order by 1, 3, 2
    """


def lacking(connection: Connection[Any], folder: Path, role: str) -> list[str]:
    """The rights that are stated and not granted; `role` is DATABASE_ROLE.

    A part without a role of its own works as DATABASE_ROLE, and lacks nothing by that.
    """
    stated_rights = stated(folder)
    names = {APP: role} | {
        part: name for part in PARTS if _exists(connection, name := roles.sibling(role, part))
    }
    rights = [
        (name, right, table, column)
        for part, name in names.items()
        for table, parts in stated_rights.tables.items()
        for right, column in _rights(parts.get(part, _ALL if part == APP else ""))
        if right != "maintain" or connection.info.server_version >= 170_000
    ]
    called = [
        (name, function)
        for part, name in names.items()
        for function in stated_rights.functions[part]
    ]
    of, granted, tables, columns = zip(*rights, strict=True)
    callers, functions = zip(*called, strict=True)
    rows = connection.execute(
        _LACKING,
        {
            "roles": list(of),
            "rights": list(granted),
            "tables": list(tables),
            "columns": list(columns),
            "callers": list(callers),
            "functions": list(functions),
        },
    ).fetchall()
    return [f"{role} may not {right} {name}" for role, right, name in rows]


def _rights(text: str) -> Iterator[tuple[str, str]]:
    """Each right with one column, which is empty for the whole table."""
    for right, columns in _RIGHT.findall(text):
        for column in columns.split(", "):
            yield right, column
