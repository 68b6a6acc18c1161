"""Reports of errors: for a program one line of JSON on stderr, as the server's errors."""

import json
import sys
from dataclasses import asdict
from typing import Any

import click

from citegrid.cli.exits import Exit
from citegrid.errors import ApiError, CitegridError, StillRunning


def of_error(error: CitegridError) -> dict[str, Any]:
    """Returns what was raised, under the names that the server gives."""
    problem: dict[str, Any] = {"code": error.code, "message": str(error)}
    if isinstance(error, ApiError):
        problem["message"] = error.message
        problem["details"] = [asdict(detail) for detail in error.details]
    problem |= {"retryable": error.retryable, "request_id": error.request_id}
    if isinstance(error, StillRunning):
        problem["id"] = error.id
    return {name: value for name, value in problem.items() if value not in (None, [])}


def of_click(error: click.ClickException) -> dict[str, Any]:
    """A command that was not understood, or could not begin."""
    code = "usage" if error.exit_code == Exit.USAGE else "failed"
    return {"code": code, "message": error.format_message(), "retryable": False}


def write_json(problem: dict[str, Any]) -> None:
    """Only ASCII, so nothing of an answer can steer a terminal."""
    sys.stdout.flush()
    sys.stderr.write(json.dumps({"error": problem}) + "\n")
