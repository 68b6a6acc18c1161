"""An export as its account sees it."""

from typing import Any

from app.core import ids
from app.core.ids import Noun
from app.domains.own_data.personal_data import schemas, service
from app.domains.own_data.personal_data.export_store import Export
from app.domains.queue.jobs.statuses import STATUS_OF_STATE
from app.domains.queue.jobs.watch import JobWatch


def present(export: Export) -> dict[str, Any]:
    """As AccountExport describes it."""
    done = export.bytes is not None
    presented: dict[str, Any] = {
        "id": ids.public(Noun.EXPORT, export.id),
        "status": STATUS_OF_STATE[export.state],
        "created_at": export.created_at,
        "completed_at": export.finished_at if done else None,
        "expires_at": export.expires_at,
        "progress": {
            "percent": 100 if done else export.progress.get("percent", 0),
            "stage": "done" if done else export.progress.get("stage", "queued"),
        },
        "bytes": export.bytes,
        "lines": export.rows_of,
    }
    if export.state == "failed" and export.error:
        presented["error"] = export.error
    return presented


def as_json(export: Export) -> dict[str, Any]:
    """The same in JSON's types."""
    dumped: dict[str, Any] = schemas.AccountExportSchema().dump(present(export))
    return dumped


WATCHED = JobWatch(service.find, as_json)
"""Long polls of exports."""
