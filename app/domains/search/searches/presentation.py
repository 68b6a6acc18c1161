"""A search as its callers see it, whichever door they came through."""

from collections.abc import Mapping
from typing import Any

from marshmallow import missing

from app.core.http.fields import RowView
from app.domains.queue.jobs.watch import JobWatch
from app.domains.search.searches import schemas, service
from app.domains.search.searches.answer_state import answer_state
from app.domains.search.searches.store import Search


def present(search: Search) -> RowView:
    progress = search.progress
    done = search.state == "succeeded"
    return RowView(
        search,
        status=service.status(search),
        follows=search.follows or missing,
        completed_at=search.finished_at,
        progress={
            "percent": 100 if done else progress.get("percent", 0),
            "stage": "done" if done else progress.get("stage", "queued"),
            "sources_found": progress.get("sources_found", 0),
            "pages": [] if search.finished_at else progress.get("pages", []),
        },
        attempts=search.attempt,
        error=(search.state == "failed" and search.error) or missing,
        answer_state=(done and search.answer_state) or missing,
        result=_result(search.result) if done and search.result else missing,
    )


def _result(stored: Mapping[str, Any]) -> dict[str, Any]:
    return {**stored, "state": answer_state(stored)}


def as_json(search: Search) -> dict[str, Any]:
    dumped: dict[str, Any] = schemas.SearchOut().dump(present(search))
    return dumped


WATCHED = JobWatch(service.find, as_json)
"""Long polls and event streams of searches."""
