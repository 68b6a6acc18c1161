"""Samples of queues as charts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from app.web.charts.charts import Chart, Series, line_chart
from app.web.frame.times import parsed

MOST_LINES: Final = 5

Samples = Sequence[Mapping[str, Any]]
Histories = Sequence[Mapping[str, Any]]


def depths(histories: Histories, zone: str) -> Chart:
    deepest = sorted(histories, key=_peak, reverse=True)[:MOST_LINES]
    shown = [each for each in deepest if _peak(each)] or deepest[:1]
    return line_chart(
        "Waiting jobs",
        [Series(each["queue"], _points(each["samples"], "waiting")) for each in shown],
        summary=_of_peaks(shown),
        zone=zone,
    )


def _peak(history: Mapping[str, Any]) -> int:
    return max((sample["waiting"] or 0 for sample in history["samples"]), default=0)


def _of_peaks(shown: Histories) -> str:
    peaks = [f"{each['queue']} at most {_peak(each):,}" for each in shown if _peak(each)]
    return ", ".join(peaks) or "No waiting jobs"


def _points(samples: Samples, name: str) -> list[tuple[datetime, float | None]]:
    return [(parsed(sample["at"]), sample[name]) for sample in samples]


def ended(histories: Histories, step_seconds: int, zone: str) -> Chart:
    steps = [_sum(step) for step in zip(*(each["samples"] for each in histories), strict=True)]
    return ended_of(steps, step_seconds, zone)


def _sum(step: Samples) -> Mapping[str, Any]:
    known = [sample for sample in step if sample["finished"] is not None]
    if not known:
        return {"at": step[0]["at"], "finished": None, "failed": None}
    totals = {name: sum(sample[name] for sample in known) for name in ("finished", "failed")}
    return {"at": step[0]["at"], **totals}


def ended_of(samples: Samples, step_seconds: int, zone: str) -> Chart:
    totals = {n: sum(sample[n] or 0 for sample in samples) for n in ("finished", "failed")}
    return line_chart(
        "Finished and failed",
        [
            Series("finished", _per_minute(samples, "finished", step_seconds)),
            Series("failed", _per_minute(samples, "failed", step_seconds)),
        ],
        summary=f"{totals['finished']:,} finished, {totals['failed']:,} failed",
        unit="a minute",
        zone=zone,
    )


def _per_minute(
    samples: Samples, name: str, step_seconds: int
) -> list[tuple[datetime, float | None]]:
    return [
        (at, None if count is None else round(count * 60 / step_seconds, 1))
        for at, count in _points(samples, name)
    ]


def of_queue(samples: Samples, zone: str) -> Chart:
    most = max((sample["waiting"] or 0 for sample in samples), default=0)
    return line_chart(
        "Waiting and running",
        [
            Series("waiting", _points(samples, "waiting")),
            Series("running", _points(samples, "running")),
        ],
        summary=f"At most {most:,} waited",
        zone=zone,
    )


def oldest(samples: Samples, zone: str, target_seconds: float) -> Chart:
    """Charts how long the oldest had waited."""
    longest = max((sample["oldest_seconds"] or 0 for sample in samples), default=0)
    return line_chart(
        "Age of the oldest waiting job",
        [Series("oldest", _points(samples, "oldest_seconds"))],
        summary=f"At most {longest:,.0f} s",
        unit="s",
        zone=zone,
        levels=[("target", target_seconds)],
    )
