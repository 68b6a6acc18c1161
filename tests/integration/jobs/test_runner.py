"""A worker's walk from the claim to the end, in this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any
from uuid import UUID

import psycopg
import pytest

from app.core import db, log
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.redis import events
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.kinds import Kind
from tests import servers
from tests.integration.jobs import rows
from workers.queue import runner as runners
from workers.queue.attempt import Attempt, Lost, _handlers
from workers.queue.leases import Leases
from workers.queue.runner import Runner

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def runner(settings: Settings) -> Runner:
    return Runner(settings, rows.WORKER, events.Publisher(events.connect(settings.redis_url)))


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Sets the handler of a kind for this test."""

    def declare(handler: Callable[[Attempt], jobs.Finish], kind: Kind = rows.PLAIN) -> None:
        monkeypatch.setitem(_handlers, kind.name, handler)

    return declare


def writes_one_row(attempt: Attempt) -> jobs.Finish:
    return lambda tx: write(tx, attempt.id)


def write(tx: Tx, id: UUID) -> None:
    tx.execute("insert into results (job_id) values (%s)", (id,))


def results() -> int:
    return int(rows.value("select count(*) from results"))


def test_what_results_enqueue_names_the_request_of_their_job(runner: Runner, handle: Any) -> None:
    def enqueues(attempt: Attempt) -> jobs.Finish:
        return lambda tx: void(jobs.enqueue(tx, rows.PLAIN, attempt.account_id, {}))

    handle(enqueues)
    with log.bound(request_id="req_first"):
        first = rows.promise()
    runner.run([first])
    assert rows.value("select array_agg(request_id) from jobs") == ["req_first", "req_first"]


def void(_: object) -> None:
    """As a statement in an expression."""


def test_a_message_delivered_twice_is_worked_at_once(runner: Runner, handle: Any) -> None:
    handle(writes_one_row)
    id = rows.promise()
    runner.run([id])
    runner.run([id])
    assert results() == 1
    assert runner.leases._held == set()


def test_a_worker_older_than_a_kind_gives_its_jobs_back_at_once(runner: Runner) -> None:
    id = rows.promise(rows.UNKNOWN)
    with db.transaction() as tx:
        tx.execute("update jobs set state = 'dispatched' where id = %s", (id,))
    runner.run([id])
    given_back = "select delayed and attempt = 0 and run_at < now() + interval '5 s' from jobs"
    assert (rows.state(id), rows.value(given_back)) == ("queued", True)


def test_jobs_of_a_message_are_worked_at_in_its_order(runner: Runner, handle: Any) -> None:
    order: list[UUID] = []

    def note(attempt: Attempt) -> jobs.Finish:
        order.append(attempt.id)
        return lambda tx: None

    handle(note, rows.SHORT)
    ids = [rows.promise(rows.SHORT) for _ in range(4)][::-1]
    runner.run(ids)
    assert order == ids


def raises(_: Attempt, error: type[Exception] = LookupError) -> jobs.Finish:
    raise error


@pytest.mark.parametrize("error", [LookupError, psycopg.errors.LockNotAvailable])
def test_a_handler_that_raises_is_tried_again(
    runner: Runner, handle: Any, error: type[Exception]
) -> None:
    handle(partial(raises, error=error))
    id = rows.promise()
    runner.run([id])
    assert (rows.state(id), rows.outcomes(id)) == ("queued", [(1, "failed")])


def test_an_error_that_trying_again_cannot_help_ends_the_job(runner: Runner, handle: Any) -> None:
    def refuses(_: Attempt) -> jobs.Finish:
        raise jobs.JobNotFound

    handle(refuses)
    id = rows.promise()
    runner.run([id])
    assert (rows.state(id), (rows.row(id).error or {})["code"]) == ("failed", "job_not_found")


def test_results_that_raise_do_not_spoil_those_of_other_jobs(runner: Runner, handle: Any) -> None:
    def maybe(attempt: Attempt) -> jobs.Finish:
        return broken if attempt.payload else writes_one_row(attempt)

    def broken(tx: Tx) -> None:
        raise LookupError

    handle(maybe, rows.SHORT)
    ids = [rows.promise(rows.SHORT, payload=payload) for payload in ({}, {"broken": 1}, {})]
    runner.run(ids)
    assert [rows.state(id) for id in ids] == ["succeeded", "queued", "succeeded"]
    assert results() == 2


def test_a_hook_that_raises_does_not_spoil_the_rest_of_a_message(
    runner: Runner, handle: Any
) -> None:
    handle(raises, rows.HOOKED)
    handle(writes_one_row, rows.SHORT)
    broken = rows.promise(rows.HOOKED, payload={"hook_raises": True})
    whole = rows.promise(rows.SHORT)
    runner.run([broken, whole])
    assert (rows.state(broken), rows.state(whole)) == ("running", "succeeded")


