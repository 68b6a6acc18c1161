"""The facts that every page of a job shows: its state, its pace, and why pages of it failed."""

from collections.abc import Mapping
from typing import Any, Final

from app.web.frame import outcomes
from app.web.frame.operations import call
from app.web.pages.records import job_times

OWN_PAGES: Final = {"monitoring": "/monitors", "workflow": "/workflows"}
"""Types of jobs that have pages of their own beside their records."""
ENDED: Final = ("completed", "failed", "cancelled")
_MOST_REASONS: Final = 5


def of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The context of `extractions/job.html`."""
    ended = job["status"] in ENDED
    moving = not ended and job["progress"]["stage"] != "waiting"  # as a monitor does between runs
    return {
        "job": job,
        "ended": ended,
        "moving": moving,
        "own_page": OWN_PAGES.get(job["type"]),
        "pace": job_times.pace(job["progress"], job["started_at"]) if moving else None,
        "failures": failures(job),
        "well": outcomes.WELL,
    }


def failures(job: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The reasons for which pages could not be read, most frequent first, each with a page."""
    counts = (job["stats"].get("outcomes") or {}).items()
    failed = sorted((-count, name) for name, count in counts if name not in outcomes.WELL)
    return [_failure(job["id"], name, -count) for count, name in failed[:_MOST_REASONS]]


def _failure(job_id: str, name: str, count: int) -> dict[str, Any]:
    pages = call("listPages", query={"outcome": name, "limit": 1}, job_id=job_id)["pages"]
    url = pages[0]["url"] if pages else ""
    return {"outcome": outcomes.of_page(name, url), "pages": count, "url": url}
