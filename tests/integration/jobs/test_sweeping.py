"""What becomes of jobs nobody hears of: lost messages, dead workers, passed deadlines, old age."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from app.core import db
from app.domains.queue.jobs.dispatch import selection, sweep, sweep_store
from tests.integration.jobs import rows

pytestmark = pytest.mark.usefixtures("tables")


def lost(attempts: int = 1) -> UUID:
    """A job that has lost its worker so many times."""
    id = rows.promise()
    for _ in range(attempts):
        rows.take(id)
        rows.past("lease_until", id)
        rows.sweep()
    return id


def test_a_dead_workers_job_waits_again_and_a_living_ones_is_left_alone() -> None:
    living, dead = rows.held(), rows.held()
    rows.past("lease_until", dead.id)
    assert rows.sweep() == []
    assert (rows.state(dead.id), rows.outcomes(dead.id)) == ("queued", [(1, "lost")])
    assert rows.state(living.id) == "running"


def test_a_job_that_always_loses_its_worker_fails() -> None:
    job = rows.row(lost(rows.PLAIN.max_attempts))
    assert (job.state, job.error) == (
        "failed",
        {
            "code": "worker_lost",
            "message": "The worker was lost on every attempt of this job.",
            "retryable": True,
        },
    )


@pytest.mark.parametrize(
    ("before", "outcomes"), [("queued", []), ("dispatched", []), ("running", [(1, "overdue")])]
)
def test_a_job_past_its_deadline_fails_when(before: str, outcomes: list[tuple[int, str]]) -> None:
    id = rows.promise(rows.HOOKED)
    if before == "dispatched":
        rows.dispatch()
    if before == "running":
        rows.take(id)
    rows.past("deadline_at", id)
    rows.sweep()
    assert (rows.state(id), (rows.row(id).error or {})["code"]) == ("failed", "deadline_exceeded")
    assert rows.outcomes(id) == outcomes


def test_a_hook_that_raises_does_not_hold_up_other_jobs() -> None:
    broken = rows.promise(rows.HOOKED, payload={"hook_raises": True})
    whole = rows.promise(rows.HOOKED)
    for id in (broken, whole):
        rows.past("deadline_at", id)
    rows.sweep()
    assert (rows.state(broken), rows.state(whole)) == ("failed", "failed")
    assert rows.value("select count(*) from ended") == 1


@pytest.mark.parametrize("column", ["deadline_at", "lease_until"])
def test_a_full_batch_says_that_there_is_more(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "BATCH_JOBS", 2)
    for _ in range(3):
        rows.past(column, rows.held(rows.HOOKED).id)
    with db.transaction() as tx:
        swept = [sweep.sweep(tx) for _ in range(2)]
    assert [(len(batch.ended), batch.more) for batch in swept] == [(2, True), (1, False)]


def test_what_is_longest_past_its_deadline_ends_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "BATCH_JOBS", 1)
    later, earlier = rows.promise(deadline_seconds=-1), rows.promise(deadline_seconds=-1_000)
    rows.sweep()
    assert (rows.state(earlier), rows.state(later)) == ("failed", "queued")


@pytest.mark.parametrize("column", ["deadline_at", "lease_until"])
def test_a_sweeper_older_than_a_kind_leaves_it_to_others(column: str) -> None:
    id = rows.promise(rows.UNKNOWN)
    with db.transaction() as tx:
        tx.execute("update jobs set state = 'running', worker = 'w', attempt = 1")
    rows.past(column, id)
    rows.sweep()
    assert rows.state(id) == "running"


def test_a_stopping_worker_gives_its_jobs_back_at_once_without_using_up_an_attempt() -> None:
    job, of_another = rows.held(), rows.take(rows.promise(), "host:11:2")
    with db.transaction() as tx:
        assert sweep_store.release(tx, "host:1:") == 1
    assert (rows.state(job.id), rows.outcomes(job.id)) == ("queued", [(1, "released")])
    assert [chosen.id for chosen in rows.dispatch()] == [job.id]
    assert rows.row(job.id).max_attempts == rows.PLAIN.max_attempts + 1
    assert rows.state(of_another.id) == "running"


def test_finished_jobs_are_deleted_with_their_attempts_when_they_are_old() -> None:
    kept = {aged(days=days, state=state) for days, state in
            ((20, "succeeded"), (41, "queued"), (42, "running"))}  # fmt: skip
    old = aged(days=40, state="succeeded")
    attempt = "insert into job_attempts (job_id, attempt, outcome) values (%s, 1, 'lost')"
    with db.transaction() as tx:
        tx.execute(attempt, (old,))
    with db.transaction() as tx:
        assert selection.retire(tx, 30) == 1
    with db.reading() as reader:
        assert set(db.values(reader, "select id from jobs")) == kept
        assert db.value(reader, "select count(*) from job_attempts") == 0


def aged(*, days: float, state: str) -> UUID:
    """A job whose id says that it was made so many days ago."""
    made = datetime.now(UTC) - timedelta(days=days)
    id = rows.promise(id=UUID(int=int(made.timestamp() * 1000) << 80 | 7 << 76 | 2 << 62))
    with db.transaction() as tx:
        tx.execute("update jobs set state = %s where id = %s", (state, id))
    return id
