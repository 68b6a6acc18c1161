"""The commands that run and look after the service: up, migrate, doctor, status."""

import json
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import click
import psycopg

from app.core import db
from app.core.config import settings as config
from app.core.config.settings import BadConfiguration, Settings
from app.core.db.migrate import MigrationChanged, migrate
from app.domains.queue.jobs.operations.queues import queues
from app.local import questions
from app.local.doctor import doctor
from app.local.embedded import probe, up
from app.local.embedded.children import ServerFailed
from app.local.embedded.state import DEFAULT_FOLDER, AlreadyRunning, DataFolder, settings
from app.local.terminal import Terminal


class _DataFolder(click.ParamType[DataFolder]):
    name = "folder"

    def convert(
        self, value: Any, param: click.Parameter | None, context: click.Context | None
    ) -> DataFolder:
        return value if isinstance(value, DataFolder) else DataFolder(Path(value))


# For every command that works on a local run, or on the service its environment names.
data_option = click.option(
    "--data",
    "folder",
    type=_DataFolder(),
    default=str(DEFAULT_FOLDER),
    show_default=True,
    help="Where a local run keeps its data.",
)


@click.command("up")
@data_option
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on; names that others reach it by go into ALLOWED_HOSTS.",
)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--verbose", is_flag=True, help="Show all logs, not only problems.")
def run_up(folder: DataFolder, host: str, port: int, verbose: bool) -> None:
    """Run everything on this machine until Ctrl-C.

    Postgres and Redis come with it unless DATABASE_URL and REDIS_URL name others.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # clean up as after Ctrl-C
    terminal = _terminal()
    try:
        up.up(folder, up.Options(host=host, port=port, verbose=verbose), terminal)
    except AlreadyRunning as already:
        where = f"at {already.run.url}" if already.run else "and still starting"
        raise click.ClickException(f"Already running on {folder.path} {where}.") from None
    except (up.CannotStart, ServerFailed, MigrationChanged) as error:
        raise click.ClickException(str(error)) from None
    except psycopg.Error as error:
        raise click.ClickException(db.summary(error)) from None
    except KeyboardInterrupt:
        raise click.ClickException("Stopped while starting.") from None
    finally:
        terminal.settled()


@click.command("migrate")
@data_option
def run_migrate(folder: DataFolder) -> None:
    """Bring the database to the schema of this code."""
    try:
        service = settings(folder)
        owner = service.database_owner_url or service.database_url
        applied = migrate(owner, role=service.database_role)
    except MigrationChanged as error:
        raise click.ClickException(str(error)) from None
    except psycopg.Error as error:
        raise click.ClickException(db.summary(error)) from None
    for name in applied:
        click.echo(f"applied {name}")
    if not applied:
        click.echo("Nothing to do.")


@click.command("doctor")
@data_option
def run_doctor(folder: DataFolder) -> None:
    """Check the machine, the settings, the servers and the processes."""
    terminal = _terminal()
    colours = {"ok": "green", "warn": "yellow", "fail": "red"}
    failed = False
    for finding in doctor.examine(folder):
        failed |= finding.verdict == "fail"
        hint = f"  ({finding.hint})" if finding.hint else ""
        verdict = terminal.paint(f"{finding.verdict:<4}", colours[finding.verdict])
        terminal.line(f"{verdict}  {finding.what}{hint}")
    if failed:
        sys.exit(1)


@click.command("status")
@data_option
@click.option("-o", "form", type=click.Choice(["text", "json", "env"]), default="text")
def run_status(folder: DataFolder, form: str) -> None:
    """Say where the service is and how it does; `-o env` is for `eval` in a shell.

    It is the local run, else the one that the environment names.
    """
    address = _address(folder)
    if form == "env":
        names = {"url": "SERVICE_BASE_URL", "api_key": "SERVICE_API_KEY"}
        for fact, name in names.items():
            if fact in address:
                click.echo(f"export {name}={shlex.quote(str(address[fact]))}")
        return
    report = probe.readiness(str(address["url"]))
    facts = address | (report | _queues(folder) if report else {"status": "unreachable"})
    if form == "json":
        click.echo(json.dumps(facts))
        return
    for name, value in facts.items():
        click.echo(f"{name:<12} {value}")


def _queues(folder: DataFolder) -> dict[str, str]:
    """Returns the state of the queue that needs somebody most, as the page says it."""
    try:
        service = settings(folder)
        with questions.database(service), db.reading() as reader:
            found = queues.overview(reader, service.queue_target_seconds)
    except (psycopg.Error, BadConfiguration):
        return {}
    return {"queues": queues.headline(found)}


def _address(folder: DataFolder) -> dict[str, object]:
    if run := folder.run():
        return {"url": run.url, "api_key": run.demo_key, "pid": run.pid}
    try:
        return {"url": Settings.from_env().service_base_url}
    except BadConfiguration:
        text = f"Nothing runs on {folder.path}; start it: citegrid-server up"
        raise click.ClickException(text) from None


def _terminal() -> Terminal:
    return Terminal(sys.stdout, config.environment())
