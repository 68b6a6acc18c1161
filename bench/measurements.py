"""The page of all figures: each beside its baseline and its aim, with the command that made it."""

import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import psutil

from bench.figures import Aim, short

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "measurements.md"
HEAD = """# Measurements

Made by `make bench-all`; do not edit. What the figures mean is in [findings](findings.md), where
the time goes in [speed](speed.md).

{conditions}

Systems in one row took turns in the same run: on a shared machine read the ratios, not the times.
"Busy before" is the share of all cores that something else used in the second before a benchmark
began; above some 10 % times are not comparable to those of another day. Aims are what we want;
**missed** ones are here as well.
"""
COLUMNS = ("figure", "measured", "baseline", "baseline's", "reached", "last time", "aim", "verdict")
VERDICTS = ("reached", "**missed**")
REACHED = COLUMNS.index("reached")

Figures = Mapping[tuple[str, str, str], str]
"""What was reached, by the benchmark, the figure and its baseline."""


@dataclass(frozen=True)
class Run:
    """A benchmark and its options; `output` names its file if the module does not.

    `most_seconds` is several times what it takes on a quiet machine.
    """

    module: str
    options: str = ""
    output: str | None = None
    most_seconds: float = 150.0

    @property
    def command(self) -> str:
        return f"python -m bench.{self.module} {self.options}".rstrip()

    @property
    def written(self) -> str:
        return self.output or self.module


@dataclass(frozen=True)
class Outcome:
    """How a run went, and the figures that it kept."""

    run: Run
    busy_percent: float
    seconds: float
    failed: str
    aims: Sequence[Aim] = ()


def outcome_of(run: Run, busy_percent: float, seconds: float, failed: str, kept: Path) -> Outcome:
    """`kept` is its file, which there may not be; one that cannot be read costs no other run."""
    try:
        aims = _aims(kept) if kept.exists() else []
    except (ValueError, LookupError, TypeError) as error:
        aims, failed = [], f"what it kept cannot be read: {type(error).__name__}"
    return Outcome(run, busy_percent, seconds, failed, aims)


def not_begun(run: Run, why: str) -> Outcome:
    return Outcome(run, 0.0, 0.0, why)


def _aims(kept: Path) -> list[Aim]:
    names = {field.name for field in fields(Aim)}
    return [
        Aim(**{name: value for name, value in each.items() if name in names})
        for each in json.loads(kept.read_text())["aims"]
    ]


def figures_of(page: str) -> Figures:
    """The figures that stand on a page of measurements."""
    found, module = {}, ""
    for line in page.splitlines():
        if line.startswith("## "):
            module = line[3:]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[-1] in VERDICTS:
            found[module, cells[0], cells[2]] = cells[REACHED]
    return found


def page(
    outcomes: Sequence[Outcome], conditions: str, seconds: float, last: Figures | None = None
) -> str:
    """`last` is what the run before this one reached: it stands beside."""
    lines = [f"{conditions} Took {seconds / 60:.0f} minutes.", *_first(outcomes)]
    sections = [_section(outcome, last or {}) for outcome in outcomes]
    return "\n".join([HEAD.format(conditions="\n".join(lines)), *sections])


def _first(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What a reader should know before the first figure."""
    if failed := [outcome.run.module for outcome in outcomes if outcome.failed]:
        yield f"\n**Not whole**, see there: {', '.join(failed)}."
    if missed := [f"{aim.what} ({short(aim.reached)})" for aim in _missed(outcomes)]:
        yield f"\n**Missed**: {'; '.join(missed)}."


def _missed(outcomes: Sequence[Outcome]) -> list[Aim]:
    return [aim for outcome in outcomes for aim in outcome.aims if not aim.kept]


def summary(outcomes: Sequence[Outcome], seconds: float, *, tried: bool = False) -> str:
    """`tried`: the figures of so short a run say nothing, only that there are some."""
    aims = [aim for outcome in outcomes for aim in outcome.aims]
    missed = [] if tried else _missed(outcomes)
    failed = [outcome.run.module for outcome in outcomes if outcome.failed]
    lines = [
        f"{len(aims)} figures in {seconds:.0f} s" + ("" if tried else f", {len(missed)} missed")
    ]
    lines += [
        f"MISSED   {aim.what}: {short(aim.reached)}, aim {aim.bound} {aim.aim}" for aim in missed
    ]
    lines += [f"FAILED   {name}" for name in failed]
    return "\n".join(lines)


def conditions() -> str:
    """When, with which commit, on what: as it is when the first one begins."""
    memory = psutil.virtual_memory().total / 2**30
    system = platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    lines = (
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {_commit()}, by `make bench-all`.",
        f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB, {system}, "
        f"Python {platform.python_version()}.",
    )
    return "\n".join(lines)


def _commit() -> str:
    def git(*words: str) -> str:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)
        return done.stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
    return f"`{git('rev-parse', '--short', 'HEAD')}`" + (" with changes" if changed else "")


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _section(outcome: Outcome, last: Figures) -> str:
    return "\n".join(_lines(outcome, last)) + "\n"


def _lines(outcome: Outcome, last: Figures) -> Iterator[str]:
    yield f"## {outcome.run.module}\n"
    yield f"<!-- not run: {outcome.seconds:.0f} seconds -->\n"
    yield f"    {outcome.run.command}\n"
    if outcome.seconds:
        yield f"{outcome.seconds:.0f} s; busy before: {outcome.busy_percent:.0f} %.\n"
    if outcome.failed:
        yield f"**Not whole: {outcome.failed}.**" + "\n" * bool(outcome.aims)
    if outcome.aims:
        yield "| " + " | ".join(COLUMNS) + " |"
        yield "|" + "---|" * len(COLUMNS)
        yield from (_row(aim, outcome.run.module, last) for aim in outcome.aims)
    elif not outcome.failed:
        yield "Nothing was measured: what it needs is not here."


def _row(aim: Aim, module: str, last: Figures) -> str:
    cells = (
        aim.what,
        _value(aim.measured, aim.unit),
        aim.baseline or "",
        _value(aim.against, aim.unit),
        short(aim.reached),
        last.get((module, aim.what, aim.baseline or ""), ""),
        f"{aim.bound} {aim.aim:g}",
        VERDICTS[0] if aim.kept else VERDICTS[1],
    )
    return f"| {' | '.join(cells)} |"


def _value(value: float | None, unit: str) -> str:
    return "" if value is None else f"{short(value)} {unit}".rstrip()
