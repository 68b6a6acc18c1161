"""Settings, a database and a name for whoever types a command."""

import getpass
import os
import socket
from collections.abc import Callable
from functools import wraps
from typing import Any

import click
import psycopg

from app.core import db
from app.core.actor import Actor, acting
from app.core.errors import AppError
from app.local.commands.data_folder import data_option
from app.local.database import database
from app.local.embedded.state import DataFolder, settings

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def operating(command: Callable[..., None]) -> Callable[..., None]:
    """Give the command a database, and its settings as `click.pass_obj`; report failures in one
    line."""

    @data_option
    @wraps(command)
    def run(folder: DataFolder, **arguments: Any) -> None:
        given = click.get_current_context().obj = settings(folder)
        try:
            typed = Actor(kind="cli", name=whoever_types())
            with database(given), acting(typed):
                command(**arguments)
        except AppError as error:
            problems = "".join(f"\n  {d['field']}: {d['problem']}" for d in error.details)
            raise click.ClickException(f"{error.message()} ({error.code}){problems}") from None
        except psycopg.OperationalError as error:
            text = f"The database is unavailable: {db.summary(error)}"
            raise click.ClickException(text) from None
        except psycopg.Error as error:
            hint = " (run citegrid-server doctor for details)"
            raise click.ClickException(db.summary(error) + hint) from None

    return run


def whoever_types() -> str:
    """Whom the list of what operators did names; users of containers may have no name."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = f"user {os.getuid()}"
    return f"{user} at {socket.gethostname()}"
