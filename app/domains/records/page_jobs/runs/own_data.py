"""An account's data in jobs that read pages. Their domain deletes them with all they have."""

from typing import Final, LiteralString

from app.core.db.own_data import Export, Follows, Table
from app.core.ids import Noun
from app.domains.records.page_jobs.store import OF_CALLERS

JOBS: LiteralString = (
    "select id from extraction_jobs where account_id = %(account_id)s and " + OF_CALLERS  # noqa: S608
)
RUNS: LiteralString = (
    "select id from extraction_runs where job_id = any(array(" + JOBS + "))"  # noqa: S608
)
NOUNS: Final = {"job_id": Noun.JOB, "run_id": Noun.RUN}

PAGE_JOBS_TABLES: Final = (
    Table(
        "extraction_jobs",
        Export(
            "id, type, body, metadata, run_id, rerun_of, webhook_id, warnings, stop_reason, error,"
            " created_at, ended_at, cancelled_at, expires_at",
            {"id": Noun.JOB, "rerun_of": Noun.JOB, "webhook_id": Noun.WEBHOOK, **NOUNS},
            file="extractions",
            only="erased_at is null and " + OF_CALLERS,
        ),
        Follows("deleted by their own domain, with all that hangs on them"),
    ),
    Table(
        "extraction_runs",
        Export(
            "id, job_id, n, tick, skipped, stop_reason, error, started_at, ended_at, found, done,"
            " failed, records, stats, validation",
            {"id": Noun.RUN, **NOUNS},
        ),
        Follows("with its job"),
        by="job_id",
        parents=JOBS,
    ),
    Table(
        "extraction_pages",
        Export(
            "run_id, n, url, final_url, state, outcome, verdict, records, fetched_at",
            NOUNS,
            key=("n",),
        ),
        Follows("with its run"),
        by="run_id",
        parents=RUNS,
    ),
    Table(
        "extraction_records",
        Export(
            "id, run_id, position, version, data, unsatisfied, provenance, confidence",
            {"id": Noun.RECORD, **NOUNS},
            key=("position", "id"),
        ),
        Follows("with its run"),
        by="run_id",
        parents=RUNS,
    ),
    Table(
        "extraction_samples",
        "marks inside the second extraction; a run's `validation` sums them up",
        Follows("with its record"),
    ),
)
