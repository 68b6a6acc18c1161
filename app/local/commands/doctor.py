"""The command that examines the machine and the service."""

import sys

import click

from app.core.config.settings import environment
from app.local.commands.data_folder import data_option
from app.local.doctor import doctor
from app.local.embedded.state import DataFolder
from app.local.terminal import Terminal


@click.command("doctor")
@data_option
def run_doctor(folder: DataFolder) -> None:
    """Check the machine, the settings, the servers and the processes."""
    terminal = Terminal(sys.stdout, environment())
    colours = {"ok": "green", "warn": "yellow", "fail": "red"}
    failed = False
    for finding in doctor.examine(folder):
        failed |= finding.verdict == "fail"
        hint = f"  ({finding.hint})" if finding.hint else ""
        verdict = terminal.paint(f"{finding.verdict:<4}", colours[finding.verdict])
        terminal.line(f"{verdict}  {finding.what}{hint}")
    if failed:
        sys.exit(1)
