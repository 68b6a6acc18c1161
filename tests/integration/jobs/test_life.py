"""Claim, work, finish, fail, cancel: who may write what."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from app.core import db
from app.core.db import Tx
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from tests.integration.jobs import rows

pytestmark = pytest.mark.usefixtures("tables")


def result(job: ClaimedJob) -> jobs.Finish:
    return lambda tx: _write(tx, job)


def _write(tx: Tx, job: ClaimedJob) -> None:
    tx.execute("insert into results (job_id) values (%s)", (job.id,))


def finish(*claimed: ClaimedJob) -> set[object]:
    with db.transaction() as tx:
        return {*jobs.finish(tx, [jobs.Done(job, result(job)) for job in claimed])}


def results() -> int:
    return int(rows.value("select count(*) from results"))


def test_a_claim_numbers_the_attempt_and_starts_the_lease() -> None:
    job = rows.held()
    left = rows.value("select extract(epoch from lease_until - now()) from jobs")
    assert (job.attempt, rows.state(job.id), 2_500 < left <= 3_000) == (1, "running", True)


def test_neither_a_job_past_its_deadline_nor_one_of_the_future_is_claimed() -> None:
    late = rows.promise()
    rows.past("deadline_at", late)
    early = rows.promise(run_at=datetime.now(UTC) + timedelta(hours=1))
    with db.transaction() as tx:
        assert jobs.claim(tx, [late, early], rows.WORKER, rows.LEASE) == []


def test_finishing_is_fenced_by_attempt_and_worker_and_writes_once() -> None:
    job = rows.held()
    for other in (replace(job, attempt=2), replace(job, worker=rows.OTHER)):
        assert (finish(other), results(), rows.state(job.id)) == (set(), 0, "running")
    finish(job)
    assert (finish(job), results()) == (set(), 1)


def test_of_several_jobs_only_those_still_held_write() -> None:
    kept, lost = rows.held(), rows.held()
    rows.cancel(lost.id)
    assert (finish(kept, lost), results()) == ({kept.id}, 1)


def test_another_attempts_commit_is_not_taken_for_ones_own() -> None:
    job = rows.held()
    finish(job)
    with db.reading() as reader:
        assert not attempt_store.done(reader, replace(job, attempt=2))


@pytest.mark.parametrize(("attempt", "ceiling"), [(1, 200), (2, 400), (9, 500)])
def test_retries_wait_exponentially_up_to_a_limit_with_jitter(
    attempt: int, ceiling: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays = []
    monkeypatch.setattr(
        attempt_store, "fail", lambda tx, job, *, delay, **_: delays.append(delay) or True
    )
    job = replace(rows.held(), attempt=attempt, max_attempts=100)
    with db.transaction() as tx:
        for _ in range(200):
            jobs.fail(tx, job, rows.Odd(), retryable=True)
    assert ceiling / 2 <= min(delays) < max(delays) <= ceiling


def test_the_last_attempt_is_final_and_every_one_is_kept() -> None:
    id = rows.promise()
    ends = []
    for _ in range(rows.PLAIN.max_attempts):
        ends.append(rows.fail(rows.take(id)))
        rows.past("run_at", id)
    assert ends == ["queued", "queued", "failed"]
    assert rows.outcomes(id) == [(1, "failed"), (2, "failed"), (3, "failed")]


def test_a_failed_job_says_why() -> None:
    job = rows.held()
    rows.fail(job, retryable=False)
    assert rows.row(job.id).error == {
        "code": "odd",
        "message": "Something odd.",
        "retryable": True,
    }


def test_a_fenced_worker_cannot_fail_the_job() -> None:
    job = rows.held()
    assert rows.fail(replace(job, worker=rows.OTHER)) is None
    assert (rows.state(job.id), rows.outcomes(job.id)) == ("running", [])


def test_a_final_failure_runs_the_kinds_hook() -> None:
    job = rows.held(rows.HOOKED)
    rows.fail(job)
    assert rows.value("select state from ended where job_id = %(id)s", id=job.id) == "failed"


def test_a_job_is_cancelled_with_its_hook_whatever_its_state() -> None:
    running, dispatched = rows.held(rows.HOOKED).id, rows.promise(rows.HOOKED)
    rows.dispatch()
    queued = rows.promise(rows.HOOKED)
    for id, before in ((queued, "queued"), (dispatched, "dispatched"), (running, "running")):
        assert rows.state(id) == before
        assert rows.cancel(id) is not None
        assert rows.state(id) == "cancelled"
        hooked = rows.value("select state from ended where job_id = %(id)s", id=id)
        assert hooked == "cancelled"


def test_cancelling_changes_nothing_once_a_job_has_ended() -> None:
    done, failed, cancelled = rows.held(), rows.held(), rows.held()
    finish(done)
    rows.fail(failed, retryable=False)
    rows.cancel(cancelled.id)
    for job, end in ((done, "succeeded"), (failed, "failed"), (cancelled, "cancelled")):
        assert (rows.cancel(job.id), rows.state(job.id)) == (None, end)


def test_a_hook_that_raises_undoes_the_cancelling() -> None:
    id = rows.promise(rows.HOOKED, payload={"hook_raises": True})
    with pytest.raises(LookupError):
        rows.cancel(id)
    assert rows.state(id) == "queued"


def test_the_hook_commits_with_the_callers_transaction() -> None:
    id = rows.promise(rows.HOOKED)
    with db.transaction() as tx:
        jobs.cancel(tx, id)
        raise psycopg.Rollback
    assert (rows.state(id), rows.value("select count(*) from ended")) == ("queued", 0)


def test_renewing_prolongs_the_leases_of_what_is_held_and_of_nothing_else() -> None:
    kept, lost = rows.held(), rows.held()
    rows.past("lease_until", kept.id)
    rows.cancel(lost.id)
    with db.transaction() as tx:
        held = [(kept.id, kept.attempt), (lost.id, lost.attempt)]
        assert attempt_store.renew(tx, held, rows.WORKER, 30) == {(kept.id, 1)}
    left = "select extract(epoch from lease_until - now()) from jobs where id = %(id)s"
    assert rows.value(left, id=kept.id) > 25


def test_renewing_does_not_wait_for_a_job_in_the_middle_of_a_step() -> None:
    stepping, other = rows.held(), rows.held()
    rows.past("lease_until", other.id)
    with db.transaction() as step, db.transaction() as tx:
        jobs.hold(step, stepping)
        tx.execute("set local lock_timeout = '1ms'")
        held = [(stepping.id, 1), (other.id, 1)]
        assert attempt_store.renew(tx, held, rows.WORKER, 30) == set(held)
    assert rows.value("select bool_and(lease_until > now()) from jobs")


def test_a_lease_kept_at_the_end_of_a_long_transaction_runs_from_then_on() -> None:
    job = rows.held()
    with db.transaction() as tx:
        jobs.hold(tx, job)
        tx.execute("select pg_sleep(0.01)")
        attempt_store.keep(tx, job, 0.0)
        assert db.value(tx, "select lease_until >= now() + interval '10 ms' from jobs")


def test_progress_of_others_is_refused() -> None:
    job = rows.held()
    for other in (replace(job, attempt=2), replace(job, worker=rows.OTHER)):
        with db.transaction() as tx:
            assert not attempt_store.progress(tx, other, {"percent": 5})
    assert rows.row(job.id).progress == {}


def test_a_held_job_cannot_be_cancelled_until_the_transaction_ends() -> None:
    job = rows.held()
    with db.transaction() as tx:
        assert jobs.hold(tx, job)
        with db.transaction() as other:
            other.execute("set local lock_timeout = '1ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable), other.transaction():
                jobs.cancel(other, job.id)
