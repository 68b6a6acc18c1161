"""The request for a job, as its caller sees it again."""

from collections.abc import Mapping
from typing import Any

from app.domains.records.page_jobs.store import PageJob


def as_sent(job: PageJob) -> dict[str, Any]:
    """The body that makes such a job again, with defaults; without its webhook."""
    body = {name: value for name, value in job.body.items() if name != "webhook"}
    seconds = body.pop("deadline_seconds", None)
    return body if seconds is None else {**body, "deadline": f"{int(seconds)}s"}


def source(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns the source of pages in short; None of a workflow, whose steps have sources of their
    own.
    """
    if (given := body.get("source")) is None:
        return None
    urls = given.get("urls") or [given.get("url")]
    return {
        "type": given["type"],
        "url": urls[0],
        "query": given.get("query"),
        "count": len(urls),
    }


def schedule(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """When a monitor runs; None of jobs that run once."""
    if (given := body.get("schedule")) is None:
        return None
    zone = given.get("timezone", "UTC") if "cron" in given else None
    return {"every": given.get("every"), "cron": given.get("cron"), "timezone": zone}
