"""An account's data in steps of workflows."""

from typing import Final

from app.core.db.own_data import Export, Follows, Table
from app.domains.records.page_jobs.runs.own_data import NOUNS, RUNS

WORKFLOWS_TABLES: Final = (
    Table(
        "workflow_steps",
        Export(
            "run_id, step, type, needs, state, items_in, items_out, because, error, started_at,"
            " ended_at",
            NOUNS,
            key=("step",),
        ),
        Follows("with its run"),
        by="run_id",
        parents=RUNS,
    ),
    Table("workflow_items", "what is open of a step while it runs", Follows("with its step")),
    Table(
        "workflow_outputs",
        Export("run_id, step, n, url, data", NOUNS, key=("step", "n")),
        Follows("with its step"),
        by="run_id",
        parents=RUNS,
    ),
)
