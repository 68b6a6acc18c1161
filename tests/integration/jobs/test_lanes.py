"""Lanes: a slice of rows taken, worked on, kept, and whatever is left given back."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

import workers.records.lanes.slices
from app.core import db
from app.core.config.settings import Settings
from app.core.redis import events
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from tests import servers
from tests.integration.jobs import lanes, rows
from workers.queue.attempt import Attempt, Lost, _handlers
from workers.queue.runner import Runner


@pytest.fixture(autouse=True)
def handlers(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes.create_tables()
    monkeypatch.setitem(_handlers, lanes.LONG.name, lanes.long)
    monkeypatch.setitem(_handlers, lanes.LANE.name, lanes.lane)


@pytest.fixture
def runner(settings: Settings) -> Runner:
    return Runner(settings, rows.WORKER, events.Publisher(events.connect(settings.redis_url)))


def attempt(runner: Runner, job: ClaimedJob) -> Attempt:
    return Attempt(job, runner.settings, runner.leases, runner.publisher)


def first_lane(id: UUID) -> ClaimedJob:
    return rows.take(lanes.parts(id)[0])


def taken(part: ClaimedJob) -> list[int]:
    with db.reading() as reader:
        sql = "select n from items where part_id = %(id)s and state = 'taken' order by n"
        return list(db.values(reader, sql, id=part.id))


def visits(counted: list[int]) -> Callable[[list[int]], Generator[tuple[int, int]]]:
    def visit(items: list[int]) -> Generator[tuple[int, int]]:
        for n in items:
            counted.append(n)
            yield n, n

    return visit


def work_on(
    lane: Attempt,
    visit: Callable[[list[int]], Generator[tuple[int, int]]] = lanes.visit,
    **options: Any,
) -> jobs.Finish:
    return workers.records.lanes.slices.run_lane(
        lane, lanes.take_for(lane), visit, lanes.keep_for(lane), lanes.left, key=str, **options
    )


def run_all(runner: Runner) -> None:
    for id in lanes.chosen():
        runner.run([id])


def test_several_workers_do_every_row_once(settings: Settings) -> None:
    id = lanes.promise(120)

    def work(number: int) -> None:
        publisher = events.Publisher(events.connect(settings.redis_url))
        own = Runner(settings, f"host:1:{number}", publisher)
        while rows.state(id) not in jobs.FINISHED:
            for ready in rows.dispatch(depth=8):
                own.run([ready.id])

    with ThreadPoolExecutor(3) as pool:
        for worker in [pool.submit(work, number) for number in range(3)]:
            worker.result()
    assert (rows.state(id), lanes.records(id), lanes.joins(id)) == ("succeeded", 120, 1)


def test_a_killed_parts_rows_are_done_again_by_its_next_attempt(runner: Runner) -> None:
    id = lanes.waiting(lanes.MOST)
    part = first_lane(id)
    with attempt(runner, part).step() as tx:
        lanes.take_for(attempt(runner, part))(tx, part.id, lanes.MOST)
        lanes.record(tx, part, [1, 2])
    rows.past("lease_until", part.id)
    rows.sweep()
    run_all(runner)
    assert (rows.state(id), lanes.records(id)) == ("succeeded", lanes.MOST)


def test_a_later_attempt_takes_no_further_rows(runner: Runner) -> None:
    id = lanes.waiting(2 * lanes.MOST)
    part = first_lane(id)
    rows.past("lease_until", part.id)
    rows.sweep()
    runner.run([part.id])
    assert lanes.records(id) == 0


def test_a_later_attempt_keeps_its_rows_one_by_one(runner: Runner) -> None:
    id = lanes.waiting(lanes.MOST)
    part = first_lane(id)
    with attempt(runner, part).step() as tx:
        lanes.take_for(attempt(runner, part))(tx, part.id, lanes.MOST)
    rows.past("lease_until", part.id)
    rows.sweep()
    kept: list[list[int]] = []
    again = attempt(runner, rows.take(part.id))
    keep: Any = lambda _tx, results: kept.append(results)  # noqa: E731
    workers.records.lanes.slices.run_lane(
        again, lanes.take_for(again), lanes.visit, keep, lanes.left, key=str
    )
    assert kept == [[1], [2], [3], [4], [5]]


def test_a_row_that_killed_its_worker_comes_last_and_is_named(runner: Runner) -> None:
    id = lanes.waiting(3)
    part = first_lane(id)
    with attempt(runner, part).step() as tx:
        lanes.take_for(attempt(runner, part))(tx, part.id, 3)
        attempt_store.begin_row(tx, part, ["1"])
    rows.past("lease_until", part.id)
    rows.sweep()
    visited: list[int] = []
    again = attempt(runner, rows.take(part.id))
    work_on(again, visits(visited))
    assert visited == [2, 3, 1]


def test_a_part_whose_workers_all_died_gives_its_rows_to_others(runner: Runner) -> None:
    id = lanes.waiting(lanes.MOST)
    (part,) = lanes.parts(id)
    job = rows.take(part)
    with attempt(runner, job).step() as tx:
        lanes.take_for(attempt(runner, job))(tx, part, lanes.MOST)
    for _ in range(lanes.LANE.max_attempts):
        rows.past("lease_until", part)
        rows.sweep()
        if rows.state(part) == "queued":
            rows.take(part)
    run_all(runner)
    assert (rows.state(part), rows.state(id), lanes.records(id)) == ("failed", "succeeded", 5)


def test_what_a_slice_has_left_goes_back(runner: Runner) -> None:
    id = lanes.waiting(lanes.MOST)
    lane = attempt(runner, first_lane(id))
    finish = work_on(lane, seconds=0)
    assert taken(lane.job) == [2, 3, 4, 5]
    with db.transaction() as tx:
        finish(tx)
    assert taken(lane.job) == []


def test_a_lane_may_end_before_its_rows(runner: Runner) -> None:
    id = lanes.waiting(lanes.MOST)
    lane = attempt(runner, first_lane(id))

    def two(items: list[int]) -> Generator[tuple[int, int]]:
        yield from [(n, n) for n in items[:2]]

    finish = work_on(lane, two)
    with db.transaction() as tx:
        finish(tx)
    assert (lanes.records(id), taken(lane.job)) == (2, [])


@pytest.mark.parametrize("kept", [0, 2])
def test_nothing_is_written_after_the_commit_of_a_cancel(
    runner: Runner, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers.records.lanes.slices, "KEEP_ROWS", 1)
    id = lanes.waiting(lanes.MOST)
    lane = attempt(runner, first_lane(id))

    def cancelled_after(items: list[int]) -> Generator[tuple[int, int]]:
        for n in items:
            if n == kept + 1:
                rows.cancel(id)
            yield n, n

    with pytest.raises(Lost):
        work_on(lane, cancelled_after)
    assert lanes.records(id) == kept


def test_cancels_among_working_lanes_leave_no_later_record(settings: Settings) -> None:
    def work(number: int, id: UUID) -> None:
        publisher = events.Publisher(events.connect(settings.redis_url))
        own = Runner(settings, f"host:1:{number}", publisher)
        while lanes.unfinished(id):
            for ready in rows.dispatch(depth=8):
                own.run([ready.id])
            rows.sweep()

    with ThreadPoolExecutor(3) as pool:
        for most in (5, 40):
            id = lanes.promise(200)
            working = [pool.submit(work, number, id) for number in range(3)]
            servers.until(lambda id=id, most=most: lanes.records(id) >= most)
            rows.cancel(id)
            at_commit = lanes.records(id)
            for worker in working:
                worker.result()
            assert (lanes.records(id), lanes.joins(id)) == (at_commit, 0)


def test_a_small_job_of_the_same_account_ends_within_two_slices_of_a_long_one(
    runner: Runner,
) -> None:
    long = lanes.promise(200)
    order = lanes.chosen()
    for _ in range(lanes.LANES + 3):  # the plan, and some lanes
        runner.run([next(order)])
    small = lanes.promise(1)
    slices = 0
    while rows.state(small) != "succeeded":
        id = next(order)
        slices += rows.row(id).parent_id == long
        runner.run([id])
    assert slices <= 2 * lanes.LANES
    assert rows.state(long) == "waiting"
