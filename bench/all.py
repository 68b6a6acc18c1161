"""Every benchmark that has a baseline, one after another, and their figures on one page.

    python -m bench.all [--quick] [--core] [NAME ...]

Each runs by itself, in a process of its own, in the form that lets all of them end within half an
hour on two quiet cores; one that takes too long is ended, and none begins after that half hour.
docs/explanation/measurements.md is written anew after each: every figure beside its baseline, its
aim, the command, and how busy the machine was before it. With `--quick` two at a time are only
tried, and nothing is written there; `--core` leaves out what needs large collections, a model or
another program.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from bench import measurements
from bench.figures import OUT
from bench.measurements import Outcome, Run

CORE = (
    Run("serving", "--rounds 5"),
    Run("jobs", "--rounds 2"),
    Run("latency", "--rounds 5"),
    Run("submit", "--rounds 4"),
    Run("submit_steps", "--rounds 5"),
    Run("claims", "--rounds 6"),
    Run("retention", "--rounds 2", most_seconds=240),
    Run("index", "200000", most_seconds=540),
    Run("extraction", most_seconds=240),
    Run("offers", "--sizes 10000 100000 --rounds 200", most_seconds=240),
    Run("ledger", "--rounds 8"),
    Run("waiting", most_seconds=240),
)
FURTHER = (
    Run("pages", "--rounds 40"),
    Run("router", "--rounds 3", most_seconds=240),
    Run("search_cost", "--pages 30", most_seconds=300),
    Run("footprint", most_seconds=1_200),
    Run("extract.speed", output="extract-speed"),
    Run("judging", "--floors"),
    Run("capacity", "--waiting 200000 --done 200000 --rounds 3", most_seconds=300),
)
MOST_SECONDS_QUICK = 240.0  # of one
LAST_BEGINNING_SECONDS = 1800.0
KILLED_AFTER_SECONDS = 20.0


def main() -> None:
    options = arguments()
    named = [run for run in (*CORE, *FURTHER) if run.module in options.names]
    runs = named or (CORE if options.core else (*CORE, *FURTHER))
    page = None if options.quick or named or options.core else measurements.PAGE
    began = time.monotonic()
    outcomes = tried(runs) if options.quick else measured(runs, page)
    print(measurements.summary(outcomes, time.monotonic() - began, tried=options.quick))
    if page:
        print(f"written: {page}")
    if options.quick and any(outcome.failed for outcome in outcomes):
        sys.exit(1)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only see that they work")
    parser.add_argument("--core", action="store_true", help="without what needs more to be there")
    known = [run.module for run in (*CORE, *FURTHER)]
    parser.add_argument(
        "names", nargs="*", metavar="NAME", choices=[[], *known], help="these, and write no page"
    )
    return parser.parse_args()


def measured(runs: Sequence[Run], page: Path | None) -> list[Outcome]:
    """One after another; what they print is seen as it comes.

    `page` is written after each, so that nothing measured is lost when this is interrupted.
    """
    conditions, began = measurements.conditions(), time.monotonic()
    outcomes: list[Outcome] = []
    known = page.read_text(encoding="utf-8") if page and page.exists() else ""
    last = measurements.figures_of(known)
    for number, run in enumerate(runs, start=1):
        print(f"\n== {number}/{len(runs)} {run.command}", flush=True)
        if time.monotonic() - began < LAST_BEGINNING_SECONDS:
            outcomes.append(outcome(run, run.command, run.most_seconds, tell))
        else:
            tell("== no time is left for it")
            outcomes.append(measurements.not_begun(run, "no time was left"))
        if page:
            missing = [
                measurements.not_begun(run, "interrupted before it") for run in runs[number:]
            ]
            taken = time.monotonic() - began
            text = measurements.page([*outcomes, *missing], conditions, taken, last)
            page.write_text(text, encoding="utf-8")
    return outcomes


def tell(text: str) -> None:
    print(text, flush=True)


def tried(runs: Sequence[Run]) -> list[Outcome]:
    """Two at a time: half of the time most of them wait. Only what fails is seen whole."""

    def attempt(run: Run) -> Outcome:
        command = f"python -m bench.{run.module} --quick"
        return outcome(run, command, MOST_SECONDS_QUICK, print, quiet=True)

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(attempt, runs))


def outcome(
    run: Run, command: str, seconds: float, tell: Callable[[str], None], *, quiet: bool = False
) -> Outcome:
    """Run a command; `quiet` keeps what it prints for the case that it fails."""
    kept = OUT / f"{run.written}.json"
    kept.unlink(missing_ok=True)
    busy = 0.0 if quiet else psutil.cpu_percent(interval=1.0)
    began = time.monotonic()
    status, output = _finished(command, seconds, quiet=quiet)
    taken = time.monotonic() - began
    failed = f"ended with status {status}" if status else ""
    if status is None:
        failed = f"not finished within {seconds:.0f} s"
    tell(f"== {run.module}: {failed or 'works'}, {taken:.0f} s" + (f"\n{output}" if failed else ""))
    return measurements.outcome_of(run, busy, taken, failed, kept)


def _finished(command: str, seconds: float, *, quiet: bool) -> tuple[int | None, str]:
    """The exit status, None when it took too long; and what it printed, if that was kept."""
    words = [sys.executable, *command.split()[1:]]
    pipe = subprocess.PIPE if quiet else None
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        words,
        stdout=pipe,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
        env=environment,
        cwd=Path(__file__).parents[1],
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None, _stopped(process)
        except BaseException:
            _stopped(process)
            raise
    return process.returncode, output or ""


def _stopped(process: subprocess.Popen[str]) -> str:
    """What it had printed. Its servers end with it."""
    os.killpg(process.pid, signal.SIGTERM)
    try:
        output, _ = process.communicate(timeout=KILLED_AFTER_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return output or ""


if __name__ == "__main__":
    main()
