"""Whether something grows: robust slopes over the samples after the warm-up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from statistics import median
from typing import Final

from tests.soak.samples import Sample

GROWTH_SHARE: Final = 0.10
"""Of its median may memory grow in an hour."""
GROWTH_BYTES: Final = 16 << 20
"""Or so many bytes, whichever is more."""
MORE_SHARE: Final = 0.10
MORE: Final = 8
"""So much may files, threads and connections vary."""
P99_RATIO: Final = 2.0
LOG_BYTES_A_JOB: Final = 2_048
ROWS_RATIO: Final = 1.25
IDLE_SECONDS: Final = 15.0
_MOST_POINTS: Final = 240


@dataclass(frozen=True, slots=True)
class Verdict:
    what: str
    measured: str
    limit: str
    good: bool


def theil_sen(points: Sequence[tuple[float, float]]) -> float:
    """The median of the slopes between all pairs: outliers do not bend it."""
    step = max(1, len(points) // _MOST_POINTS)
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in combinations(points[::step], 2)]
    return median(slopes) if slopes else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else 0.0


def memory(samples: Sequence[Sample]) -> list[Verdict]:
    """Anonymous memory of each program."""
    return [_memory(name, samples) for name in samples[-1].programs]


def _memory(name: str, samples: Sequence[Sample]) -> Verdict:
    points = [(s.seconds, float(s.programs[name].heap_bytes)) for s in samples]
    usual = median(value for _, value in points)
    hourly = theil_sen(points) * 3600
    limit = max(GROWTH_SHARE * usual, GROWTH_BYTES)
    return Verdict(
        f"memory of {name}",
        f"{usual / 2**20:.0f} MiB, {hourly / 2**20:+.1f} MiB an hour",
        f"{limit / 2**20:+.1f} MiB an hour",
        hourly <= limit,
    )


def counted(what: str, samples: Sequence[Sample], count: Callable[[Sample], int]) -> Verdict:
    """Something of which there may be no more at the end than at the beginning."""
    third = max(1, len(samples) // 3)
    before = max(count(each) for each in samples[:third])
    after = max(count(each) for each in samples[-third:])
    limit = round(before * (1 + MORE_SHARE)) + MORE
    return Verdict(what, f"{before} at first, {after} at last", f"{limit}", after <= limit)


def resources(samples: Sequence[Sample]) -> list[Verdict]:
    verdicts = []
    for name in samples[-1].programs:
        verdicts += [
            counted(f"open files of {name}", samples, lambda s, n=name: s.programs[n].files),
            counted(f"threads of {name}", samples, lambda s, n=name: s.programs[n].threads),
        ]
    idle = max(each.idle_in_transaction_seconds for each in samples)
    return [
        *verdicts,
        counted("connections to Postgres", samples, lambda s: sum(s.connections.values())),
        counted("connections to Redis", samples, lambda s: s.redis["clients"]),
        Verdict(
            "longest idle transaction",
            f"{idle:.1f} s",
            f"{IDLE_SECONDS:.0f} s",
            idle < IDLE_SECONDS,
        ),
    ]


def latency(name: str, windows: Sequence[Sequence[float]]) -> Verdict:
    """The p99 of the last windows against that of the first ones."""
    third = max(1, len(windows) // 3)
    before = median(percentile(window, 0.99) for window in windows[:third])
    after = median(percentile(window, 0.99) for window in windows[-third:])
    return Verdict(
        f"p99: {name}",
        f"{before * 1000:.0f} ms at first, {after * 1000:.0f} ms at last",
        f"{P99_RATIO:.0f} times",
        after <= P99_RATIO * before,
    )


def logs(samples: Sequence[Sample], jobs: int) -> Verdict:
    each = (samples[-1].log_bytes - samples[0].log_bytes) / max(1, jobs)
    return Verdict("log of a job", f"{each:.0f} B", f"{LOG_BYTES_A_JOB} B", each <= LOG_BYTES_A_JOB)


def rows(samples: Sequence[Sample], kept_seconds: float) -> Verdict:
    """Once retention has begun to delete, there are never more searches than it leaves."""
    settled = [s for s in samples if s.seconds > 1.5 * kept_seconds]
    if len(settled) < 2:
        return Verdict(
            "searches kept", f"{samples[-1].searches:,}", "too short a run to tell", True
        )
    half = len(settled) // 2
    before = max(each.searches for each in settled[:half])
    after = max(each.searches for each in settled[half:])
    return Verdict(
        "searches kept",
        f"{before:,}, then {after:,}",
        f"{ROWS_RATIO} times",
        after <= ROWS_RATIO * before,
    )
