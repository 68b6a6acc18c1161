"""A parent that waits, and its parts: who wakes it, who ends what, and what a part may write."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from uuid import UUID

import psycopg
import pytest

from app.core import db, ids
from app.domains.queue.jobs import kinds, parts
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.parts import ParentEnded
from tests.integration.jobs import lanes, rows

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def tables(database: str) -> None:
    lanes.create_tables()


def claimed_parts(id: UUID) -> list[ClaimedJob]:
    return [rows.take(part) for part in lanes.parts(id)]


def done(part: ClaimedJob) -> None:
    """Its rows are done and the part ends well."""
    with db.transaction() as tx:
        tx.execute("update items set state = 'done' where job_id = %s", (part.parent_id,))
        jobs.finish(tx, [jobs.Done(part, lambda _tx: None)])


def test_a_job_that_returns_wait_holds_no_worker_and_gives_its_deadline_to_its_parts() -> None:
    id = lanes.waiting(7)
    lease = rows.value("select lease_until from jobs where id = %(id)s", id=id)
    assert (rows.state(id), lease) == ("waiting", None)
    assert rows.value("select count(distinct deadline_at) from jobs") == 1


def test_a_parent_goes_to_a_dispatcher_as_soon_as_its_last_part_ends() -> None:
    id = lanes.waiting(7)
    first, last = claimed_parts(id)
    done(first)
    assert rows.state(id) == "waiting"
    done(last)
    assert (rows.state(id), lanes.parts_open(id)) == ("queued", 0)
    assert [job.id for job in rows.dispatch()] == [id]


def test_a_hook_may_enqueue_further_parts() -> None:
    id = lanes.waiting(30)
    first, *_ = claimed_parts(id)
    with db.transaction() as tx:
        jobs.finish(tx, [jobs.Done(first, lambda _tx: None)])
    assert (lanes.parts_open(id), len(lanes.parts(id))) == (lanes.LANES, 1)


def test_a_part_is_open_while_it_is_tried_again_and_heard_of_when_it_fails_for_good() -> None:
    id = lanes.waiting(1)
    (part,) = claimed_parts(id)
    rows.fail(part)
    assert (rows.state(part.id), lanes.parts_open(id), lanes.parts(id)) == ("queued", 1, [part.id])
    rows.past("run_at", part.id)
    rows.fail(rows.take(part.id), retryable=False)
    assert (rows.state(part.id), lanes.parts_open(id), rows.state(id)) == ("failed", 1, "waiting")


def test_a_cancelled_part_is_heard_of() -> None:
    id = lanes.waiting(1)
    (part,) = lanes.parts(id)
    with db.transaction() as tx:
        tx.execute("update items set state = 'done'")
        jobs.cancel(tx, part)
    assert (rows.state(part), rows.state(id)) == ("cancelled", "queued")


def test_a_hook_that_raises_does_not_hold_up_the_parent() -> None:
    id = lanes.promise(1)
    lanes.wait(rows.take(id), lambda tx: lanes.enqueue_lane(tx, id, raises=True))
    (part,) = lanes.parts(id)
    for _ in range(lanes.LANE.max_attempts):
        rows.take(part)
        rows.past("lease_until", part)
        rows.sweep()
    assert (rows.state(part), rows.state(id)) == ("failed", "queued")


def test_a_step_of_a_part_needs_all_above_to_wait() -> None:
    top = lanes.promise(0)
    lanes.wait(rows.take(top), lambda tx: lanes.enqueue_long(tx, top))
    (middle,) = claimed_parts(top)
    lanes.wait(middle, lambda tx: lanes.enqueue_lane(tx, middle.id))
    (part,) = claimed_parts(middle.id)
    with db.transaction() as tx:
        assert jobs.hold(tx, part)
    rows.cancel(top)
    with db.transaction() as tx:
        assert not jobs.hold(tx, part)


def test_steps_of_several_parts_go_side_by_side_and_a_cancel_waits_for_them() -> None:
    id = lanes.waiting(7)
    one, other = claimed_parts(id)
    with db.transaction() as first, db.transaction() as second:
        second.execute("set local lock_timeout = '1ms'")
        assert (jobs.hold(first, one), jobs.hold(second, other)) == (True, True)
        with pytest.raises(psycopg.errors.LockNotAvailable), second.transaction():
            jobs.cancel(second, id)


def test_an_ended_parent_gets_no_more_parts_and_nothing_from_those_it_has() -> None:
    id = lanes.waiting(1)
    (part,) = claimed_parts(id)
    rows.cancel(id)
    with pytest.raises(ParentEnded), db.transaction() as tx:
        jobs.finish(tx, [jobs.Done(part, lambda tx: lanes.join(tx, id))])
    assert lanes.joins(id) == 0
    with pytest.raises(ParentEnded), db.transaction() as tx:
        jobs.enqueue(tx, lanes.LANE, rows.ACCOUNT, {}, parent=id)


def test_parts_of_an_ended_parent_are_cancelled_by_the_sweeper_with_their_hooks() -> None:
    id = lanes.waiting(7)
    (part, _) = lanes.parts(id)
    rows.take(part)
    with db.transaction() as tx:
        tx.execute("update items set state = 'taken', part_id = %s", (part,))
    rows.cancel(id)
    assert len(rows.sweep()) == 2
    assert len(lanes.parts(id, "cancelled")) == 2
    assert rows.value("select count(*) from items where state <> 'queued'") == 0


def test_a_parent_has_a_limited_number_of_open_parts() -> None:
    id = lanes.waiting(1)
    with db.transaction() as tx:
        for _ in range(parts.MOST_PARTS - 1):
            lanes.enqueue_lane(tx, id)
        with pytest.raises(ValueError, match="64 open parts"):
            lanes.enqueue_lane(tx, id)


def test_a_part_that_was_there_already_is_counted_once() -> None:
    id, part = lanes.waiting(1), ids.new()
    for _ in range(2):
        with db.transaction() as tx:
            jobs.enqueue(tx, lanes.LANE, rows.ACCOUNT, {}, id=part, parent=id)
    assert lanes.parts_open(id) == 2


def test_a_rest_lasts_as_long_as_was_said() -> None:
    id = lanes.promise(0)
    lanes.wait(rows.take(id), until=datetime.now(UTC) + timedelta(minutes=1))
    assert (rows.state(id), rows.dispatch()) == ("queued", [])
    rows.past("run_at", id)
    rows.wake()
    assert [job.id for job in rows.dispatch()] == [id]


def test_a_rest_is_no_failed_attempt() -> None:
    id = lanes.promise(0)
    for _ in range(2 * lanes.LONG.max_attempts):
        lanes.wait(rows.take(id))
    assert (rows.state(id), rows.outcomes(id)) == ("queued", [])


def test_a_parent_is_woken_at_its_time_though_parts_are_open() -> None:
    id = lanes.promise(7)
    lanes.wait(
        rows.take(id),
        lambda tx: lanes.open_lanes(tx, id),
        until=datetime.now(UTC) + timedelta(minutes=1),
    )
    rows.sweep()
    assert rows.state(id) == "waiting"
    rows.past("run_at", id)
    rows.sweep()
    assert rows.take(id).parts_open == 2


def test_a_waiting_job_ends_at_its_deadline() -> None:
    id = lanes.waiting(7)
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() - interval '1 s'")
    rows.sweep()
    assert ((rows.row(id).error or {})["code"], len(lanes.parts(id, "cancelled"))) == (
        "deadline_exceeded",
        2,
    )


def test_a_waiting_job_keeps_its_unique_key() -> None:
    id = rows.promise(lanes.LONG, unique_key="only")
    lanes.wait(rows.take(id), lambda tx: lanes.enqueue_lane(tx, id))
    assert rows.promise(lanes.LONG, unique_key="only") == id


def test_waiting_jobs_are_counted_apart() -> None:
    rows.establish()
    lanes.waiting(7)
    with db.reading() as reader:
        counted = {depth.state: depth.jobs for depth in selection.depths(reader)}
    assert counted == {"waiting": 1, "queued": 2}


def test_parts_are_deleted_with_their_parent() -> None:
    id = lanes.waiting(7)
    rows.cancel(id)
    rows.sweep()
    with db.transaction() as tx:
        tx.execute("update jobs set id = %s where id = %s", (UUID(int=1), id))
        tx.execute("update jobs set parent_id = %s where parent_id = %s", (UUID(int=1), id))
        assert selection.retire(tx, 30) == 3


def test_two_parts_that_end_at_once_wake_their_parent_once() -> None:
    with ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            id = lanes.waiting(7)
            barrier = Barrier(2)
            ends = [pool.submit(end_together, part, barrier) for part in claimed_parts(id)]
            for end in ends:
                end.result()
            assert (rows.state(id), lanes.parts_open(id)) == ("queued", 0)
            rows.end(rows.take(id))


def end_together(part: ClaimedJob, barrier: Barrier) -> None:
    with db.transaction() as tx:
        tx.execute("update items set state = 'done' where job_id = %s", (part.parent_id,))
    barrier.wait()
    with db.transaction() as tx:
        jobs.finish(tx, [jobs.Done(part, lambda _tx: None)])


PAUSED = kinds.register(
    "test.lanes.paused", queue=rows.QUEUE, deadline_seconds=60, pauses=(5.0, 300.0)
)

PAUSE = """
    select extract(epoch from run_at - (select max(ended_at) from job_attempts)) from jobs
    """


@pytest.mark.parametrize("rests", [0, 3])
def test_pauses_follow_the_failures_and_not_the_rests(rests: int) -> None:
    id = rows.promise(PAUSED)
    for _ in range(rests):
        lanes.wait(rows.take(id))
    pauses = []
    for _ in range(2):
        rows.fail(rows.take(id))
        pauses.append(rows.value(PAUSE))
        rows.past("run_at", id)
    assert 4 <= pauses[0] <= 6 < 240 <= pauses[1] <= 360
    assert rows.fail(rows.take(id)) == "failed"


def test_a_job_with_very_many_parts_is_forgotten_in_steps() -> None:
    id = lanes.waiting(1)
    with db.transaction() as tx:
        for _ in range(14):
            lanes.enqueue_lane(tx, id)
        tx.execute("update jobs set state = 'succeeded', finished_at = now()")
    at_once = rows.value("select count(*) from jobs")
    with db.transaction() as tx:
        assert selection.retire(tx, -1, most=1) == 10
        assert db.value(tx, "select count(*) from jobs where id = %(id)s", id=id) == 1
        assert selection.retire(tx, -1, most=1) == at_once - 10
