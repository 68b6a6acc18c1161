"""The pace of a job and the times of its parts, as its pages show them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from app.web.charts.timeline import TimeSpan, timeline


@dataclass(frozen=True, slots=True)
class ReadingPace:
    """`rate` is in words; `left_seconds` is None where it cannot be estimated."""

    rate: str | None = None
    left_seconds: float | None = None


def pace(
    progress: Mapping[str, Any], started_at: str | None, now: datetime | None = None
) -> ReadingPace:
    """The pages read in a second or minute so far, and the time that those known of will take."""
    done, found = progress["pages_done"], progress["pages_found"]
    if not done or started_at is None:
        return ReadingPace()
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(started_at)).total_seconds()
    if seconds < 1:
        return ReadingPace()
    rate = done / seconds
    number, unit = (rate, "second") if rate >= 1 else (60 * rate, "minute")
    words = f"{number:.2g}" if number < 99 else f"{number:,.0f}"
    return ReadingPace(f"{words} pages a {unit}", (found - done) / rate if found > done else None)


def of_job(job: Mapping[str, Any]) -> Markup | None:
    """The waiting and the working of a job that runs once."""
    return timeline(list(_spans(job)), datetime.now(UTC))


def _spans(job: Mapping[str, Any]) -> Iterator[TimeSpan]:
    created, started, ended = (
        datetime.fromisoformat(text) if text else None
        for text in (job["created_at"], job["started_at"], job["completed_at"])
    )
    if created is None:
        return
    yield TimeSpan("Waiting for a worker", "queued", created, started or ended)
    if started is not None:
        yield TimeSpan("Reading pages", job["status"], started, ended)


def of_steps(steps: Sequence[Mapping[str, Any]]) -> Markup | None:
    """The steps of a workflow that have started, in order of their start."""
    spans = [
        TimeSpan(
            step["id"],
            step["state"],
            datetime.fromisoformat(step["started_at"]),
            datetime.fromisoformat(step["completed_at"]) if step["completed_at"] else None,
        )
        for step in steps
        if step["started_at"]
    ]
    return timeline(sorted(spans, key=lambda span: span.begins), datetime.now(UTC))
