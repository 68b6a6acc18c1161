"""The command that tells other programs where the service is: it loads little."""

import json
import shlex
import sys
from importlib import import_module

import click

from app.core.config.settings import BadConfiguration, Settings
from app.local.commands.data_folder import data_option
from app.local.embedded import probe
from app.local.embedded.state import DataFolder


@click.command("status")
@data_option
@click.option(
    "-o",
    "form",
    type=click.Choice(["text", "json", "env"]),
    default="text",
    show_default=True,
    help="Output format.",
)
def run_status(folder: DataFolder, form: str) -> None:
    """Print the address and health of the service; `-o env` prints variables for a shell.

    Uses the local run if there is one, otherwise the service in the environment. Exits with 1
    if the service is unhealthy or does not answer, except with `-o env`, which does not ask it.
    """
    address = _address(folder)
    if form == "env":
        names = {"url": "SERVICE_BASE_URL", "api_key": "SERVICE_API_KEY"}
        for fact, name in names.items():
            if fact in address:
                click.echo(f"export {name}={shlex.quote(str(address[fact]))}")
        return
    report = probe.readiness(str(address["url"]))
    if report is None:
        facts = address | {"status": "unreachable"}
    else:  # a database client takes longer to load than all else here
        facts = address | report | import_module("app.local.queue_headline").headline(folder)
    if form == "json":
        click.echo(json.dumps(facts))
    else:
        for name, value in facts.items():
            click.echo(f"{name:<12} {value}")
    if probe.missing(report):
        sys.exit(1)


def _address(folder: DataFolder) -> dict[str, object]:
    if run := folder.run():
        return {"url": run.url, "api_key": run.demo_key, "pid": run.pid}
    try:
        return {"url": Settings.from_env().service_base_url}
    except BadConfiguration:
        text = f"Nothing is running on {folder.path}. Start it with: citegrid-server up"
        raise click.ClickException(text) from None
