"""A search as its callers see it, whichever door they came through."""

from typing import Any

from app.core import ids
from app.core.ids import Noun
from app.domains.queue.jobs.watch import JobWatch
from app.domains.search.searches import schemas, service
from app.domains.search.searches.store import Search


def present(search: Search) -> dict[str, Any]:
    """A search as SearchOut and SearchListed describe it."""
    progress = search.progress
    done = search.state == "succeeded"
    presented: dict[str, Any] = {
        "id": ids.public(Noun.SEARCH, search.id),
        "status": service.status(search),
        "query": search.query,
        "created_at": search.created_at,
        "started_at": search.started_at,
        "completed_at": search.finished_at,
        "expires_at": search.expires_at,
        "deadline_at": search.deadline_at,
        "progress": {
            "percent": 100 if done else progress.get("percent", 0),
            "stage": "done" if done else progress.get("stage", "queued"),
            "sources_found": progress.get("sources_found", 0),
        },
        "attempts": search.attempt,
        "warnings": search.warnings,
    }
    if search.state == "failed" and search.error:
        presented["error"] = search.error
    if done and search.result:
        presented["result"] = search.result
    return presented


def as_json(search: Search) -> dict[str, Any]:
    """The same in JSON's types."""
    dumped: dict[str, Any] = schemas.SearchOut().dump(present(search))
    return dumped


WATCHED = JobWatch(service.find, as_json)
"""Long polls and event streams of searches."""
