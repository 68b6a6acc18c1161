"""`citegrid extract`: records from pages, into a table."""

from pathlib import Path
from typing import Any

import click

from citegrid.cli.command import Session, command, end
from citegrid.cli.records.job_results import (
    checked,
    delivered,
    output_option,
    started,
    suggest_example,
    waited,
)
from citegrid.cli.records.sources import JsonFile, source_options
from citegrid.cli.wait import starting, timeout_option


@command("extract")
@source_options
@click.option(
    "--schema", type=JsonFile(), required=True, metavar="FILE", help="JSON Schema of a record."
)
@click.option(
    "--sample",
    "sample_rate",
    type=click.FloatRange(0, 1),
    metavar="0.1",
    help="Check this share of records with a second extraction.",
)
@click.option("--require-provenance", is_flag=True, help="Drop values without a matching quote.")
@click.option(
    "--example",
    "example_files",
    type=JsonFile(),
    multiple=True,
    metavar="FILE",
    help='Example page and record, {"url": …, "data": …}. Repeatable.',
)
@click.option(
    "--model",
    type=click.Choice(["never", "fill", "check"]),
    help="Use of the server's model. `fill`, the default, completes empty fields; `check` also "
    "checks the others.",
)
@output_option
@timeout_option
@click.option("--detach", is_flag=True, help="Print the id without waiting.")
@click.option(
    "--idempotency-key", metavar="KEY", help="Repeating a key does not start another job."
)
def extract(
    session: Session,
    *,
    source: dict[str, Any],
    schema: Any,
    require_provenance: bool,
    example_files: tuple[Any, ...],
    model: str | None,
    output: Path | None,
    timeout: float | None,
    detach: bool,
    **options: Any,
) -> None:
    """Preview: extract records from pages, and write or print them.

    Accepts several URLs; - reads them from stdin. Ctrl-C leaves the job running. Exits with 6 if a
    record does not match the schema, or if the second extraction of the sample disagrees.
    """
    checked(output)
    if not isinstance(schema, dict):
        raise click.UsageError("--schema must be a JSON object.")
    examples = _examples(example_files)
    with starting(session, "jobs list"):
        job = session.client.jobs.extract(
            source,
            schema,
            require_provenance=require_provenance or None,
            examples=examples,
            model=None if model is None else {"use": model},
            **options,
        )
    if detach:
        started(session, job)
        return
    job = waited(session, job.id, timeout, output)
    code = delivered(session, job, output)
    if not example_files:
        suggest_example(session, job)
    end(code)


def _examples(files: tuple[Any, ...]) -> list[Any] | None:
    """Each file holds one or a list of them."""
    examples = [one for file in files for one in (file if isinstance(file, list) else [file])]
    if not all(isinstance(one, dict) for one in examples):
        raise click.UsageError('--example must be {"url": …, "data": …}.')
    return examples or None
