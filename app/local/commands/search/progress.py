"""The progress of work on the terminal."""

import sys

import click

from app.domains.queue.jobs.service import FINISHED
from app.local.work import Work


def show_progress(work: Work) -> None:
    """One line on the terminal, rewritten; nothing when nobody watches."""
    if sys.stderr.isatty():
        finished = work.state in FINISHED
        click.echo(f"\r\033[K{'' if finished else summary(work)}", err=True, nl=False)


def summary(work: Work) -> str:
    """Progress in words: the stage and the counts a worker reported."""
    hidden = ("stage", "version", "percent", "failed_in_a_row")
    facts = {k: v for k, v in work.progress.items() if k not in hidden}
    counts = ", ".join(
        f"{value} {name.replace('_', ' ')}"
        for name, value in facts.items()
        if not isinstance(value, bool)
    )
    stage = work.progress.get("stage", "waiting for a worker")
    return f"{'done' if work.state == 'succeeded' else stage}: {counts}" if counts else stage
