"""A job that waits for its payment: nobody does it until it is started."""

from uuid import UUID

import pytest

from app.core import db
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store
from tests.integration.jobs import rows

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def pending() -> UUID:
    return rows.promise(rows.HOOKED, pending=True)


def start(id: UUID, seconds: float = 60.0) -> bool:
    with db.transaction() as tx:
        return store.start(tx, id, seconds)


def refuse(id: UUID) -> bool:
    with db.transaction() as tx:
        return jobs.refuse(tx, id, rows.Odd())


def test_a_job_is_dispatched_once_it_is_started_and_that_is_once(pending: UUID) -> None:
    assert rows.dispatch() == []
    with db.transaction() as tx:
        assert jobs.claim(tx, [pending], rows.WORKER, rows.LEASE) == []
    assert [start(pending), start(pending)] == [True, False]
    assert not refuse(pending)
    assert [chosen.id for chosen in rows.dispatch()] == [pending]


def test_the_deadline_counts_from_the_start(pending: UUID) -> None:
    rows.past("deadline_at", pending)
    start(pending)
    assert rows.sweep() == []


def test_a_refused_job_fails_with_the_reason(pending: UUID) -> None:
    assert refuse(pending)
    job = rows.row(pending)
    assert (job.state, job.error) == (
        "failed",
        {"code": "odd", "message": "Something odd.", "retryable": True},
    )


def test_a_pending_job_ends_by_its_deadline(pending: UUID) -> None:
    rows.past("deadline_at", pending)
    assert [job.id for job in rows.sweep()] == [pending]
    assert rows.state(pending) == "failed"


def test_a_pending_job_can_be_cancelled(pending: UUID) -> None:
    rows.cancel(pending)
    assert (rows.state(pending), start(pending)) == ("cancelled", False)


def test_a_failed_job_and_no_other_is_revived_with_fresh_attempts(pending: UUID) -> None:
    job = rows.held(rows.HOOKED)
    rows.fail(job, retryable=False)
    with db.transaction() as tx:
        assert jobs.revive(tx, rows.HOOKED, job.id, deadline_seconds=60)
        assert not jobs.revive(tx, rows.HOOKED, pending, deadline_seconds=60)
    again = rows.take(job.id)
    assert (again.attempt, again.max_attempts) == (2, 2)
