"""Retrying and cancelling whatever a filter matches."""

import threading
from collections.abc import Callable
from dataclasses import replace
from uuid import UUID

import pytest

from app.core import db, ids
from app.core.actor import Actor, acting
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.core.redis import events
from app.domains.account.audit import store as audit_store
from app.domains.queue.jobs.operations import bulk, listing
from app.domains.queue.jobs.operations.bulk_store import Bulk
from app.domains.queue.jobs.operations.listing_store import Filter
from tests.integration.jobs import rows
from tests.patience import PATIENCE_SECONDS
from workers.queue.attempt import Lost
from workers.queue.runner import Runner

pytestmark = pytest.mark.usefixtures("tables")

FAILED = Filter(state="failed")


@pytest.fixture
def runner(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setattr(bulk, "STEP_JOBS", 3)
    return Runner(settings, "bulk:1:1", events.Publisher(events.connect(settings.redis_url)))


def failed(kind: object = rows.PLAIN, **options: object) -> UUID:
    job = rows.held(kind, **options)  # type: ignore[arg-type]
    rows.fail(job, retryable=False)
    return job.id


def request(action: listing.Action, wanted: Filter) -> Bulk:
    with db.transaction() as tx:
        return bulk.request(tx, action, wanted, "ada")


def look(id: UUID) -> Bulk:
    with db.reading() as reader:
        return bulk.find(reader, id)


def states(found: list[UUID]) -> list[str]:
    return [rows.state(id) for id in found]


def test_all_failed_jobs_of_a_filter_are_retried_once(runner: Runner) -> None:
    found = [failed() for _ in range(8)]
    other = failed(rows.SHORT)
    made = request("retry", replace(FAILED, kind=rows.PLAIN.name, error_code="odd"))
    assert made.expected == 8
    runner.run([made.id])
    assert set(states(found)) == {"queued"}
    assert rows.state(other) == "failed"
    ended = look(made.id)
    assert (ended.state, ended.done, ended.remaining) == ("succeeded", 8, 0)


def test_a_job_that_fails_again_is_not_retried_by_the_same_action(runner: Runner) -> None:
    id = failed()
    made = request("retry", FAILED)
    with db.transaction() as tx:
        assert listing.retry_one(tx, id, rows.PLAIN.name)
    rows.fail(rows.take(id), retryable=False)
    runner.run([made.id])
    assert (rows.state(id), look(made.id).done) == ("failed", 0)


def test_open_jobs_are_cancelled_with_their_hooks_but_not_the_action(runner: Runner) -> None:
    waiting, running = rows.promise(rows.HOOKED), rows.held(rows.HOOKED).id
    made = request("cancel", Filter(state="open"))
    later = rows.promise()
    runner.run([made.id])
    assert states([waiting, running, later]) == ["cancelled", "cancelled", "queued"]
    assert int(rows.value("select count(*) from ended")) == 2
    assert (look(made.id).state, look(made.id).done) == ("succeeded", 2)


def test_a_failure_with_consequences_cannot_be_undone() -> None:
    id = failed(rows.HOOKED)
    with db.reading() as reader:
        assert listing.counts(reader, FAILED) == listing.JobCounts({"failed": 1}, 0, 0)
    with pytest.raises(listing.NotRetriable), db.transaction() as tx:
        listing.retry(tx, ids.public(Noun.TASK, id))


def test_one_of_a_key_is_retried_and_the_other_remains(runner: Runner) -> None:
    failed(unique_key="one")
    failed(unique_key="one")
    made = request("retry", FAILED)
    runner.run([made.id])
    assert (look(made.id).done, look(made.id).remaining) == (1, 1)


def test_a_crash_in_the_middle_repeats_nothing(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [failed() for _ in range(7)]
    made = request("retry", FAILED)
    crash_at(monkeypatch, 2)
    runner.run([made.id])  # dies in its second step: its lease runs out
    assert look(made.id).done == 3
    with db.transaction() as tx:
        tx.execute("update jobs set lease_until = now() where id = %s", [made.id])
    rows.sweep()
    runner.run([made.id])
    assert (look(made.id).done, look(made.id).state) == (7, "succeeded")
    with db.reading() as reader:
        left = db.values(
            reader, "select max_attempts - attempt from jobs where id = any(%(ids)s)", ids=found
        )
    assert set(left) == {3}


def crash_at(monkeypatch: pytest.MonkeyPatch, n: int) -> None:
    """The step of this number does all it does, and is not committed."""
    steps, done = [], bulk.step

    def step(tx: Tx, id: UUID) -> Bulk | None:
        reached = done(tx, id)
        steps.append(reached)
        if len(steps) == n:
            raise Lost
        return reached

    monkeypatch.setattr(bulk, "step", step)


def test_a_job_that_somebody_holds_is_met_in_another_pass(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [failed() for _ in range(3)]
    made = request("retry", FAILED)
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with db.transaction() as tx:
            tx.execute("select from jobs where id = %s for update", [found[1]])
            held.set()
            release.wait(PATIENCE_SECONDS)

    holder = threading.Thread(target=hold)
    holder.start()
    assert held.wait(PATIENCE_SECONDS)
    release_after_first(monkeypatch, release, holder.join)
    runner.run([made.id])
    assert (look(made.id).done, look(made.id).remaining) == (3, 0)


def release_after_first(
    monkeypatch: pytest.MonkeyPatch, release: threading.Event, join: Callable[[], None]
) -> None:
    done = bulk.step

    def step(tx: Tx, id: UUID) -> Bulk | None:
        reached = done(tx, id)
        release.set()
        join()
        return reached

    monkeypatch.setattr(bulk, "step", step)


def test_what_operators_did_is_written_down() -> None:
    id = rows.promise()
    with acting(Actor(kind="operator", name="ada")):
        with db.transaction() as tx:
            listing.cancel(tx, ids.public(Noun.SEARCH, id))
        request("retry", replace(FAILED, kind="x"))
    with db.reading() as reader:
        lines = [
            (row.by_whom, row.action, row.object, row.facts)
            for row in audit_store.of_operators(reader, None, 9)
        ]
    assert lines == [
        ("ada", "jobs.retried", "state failed, kind x", {"jobs": 0}),
        ("ada", "job.cancelled", ids.public(Noun.TASK, id), {}),
    ]


def test_failures_are_told_by_cause() -> None:
    failed()
    failed()
    failed(rows.HOOKED)
    with db.reading() as reader:
        _, found = listing.causes(reader, 3600, None)
    assert [(row.kind, row.code, row.jobs, row.retriable) for row in found] == [
        (rows.PLAIN.name, "odd", 2, 2),
        (rows.HOOKED.name, "odd", 1, 0),
    ]


def test_a_filter_matches_what_it_says() -> None:
    plain, short = rows.promise(), rows.promise(rows.SHORT, account=ids.new())
    with db.reading() as reader:

        def found(**wanted: object) -> list[UUID]:
            return [job.id for job in listing.page(reader, Filter(**wanted), None, 10)]  # type: ignore[arg-type]

        assert found() == [short, plain]
        assert found(state="open", kind=rows.SHORT.name) == [short]
        assert found(account_id=rows.ACCOUNT, queue=rows.QUEUE) == [plain]
        assert found(state="failed") == found(error_code="odd") == []
        assert [job.id for job in listing.page(reader, Filter(), short, 10)] == [plain]
