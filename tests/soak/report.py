"""The page that a soak ends with."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Final

from tests.fault.full.report import commit, shape
from tests.soak.samples import Sample
from tests.soak.verdicts import Verdict, percentile

_LARGEST: Final = 8
_HEAD: Final = """\
# An hour of steady work

This page is written by `make soak` (options in `ARGS`: `--minutes 2`, `--rate 12`). It starts the
whole service as `make run` does, with a Postgres and a Redis of its own, lets clients submit mixed
work at a steady rate over HTTP, and looks every ten seconds for whatever grows.

{date}, commit {commit}, on {machine}:
{minutes:.0f} minutes at {rate:g} jobs a second, command `{command}`.
{cpu}

## Verdicts

The first {warm_up:.0f} minutes are warm-up and not judged.

{verdicts}

## Work

{work}

## Latency by window

p50 / p99 in milliseconds, of one user's probes beside the load; each window is
{window:.0f} minutes.

{latency}

## Programs

At the end of the warm-up and at the end: anonymous memory (what heaps hold, shared pages counted
once), resident memory, open files and threads, of a program with all its child processes.

{programs}

## Stores

{stores}

The largest tables, with their indexes:

{tables}
"""


@dataclass(frozen=True, slots=True)
class Facts:
    """All that a run came to."""

    minutes: float
    rate: float
    warm_up_seconds: float
    window_seconds: float
    command: str
    samples: Sequence[Sample]
    """After the warm-up."""
    probes: dict[str, list[list[float]]]
    """Seconds by operation and window."""
    verdicts: Sequence[Verdict]
    work: Sequence[str]


def written(page: Path, facts: Facts) -> None:
    first, last = facts.samples[0], facts.samples[-1]
    cores = (last.cpu_seconds - first.cpu_seconds) / (last.seconds - first.seconds)
    text = _HEAD.format(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        commit=commit(),
        machine=f"{shape()}, Python {platform.python_version()}",
        minutes=facts.minutes,
        rate=facts.rate,
        command=facts.command,
        cpu=f"Its processes used {cores:.2f} cores on average; the machine's load average was"
        f" {os.getloadavg()[2]:.1f} in the last quarter of an hour.",
        warm_up=facts.warm_up_seconds / 60,
        verdicts=_table(
            ("what", "measured", "limit", "verdict"),
            [
                (v.what, v.measured, v.limit, "good" if v.good else "**BAD**")
                for v in facts.verdicts
            ],
        ),
        work="\n".join(f"- {line}" for line in facts.work),
        window=facts.window_seconds / 60,
        latency=_latency(facts.probes),
        programs=_programs(first, last),
        stores=_stores(facts.samples),
        tables=_tables(first, last),
    )
    page.write_text(text, encoding="utf-8")


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _latency(probes: dict[str, list[list[float]]]) -> str:
    most = max(len(windows) for windows in probes.values())
    head = ["operation", *(str(n + 1) for n in range(most))]
    rows = [
        [name, *(_both(window) for window in windows), *[""] * (most - len(windows))]
        for name, windows in probes.items()
    ]
    return _table(head, rows)


def _both(window: Sequence[float]) -> str:
    if not window:
        return ""
    return f"{median(window) * 1000:.0f} / {percentile(window, 0.99) * 1000:.0f}"


def _programs(first: Sample, last: Sample) -> str:
    head = ("program", "processes", "memory MiB", "resident MiB", "files", "threads")
    rows = []
    for name, after in last.programs.items():
        before = first.programs[name]
        rows.append(
            (
                name,
                after.processes,
                f"{before.heap_bytes / 2**20:.0f} → {after.heap_bytes / 2**20:.0f}",
                f"{before.rss_bytes / 2**20:.0f} → {after.rss_bytes / 2**20:.0f}",
                f"{before.files} → {after.files}",
                f"{before.threads} → {after.threads}",
            )
        )
    return _table(head, rows)


def _stores(samples: Sequence[Sample]) -> str:
    states = sorted({state for each in samples for state in each.connections})
    rows = [
        (
            f"Postgres connections, {state}",
            *_least_and_most([s.connections.get(state, 0) for s in samples]),
        )
        for state in states
    ]
    rows += [
        (f"Redis, {name.replace('_', ' ')}", *_least_and_most([s.redis[name] for s in samples]))
        for name in samples[-1].redis
    ]
    rows.append(("logs, bytes", *_least_and_most([s.log_bytes for s in samples])))
    return _table(("what", "least", "median", "most", "last"), rows)


def _least_and_most(values: Sequence[int]) -> tuple[str, str, str, str]:
    return f"{min(values):,}", f"{median(values):,.0f}", f"{max(values):,}", f"{values[-1]:,}"


def _tables(first: Sample, last: Sample) -> str:
    largest = sorted(last.tables, key=lambda name: -sum(last.tables[name][:2]))[:_LARGEST]
    rows = [
        (
            name,
            f"{first.tables[name][0] / 2**20:.1f} → {last.tables[name][0] / 2**20:.1f}",
            f"{first.tables[name][1] / 2**20:.1f} → {last.tables[name][1] / 2**20:.1f}",
        )
        for name in largest
        if name in first.tables
    ]
    return _table(("table", "MiB", "indexes MiB"), rows)
