"""Deleting jobs and old runs with all that they have, a bounded number of rows at a time."""

from collections.abc import Sequence
from typing import LiteralString
from uuid import UUID

from app.core.db import Tx, values
from app.domains.library.passages import snapshots
from app.domains.queue.jobs.service import OPERATOR, enqueue
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.kinds import ERASE
from app.domains.records.page_jobs.runs import types

_AT_ONCE = 100

RUNS_OF_JOB = """
    select id from extraction_runs where job_id = %(job_id)s order by id limit %(most)s
    """

# A job's last run is deleted with the job.
OLD_RUNS = """
    select id from extraction_runs where expires_at < now() order by expires_at limit %(most)s
    """

SAMPLES: LiteralString = """
    delete from extraction_samples where record_id in (
        select record_id from extraction_samples where run_id = any(%(runs)s) limit %(most)s)
    returning null::uuid
    """

RECORDS: LiteralString = """
    delete from extraction_records where id in (
        select id from extraction_records where run_id = any(%(runs)s) limit %(most)s)
    returning null::uuid
    """

PAGES: LiteralString = """
    delete from extraction_pages where id in (
        select id from extraction_pages where run_id = any(%(runs)s) limit %(most)s)
    returning snapshot_id
    """

RUNS: LiteralString = "delete from extraction_runs where id = any(%(runs)s) returning null::uuid"


def promise(tx: Tx, job_id: UUID) -> None:
    """Enqueue the erasing of a job that nobody may read any more."""
    enqueue(tx, ERASE, OPERATOR, {"job_id": str(job_id)}, unique_key=str(job_id))


def step(tx: Tx, job_id: UUID, most: int = 1_000) -> int:
    """Delete at most so many rows of an erased job; how many went. 0: nothing is left of it."""
    job = store.of_anybody(tx, job_id)
    if job is None:
        return 0
    for part_id in store.erase_parts(tx, job_id):
        promise(tx, part_id)
    hook = types.of(job.type).erase
    if hook is not None and (went := hook(tx, job_id, most)):
        return went
    found = values(tx, RUNS_OF_JOB, job_id=job_id, most=_AT_ONCE)
    return _delete(tx, found, most) or int(store.delete(tx, job_id))


def retire(tx: Tx, most: int = 1_000) -> int:
    """Delete at most so many rows of runs past their time that others have followed; how many."""
    return _delete(tx, values(tx, OLD_RUNS, most=_AT_ONCE), most)


def _delete(tx: Tx, run_ids: Sequence[UUID], most: int) -> int:
    """Deletes rows of runs, what hangs on a row first; the snapshots of pages are released."""
    if not run_ids:
        return 0
    for sql in (SAMPLES, RECORDS, PAGES, RUNS):
        deleted = values(tx, sql, runs=list(run_ids), most=most)
        snapshots.release(tx, deleted)
        if deleted:
            return len(deleted)
    return 0