def test_a_job_taken_away_while_it_waited_behind_others_is_not_begun(
    runner: Runner, handle: Any
) -> None:
    begun: list[UUID] = []
    first, second = rows.promise(rows.SHORT), rows.promise(rows.SHORT)

    def takes_the_other_away(attempt: Attempt) -> jobs.Finish:
        begun.append(attempt.id)
        rows.cancel(second)
        runner.leases._lost.add((second, 1))
        return lambda tx: None

    handle(takes_the_other_away, rows.SHORT)
    runner.run([first, second])
    assert begun == [first]


def test_a_commit_whose_reply_was_lost_is_recognised(
    runner: Runner, handle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle(writes_one_row)
    id = rows.promise()
    answers = {"lost": 0}
    finish = runner._commit

    def commit_without_reply(done: Any) -> set[UUID]:
        held = finish(done)
        if not answers["lost"]:
            answers["lost"] += 1
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        assert held == {id}
        return held

    monkeypatch.setattr(runner, "_commit", commit_without_reply)
    runner.run([id])
    assert (rows.state(id), results(), answers) == ("succeeded", 1, {"lost": 1})


def test_results_wait_for_a_database_that_comes_back(
    runner: Runner, handle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle(writes_one_row)
    id = rows.promise()
    away = iter([True, True])

    @contextmanager
    def sometimes() -> Iterator[Tx]:
        if next(away, False):
            raise psycopg.OperationalError
        with transaction() as tx:
            yield tx

    transaction = db.transaction
    monkeypatch.setattr(runners.time, "sleep", lambda _: None)
    monkeypatch.setattr(runner, "_claim", lambda ids: [rows.take(id)])
    monkeypatch.setattr(runners.db, "transaction", sometimes)
    runner.run([id])
    assert (rows.state(id), results()) == ("succeeded", 1)


@pytest.mark.parametrize("error", [psycopg.OperationalError, psycopg.errors.AdminShutdown])
def test_work_is_left_to_its_lease_while_the_database_is_away(
    runner: Runner, handle: Any, error: type[Exception]
) -> None:
    handle(partial(raises, error=error))
    id = rows.promise()
    runner.run([id])
    assert (rows.state(id), rows.outcomes(id)) == ("running", [])


def attempt(runner: Runner, job: ClaimedJob) -> Attempt:
    return Attempt(job, runner.settings, runner.leases, runner.publisher)


def test_a_step_of_a_fenced_worker_commits_nothing(runner: Runner) -> None:
    job = rows.held()
    rows.past("lease_until", job.id)
    rows.sweep()
    rows.take(job.id, rows.OTHER)
    with pytest.raises(Lost), attempt(runner, job).step() as tx:
        write(tx, job.id)
    assert results() == 0


def test_a_step_that_outlives_the_lease_keeps_the_job(runner: Runner) -> None:
    job = rows.held()
    with attempt(runner, job).step() as tx:
        tx.execute("update jobs set lease_until = now() - interval '1 s'")
    rows.sweep()
    assert rows.state(job.id) == "running"


def test_progress_of_a_fenced_worker_raises(runner: Runner) -> None:
    job = rows.held()
    rows.cancel(job.id)
    with pytest.raises(Lost):
        attempt(runner, job).report("reading", 10)


def test_a_later_attempts_progress_has_the_higher_version(runner: Runner) -> None:
    first = rows.held()
    attempt(runner, first).report("reading", 10)
    before = rows.row(first.id).progress["version"]
    rows.past("lease_until", first.id)
    rows.sweep()
    attempt(runner, rows.take(first.id)).report("reading", 10)
    assert rows.row(first.id).progress["version"] > before


def test_a_passed_deadline_is_noticed_between_steps(runner: Runner) -> None:
    job = replace(rows.held(), time_limit_seconds=0.0)
    with pytest.raises(jobs.DeadlineExceeded):
        attempt(runner, job).check()


def test_deadlines_are_judged_by_the_clock_of_the_database(runner: Runner) -> None:
    with db.transaction() as tx:
        rows.set_clock_behind(tx)
        id = jobs.enqueue(tx, rows.PLAIN, rows.ACCOUNT, {}, deadline_seconds=50)
        (job,) = jobs.claim(tx, [id], rows.WORKER, rows.LEASE)
    assert 0 < attempt(runner, job).seconds_left <= 50


@pytest.fixture
def leases(database: str) -> Iterator[Leases]:
    """Renewed every 20 ms."""
    leases = Leases(rows.WORKER, 0.06)
    yield leases
    leases._held.clear()
    servers.until(lambda: leases._thread is None)


def test_the_leases_of_a_working_process_are_renewed(leases: Leases) -> None:
    job = rows.held()
    rows.past("lease_until", job.id)
    leases.take([job])
    servers.until(lambda: rows.value("select lease_until > now() from jobs"))


def test_the_thread_that_renews_ends_with_the_last_job_and_begins_with_the_next(
    leases: Leases,
) -> None:
    for job in (rows.held(), rows.held()):
        rows.cancel(job.id)
        leases.take([job])
        servers.until(partial(leases.lost, job))
        leases.drop([job])
        servers.until(lambda: leases._thread is None)
