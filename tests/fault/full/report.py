"""The page of what came of every fault. A run of some faults keeps the rows of the others."""

import fcntl
import os
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from tests.fault.full.running import CAMPAIGNS_FROM, Outcome
from tests.mixed.installation import ROOT

PAGE: Final = ROOT / "docs" / "explanation" / "fault-report.md"
_COLUMNS: Final = (
    "fault", "what was done", "jobs", "of them", "lost", "doubled", "open", "late", "wrong",
    "open at strikes", "attempts ended early", "longest", "repeated by clients", "fallen",
    "seconds", "date", "commit", "machine",
)  # fmt: skip
_HEAD: Final = """\
# What is lost when something fails

This page is written by `make test-faults-full` (options in `ARGS`: `-k redis,disk` for some faults,
`--jobs 1000` under each, `--minutes 55` for as many jobs as fit into that time, `--at-once 4` for
so many faults side by side, each with a service of its own, `--short`). It starts the whole service
with a Postgres and a Redis of its own, works like users over HTTP, and breaks something again and
again meanwhile. Each row is one run, with its date, commit and machine; a row that is run again
replaces its previous one and leaves the others.

Last written {date}, by commit {commit}, on {machine}, by `{command}`.

{table}

- **what was done**: all strikes together, as far as their effect was seen.
- **jobs**: searches of a small index, extractions of one page, webhooks delivered to a receiver,
  runs of monitors, and work of campaigns: pages that a node reads and records that another
  judges (from {campaigns} jobs on). What is submitted is repeated with the same `Idempotency-Key`
  until it is accepted.
- **lost**: accepted and not there, or ended otherwise than well. **doubled**: two effects of one
  request. **open**: not over when all else was. **late**: ended after its deadline. **wrong**:
  ended well with another result than the pages say, a webhook with two contents, or books that do
  not add up. All five must be 0.
- **open at strikes**: how many jobs were waiting or running each time, the fewest and the most.
- **attempts ended early**: those after which another attempt did the job: lost with their worker,
  released by a worker that was told to end, failed and repeated.
- **longest**: from the request of a search or an extraction to its end.
- **repeated by clients**: requests that got this status, or no answer, and were sent again.
- **fallen**: processes that ended by themselves and were started again, as a supervisor does.
"""


def rows(page: str) -> dict[str, str]:
    """The lines of the table by fault."""
    lines = [line for line in page.splitlines() if line.startswith("| ")]
    return {
        line.split(" | ")[0].removeprefix("| "): line
        for line in lines[1:]
        if line.count("|") == len(_COLUMNS) + 1  # else of a table with other columns
    }


def row(fault: str, outcome: Outcome, commit: str, machine: str) -> str:
    tally, opened = outcome.tally, outcome.open_at_strikes
    cells = (
        fault, _counted(outcome.effects), f"{tally.jobs:,}", _counted(tally.kinds), tally.lost,
        tally.doubled, tally.open, tally.late, tally.wrong, f"{min(opened)} to {max(opened)}",
        _counted(outcome.ended_early), f"{outcome.longest_seconds:.0f} s",
        _counted(outcome.repeated, " × "), _counted(outcome.fallen), f"{outcome.seconds:.0f}",
        _today(), commit, machine,
    )  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |"


def _counted(counts: Mapping[str, int], between: str = " ") -> str:
    return ", ".join(f"{count:,}{between}{what}" for what, count in counts.items() if count) or "0"


def not_run(fault: str, why: str) -> str:
    return f"| {fault} | not run: {why} |" + " |" * (len(_COLUMNS) - 2)


def failed(fault: str, why: str, commit: str) -> str:
    """A run that came to no tally."""
    reason = " ".join(why.split()).replace("|", "/")[:300]
    return (
        f"| {fault} | did not come to its end: {reason} |"
        + " |" * (len(_COLUMNS) - 5)
        + f" {_today()} | {commit} | {shape()} |"
    )


def updated(
    page: Path,
    lines: Mapping[str, str],
    order: Iterable[str],
    command: str,
    *,
    unless_there: Mapping[str, str] | None = None,
) -> None:
    """Put rows onto the page and leave the others; several processes may do so at once."""
    with page.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        file.seek(0)
        kept = rows(file.read())
        written(page, {**(unless_there or {}), **kept, **lines}, order, command)


def written(page: Path, lines: Mapping[str, str], order: Iterable[str], command: str) -> None:
    table = [
        f"| {' | '.join(_COLUMNS)} |",
        "|" + "---|" * len(_COLUMNS),
        *(lines.get(name) or not_run(name, "not yet") for name in order),
    ]
    text = _HEAD.format(
        command=command,
        date=_today(),
        commit=commit(),
        machine=shape(),
        table="\n".join(table),
        campaigns=CAMPAIGNS_FROM,
    )
    page.write_text(text, encoding="utf-8")


def shape() -> str:
    """Of this machine: cores, memory, system."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    system = platform.freedesktop_os_release()["PRETTY_NAME"].partition(" (")[0]
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {system}"


def commit() -> str:
    """Of this checkout; whether its page was written meanwhile says nothing about the code."""
    revision = _git("describe", "--always", "--exclude=*")
    page = f":(exclude){PAGE.relative_to(ROOT)}"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", page)
    return f"{revision}-dirty" if changed else revision


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def _today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")
