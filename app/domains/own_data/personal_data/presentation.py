"""An export as its account sees it."""

from typing import Any

from marshmallow import missing

from app.core.http.fields import RowView
from app.domains.own_data.personal_data import schemas, service
from app.domains.own_data.personal_data.export_store import ExportRow
from app.domains.queue.jobs.statuses import STATUS_OF_STATE
from app.domains.queue.jobs.watch import JobWatch


def present(export: ExportRow) -> RowView:
    done = export.bytes is not None
    return RowView(
        export,
        status=STATUS_OF_STATE[export.state],
        completed_at=export.finished_at if done else None,
        progress={
            "percent": 100 if done else export.progress.get("percent", 0),
            "stage": "done" if done else export.progress.get("stage", "queued"),
        },
        lines=export.rows_of,
        error=(export.state == "failed" and export.error) or missing,
    )


def as_json(export: ExportRow) -> dict[str, Any]:
    dumped: dict[str, Any] = schemas.AccountExportSchema().dump(present(export))
    return dumped


WATCHED = JobWatch(service.find, as_json)
"""Long polls of exports."""
