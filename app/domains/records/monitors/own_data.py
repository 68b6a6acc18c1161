"""An account's data in monitors."""

from typing import Final

from app.core.db.own_data import Export, Follows, Table
from app.core.ids import Noun
from app.domains.records.page_jobs.runs.own_data import JOBS, NOUNS

MONITORS_TABLES: Final = (
    Table(
        "monitor_pages",
        Export("job_id, url, final_url, state, removed, checked_at", NOUNS, key=("url",)),
        Follows("with its job"),
        by="job_id",
        parents=JOBS,
    ),
    Table(
        "monitor_changes",
        Export(
            "id, job_id, run_id, url, verdict, fields, facts, created_at",
            {"id": Noun.CHANGE, **NOUNS},
        ),
        Follows("with its job"),
        by="job_id",
        parents=JOBS,
    ),
    Table("monitor_views", "until where you have looked", Follows("with its job")),
)
