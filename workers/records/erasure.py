"""Handler that deletes page jobs: on their owner's request, or when their time is over."""

from uuid import UUID

from app.domains.queue.jobs.service import Finish
from app.domains.records.page_jobs.kinds import ERASE
from app.domains.records.page_jobs.runs import erasure
from workers.queue.attempt import Attempt, handles


@handles(ERASE)
def erase(attempt: Attempt) -> Finish:
    """Delete the rows of one job, a bounded number in each transaction."""
    job_id = UUID(attempt.payload["job_id"])
    attempt.drain(lambda tx: erasure.step(tx, job_id))
    return lambda _tx: None
