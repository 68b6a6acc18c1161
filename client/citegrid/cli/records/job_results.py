"""Waiting for a job, and what it came to: records in a file or on the screen, and how good."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any, Final

import click

from citegrid.cli.command import Session
from citegrid.cli.exits import Exit, resume
from citegrid.cli.terminal import Terminal, line, safe
from citegrid.cli.wait import going_on, keeping
from citegrid.counts import counted
from citegrid.errors import Overloaded
from citegrid.nouns.campaigns.campaigns import Campaigns
from citegrid.nouns.export import whole_file
from citegrid.nouns.records.job_results import (
    Job,
    JobProgress,
    JobSummary,
    Record,
    SampleValidation,
)
from citegrid.nouns.records.jobs import Jobs
from citegrid.transport.codec import as_json
from citegrid.transport.sync_runner import SyncRunner

SHOWN: Final = 50
"""Records on the screen; a file gets all."""
CELL_CHARACTERS: Final = 60
_MUCH: Final = 0.5

output_option = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    metavar="FILE",
    help="Write all records to a .csv, .ndjson or .json file.",
)


def checked(output: Path | None) -> Path | None:
    """A file that can be written, whose name says its form.

    Raises click.UsageError before any work is done.
    """
    if output is None:
        return None
    if output.suffix.lower() not in (".csv", ".ndjson", ".json"):
        raise click.UsageError("-o must end in .csv, .ndjson or .json.")
    folder = output.absolute().parent
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        raise click.UsageError(f"-o cannot write to {folder}.")
    return output


def started(session: Session, job: Job, hint: str = "") -> None:
    """The id, for whoever does not wait."""
    session.terminal.result(job, job.id, whole=True)
    if not session.terminal.as_json:  # which has it
        show_secret(job)
    session.terminal.suggest(hint or resume(job.id))


def show_secret(job: Job) -> None:
    """The secret of a new webhook, however quiet the command: no later answer has it."""
    if job.webhook and job.webhook.secret:
        click.echo(f"webhook secret:  {safe(job.webhook.secret)}", err=True)


def waited(session: Session, job_id: str, timeout: float | None, output: Path | None = None) -> Job:
    """The job when it has ended, with its progress shown meanwhile. Raises as `going_on`."""
    jobs, speak = session.client.jobs, JobStatusLine()
    with going_on(session, job_id, resume(job_id, output)):
        with suppress(Overloaded), session.terminal.progress("Waiting") as report:
            for event in jobs.events(job_id, timeout=timeout):
                if event.job is not None:
                    return event.job
                report(event.status.capitalize() if not event.progress else speak(event.progress))
        return jobs.wait(job_id, timeout=timeout)  # without room for one more stream


class JobStatusLine:
    """One line with the progress of a job and its estimated time left."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._began: tuple[float, int] | None = None

    def __call__(self, progress: JobProgress) -> str:
        if not progress.pages_found:
            return progress.stage.capitalize()
        parts = [f"{progress.pages_done:,} of {counted(progress.pages_found, 'page')}"]
        if progress.pages_failed:
            parts.append(f"{progress.pages_failed:,} failed")
        parts.append(counted(progress.records, "record"))
        if left := self._left(progress):
            parts.append(f"{left} left")
        return f"{progress.stage.capitalize()}  {', '.join(parts)}"

    def _left(self, progress: JobProgress) -> str:
        """Empty while nothing can be said."""
        now, done = self._clock(), progress.pages_done
        if self._began is None:
            self._began = (now, done)
        seconds, pages = now - self._began[0], done - self._began[1]
        remaining = progress.pages_found - done
        if seconds < 1 or not pages or not remaining:
            return ""
        minutes, rest = divmod(round(seconds / pages * remaining), 60)
        return f"{minutes}:{rest:02}"


def delivered(session: Session, job: Job, output: Path | None) -> Exit:
    """Write what an ended job has; returns how good it is."""
    terminal = session.terminal
    if job.status != "completed":
        what = "pages" if job.progress.pages_failed else "show"
        terminal.problem(state(job), f"citegrid jobs {what} {job.id}", code=_code(job))
        return Exit.FAILED
    with keeping(session, resume(job.id, output).partition("\n")[0]):
        _deliver(session, job, output)
    _remarks(terminal, job)
    return verdict(job)


