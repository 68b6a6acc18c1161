"""Compares the schema of the database with the one that the code of this process needs.

A newer schema suits an older process: a migration only adds, until one says otherwise
(`Migration.needs`). An older schema suits no newer process.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psycopg

from app import __version__
from app.core import db
from app.core.config.settings import BadConfiguration
from app.core.db.migrate import FOLDER
from app.core.db.migration import as_numbers, read_all
from app.core.db.own_data import nobodys

_APPLIED = "select name, needs from schema_migrations"


TABLES: Final = nobodys("the history of the schema", "schema_migrations")


class WrongSchema(BadConfiguration):
    """This release cannot work with the database as it is now."""


def require(url: str, folder: Path = FOLDER, release: str = __version__) -> None:
    """Call when a process starts. Raises WrongSchema with what to do about it.

    A database that is away says nothing: the process waits for it as for any other call.
    """
    try:
        with db.connect(url, role=None) as connection:
            applied = dict(connection.execute(_APPLIED).fetchall())
    except psycopg.errors.UndefinedTable:
        applied = {}
    except psycopg.OperationalError:
        return
    if problem := find_problem(applied, folder, release):
        raise WrongSchema(f"Database: {problem}")


def find_problem(applied: Mapping[str, str | None], folder: Path, release: str) -> str | None:
    """Finds what keeps this release from working with the `applied` migrations."""
    missing = [migration.name for migration in read_all(folder) if migration.name not in applied]
    if missing:
        return (
            f"{len(missing)} migrations of this release are missing, from {missing[0]} on: run"
            " `citegrid-server migrate` before its processes start."
        )
    for name, needs in applied.items():
        if needs and as_numbers(needs) > as_numbers(release):
            return (
                f"{name} has removed what this release ({release}) uses: start {needs} or newer,"
                " or restore a backup from before."
            )
    return None
