"""Which jobs go to Redis, in which order, in which messages."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg

from app.core import db, ids
from app.domains.queue.jobs import dispatch_store
from app.domains.queue.jobs.dispatch import selection
from tests.integration.jobs import rows
from tests.patience import PATIENCE_SECONDS


def test_what_is_handed_out_counts_against_the_depth() -> None:
    for _ in range(5):
        rows.promise()
    rows.dispatch(depth=3)
    assert [len(rows.dispatch(depth=3)), len(rows.dispatch(depth=4))] == [0, 1]


def test_it_is_said_whether_more_may_be_waiting() -> None:
    for full in (False, True, True):
        rows.promise()
        with db.transaction() as tx:
            assert selection.choose(tx, rows.QUEUE, 2, 30).full is full
            raise psycopg.Rollback


def test_accounts_share_a_queue_evenly() -> None:
    accounts = [ids.new() for _ in range(3)]
    owner = {rows.promise(account=account): account for account in accounts for _ in range(10)}
    shares = Counter(owner[job.id] for job in rows.dispatch(depth=9))
    assert set(shares.values()) == {3}


def test_more_urgent_work_of_an_account_goes_first() -> None:
    rows.promise(rows.PLAIN)
    urgent = rows.promise(rows.URGENT)
    assert [job.id for job in rows.dispatch(depth=1)] == [urgent]


def test_equal_work_of_an_account_goes_in_the_order_of_submits() -> None:
    promised = [rows.promise() for _ in range(4)]
    assert {job.id for job in rows.dispatch(depth=2)} == set(promised[:2])


def test_a_dispatcher_older_than_a_kind_leaves_it_to_others() -> None:
    rows.promise(rows.UNKNOWN)
    known = rows.promise()
    assert [job.id for job in rows.dispatch(depth=1)] == [known]


def test_what_one_dispatcher_has_locked_another_passes_over() -> None:
    for _ in range(4):
        rows.promise()
    with db.transaction() as one, db.transaction() as other:
        first = selection.choose(one, rows.QUEUE, 2, 30).jobs
        second = selection.choose(other, rows.QUEUE, 4, 30).jobs
    assert len({job.id for job in first} & {job.id for job in second}) == 0


def test_two_dispatchers_at_once_choose_no_job_twice() -> None:
    promised = {rows.promise() for _ in range(60)}
    together = threading.Barrier(2)

    def drain() -> list[object]:
        together.wait(PATIENCE_SECONDS)
        mine: list[object] = []
        while rows.value("select count(*) from jobs where state = 'queued'"):
            mine += [job.id for job in rows.dispatch(depth=1_000)]
        return mine

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(drain) for _ in range(2)]
        chosen = [id for future in futures for id in future.result()]
    assert Counter(chosen) == Counter(promised)


def test_work_declared_short_travels_several_to_a_message_which_kinds_do_not_share() -> None:
    for _ in range(4 + 1):
        rows.promise(rows.SHORT, ids.new())
    rows.promise(rows.PLAIN, ids.new())
    rows.promise(rows.SHORT, ids.new())
    assert sizes() == [1, 2, 4]


def test_retried_short_work_travels_alone() -> None:
    for job in [rows.held(rows.SHORT), rows.held(rows.SHORT)]:
        rows.past("lease_until", job.id)
    rows.sweep()
    assert sizes() == [1, 1]


def sizes(short: dict[str, int] | None = None) -> list[int]:
    return sorted(len(message) for message in selection.messages(rows.dispatch(), short or {}))


def worked(jobs_done: int, seconds: float) -> list[UUID]:
    """So many plain jobs that took so long."""
    held = [rows.held() for _ in range(jobs_done)]
    for job in held:
        rows.end(job, seconds)
    return [job.id for job in held]


def short_kinds(recent: list[UUID]) -> dict[str, int]:
    with db.reading() as reader:
        return selection.short_kinds(reader, recent)


def test_work_that_lately_took_no_time_travels_several_to_a_message() -> None:
    short = short_kinds(worked(selection.ENOUGH_JOBS, 0.0039))
    assert short == {rows.PLAIN.name: 5}
    for _ in range(7):
        rows.promise(account=ids.new())
    assert sizes(short) == [2, 5]


def test_work_that_sometimes_takes_long_or_of_which_too_little_is_known_travels_alone() -> None:
    recent = worked(selection.ENOUGH_JOBS - 2, 0.001) + worked(2, 1.0)
    assert short_kinds(recent) == {}
    assert short_kinds(worked(selection.ENOUGH_JOBS - 1, 0.001)) == {}


def test_a_job_says_how_long_it_may_still_take() -> None:
    rows.promise(deadline_seconds=5_000)
    (job,) = rows.dispatch()
    assert 4_000 < job.seconds_left <= 5_000


def test_a_job_that_was_claimed_meanwhile_is_not_put_back() -> None:
    id = rows.promise()
    rows.dispatch()
    rows.take(id)
    with db.transaction() as tx:
        assert dispatch_store.put_back(tx, [id]) == 0
    assert rows.state(id) == "running"


def test_all_messages_are_put_back_when_redis_has_lost_them() -> None:
    dispatched, running = rows.promise(), rows.held().id
    rows.dispatch()
    with db.transaction() as tx:
        assert dispatch_store.put_all_back(tx) == 1
    assert (rows.state(dispatched), rows.state(running)) == ("queued", "running")


def test_unfinished_work_is_counted_by_queue_and_state() -> None:
    rows.establish()
    rows.promise()
    rows.held()
    with db.reading() as reader:
        found = {(depth.queue, depth.state): depth.jobs for depth in selection.depths(reader)}
    assert found == {(rows.QUEUE, "queued"): 1, (rows.QUEUE, "running"): 1}


def test_a_dispatcher_is_alive_while_it_is_heard_of_and_forgotten_after_a_minute() -> None:
    silent = "update dispatchers set seen_at = now() - make_interval(secs => %s) where id = 'gone'"
    with db.transaction() as tx:
        dispatch_store.beat(tx, "here", sleeping=False)
        dispatch_store.beat(tx, "gone", sleeping=True)
        tx.execute(silent, [20])
        assert dispatch_store.alive(tx) == ["here"]
        assert dispatch_store.forget_dead(tx) == 0
        tx.execute(silent, [61])
        assert dispatch_store.forget_dead(tx) == 1


def test_a_newcomer_fits_into_a_queue_that_others_have_filled() -> None:
    for _ in range(5):
        rows.promise()
    assert len(rows.dispatch(4)) == 4
    newcomer = rows.promise(account=ids.new())
    assert [job.id for job in rows.dispatch(4)] == [newcomer]
    assert rows.dispatch(4) == []