def _deliver(session: Session, job: Job, output: Path | None) -> None:
    terminal = session.terminal
    if output is not None:
        write(session.client.jobs, job.id, output)
        terminal.say(f"records in {output}: {job.progress.records:,}")
        if terminal.as_json:
            terminal.json(job)
    elif terminal.as_json:
        records = [*session.client.jobs.records(job.id)]
        terminal.json({"job": as_json(job), "records": records})
    else:
        show_records(terminal, session.client.jobs.records(job.id))


def _code(job: Job) -> str:
    return job.error.code if job.error else f"job_{job.status}"


def state(job: Job | JobSummary) -> str:
    if job.error is not None:
        return f"{job.id} {job.status}: {job.error.message} ({job.error.code})"
    why = f" ({job.stop_reason})" if job.stop_reason not in (None, job.status) else ""
    return f"{job.id} {job.status}{why}: {JobStatusLine()(job.progress)}"


def write(
    noun: Jobs[SyncRunner] | Campaigns[SyncRunner], id: str, output: Path, **which: Any
) -> None:
    """All records of a job or a campaign, into a file that is there when it is whole."""
    if output.suffix.lower() != ".json":
        noun.export(id, output, **which)
        return
    before = "["
    with whole_file(output) as file:
        for record in noun.records(id, **which):
            file.write(f"{before}\n{json.dumps(as_json(record), ensure_ascii=False)}".encode())
            before = ","
        file.write(b"[]\n" if before == "[" else b"\n]\n")


def show_records(terminal: Terminal, records: Iterator[Record]) -> None:
    shown = list(islice(records, SHOWN + 1))
    names = list(dict.fromkeys(name for record in shown for name in record.data))
    rows = [[*(_cell(record.data.get(n)) for n in names), record.url] for record in shown[:SHOWN]]
    terminal.listing(None, [*names, "url"], rows)
    if len(shown) > SHOWN:
        terminal.say(f"Showing the first {SHOWN}. Use -o records.csv to write all records.")


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    text = line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    return text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"


def _remarks(terminal: Terminal, job: Job) -> None:
    for warning in job.warnings:
        terminal.say(f"warning: {warning}")
    if job.stop_reason not in (None, "done"):
        terminal.say(f"stopped early: {job.stop_reason}")
    if job.progress.pages_failed:
        failed = f"pages that failed: {job.progress.pages_failed:,}; to see them"
        terminal.suggest(f"citegrid jobs pages {job.id}", failed)
    if unsatisfied(job):
        terminal.say(f"records that do not match the schema: {unsatisfied(job):,}")
    if job.validation is not None:
        terminal.say(agreement(job.validation))


def suggest_example(session: Session, job: Job) -> None:
    """Say that one example raises accuracy where more than half of the values are unsure. It is
    for other pages than its own."""
    if job.status != "completed" or job.progress.pages_found < 2:
        return
    records = [*islice(session.client.jobs.records(job.id), SHOWN)]
    values = sum(value is not None for record in records for value in record.data.values())
    unsure = sum(len({each.split("/")[1] for each in record.unsure}) for record in records)
    if unsure <= _MUCH * values:
        return
    session.terminal.say(
        f"{unsure:,} of {values:,} values are unsure. One example page raises accuracy, from 0.76"
        " to 0.94 on our test sites: correct a record, and a new job learns from it."
    )
    session.terminal.suggest(f"citegrid jobs correct {job.id} --set NAME=VALUE")


def agreement(validation: SampleValidation) -> str:
    """The agreement with a second extraction, which is not truth."""
    read = counted(validation.sampled, "record") + " checked by a second extraction"
    if validation.interval_95 is None:
        return f"{read}, none comparable"
    low, high = validation.interval_95
    return (
        f"{read}, {validation.compared} comparable,"
        f" {validation.passed} agree (95 % interval: {low:.0%} to {high:.0%})"
    )


def unsatisfied(job: Job) -> int:
    """Counts the records that are not all that the schema wants."""
    count = job.stats.get("unsatisfied", 0)
    return count if isinstance(count, int) else 0


def verdict(job: Job) -> Exit:
    """WEAK for records that scripts may want to refuse, FAILED where the job ended without them."""
    if job.status in ("failed", "cancelled"):
        return Exit.FAILED
    doubted = job.validation is not None and job.validation.failed > 0
    return Exit.WEAK if doubted or unsatisfied(job) else Exit.DONE
