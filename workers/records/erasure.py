"""Handler of the work that deletes jobs whose owner, or whose time, wants them gone."""

from uuid import UUID

from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.kinds import ERASE
from workers.queue.attempt import Attempt, handles


@handles(ERASE)
def erase(attempt: Attempt) -> jobs.Finish:
    """Delete the rows of one job, a bounded number in each transaction."""
    job_id = UUID(attempt.payload["job_id"])
    while True:
        with attempt.step() as tx:
            went = extractions.erase_some(tx, job_id)
        attempt.check()
        if not went:
            return lambda _tx: None
