"""More work than workers: nobody is passed over, and nothing is sent that is too late."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import pytest

from app.core import db, ids
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs import store
from app.domains.queue.jobs.kinds import Kind
from tests import servers
from tests.fault import load as loads
from tests.fault import report, work
from tests.fault.load import Load
from tests.fault.stage import CHILDREN, LOST_SECONDS, Stage, children, read

WAITING = """
    insert into jobs (id, account_id, queue, kind, max_attempts, payload, created_at, run_at,
                      deadline_at)
    select gen_random_uuid(), uuid_in(md5((n %% %(accounts)s)::text)::cstring), %(queue)s, %(kind)s,
           3, %(payload)s, now() - interval '5 minutes', now() - interval '5 minutes',
           now() + %(left)s
    from generate_series(1, %(jobs)s) as n
    """

SWEPT = """
    select extract(epoch from max(finished_at) - min(finished_at))::float
    from jobs where state = 'failed'
    """


def fill(kind: Kind, count: int, *, left: str, accounts: int = 20, **payload: Any) -> None:
    """Jobs submitted five minutes ago, with so much time left."""
    read(
        lambda tx: tx.execute(
            WAITING,
            {
                "accounts": accounts,
                "queue": kind.queue,
                "kind": kind.name,
                "payload": json.dumps(payload),
                "left": left,
                "jobs": count,
            },
        )
    )


def count(condition: str, **params: Any) -> int:
    sql: Any = f"select count(*) from jobs where {condition}"  # noqa: S608
    return int(read(lambda tx: db.value(tx, sql, **params)))


def submit(kind: Kind, account: UUID, **payload: Any) -> UUID:
    return read(lambda tx: jobs.enqueue(tx, kind, account, payload))


def ended(id: UUID) -> bool:
    job = read(lambda tx: store.by_id(tx, id))
    return job is not None and job.state in jobs.FINISHED


def overtaken_by(id: UUID) -> int:
    """How many jobs began after this one was submitted and before it did."""
    return count(
        "started_at between (select created_at from jobs where id = %(id)s)"
        " and (select started_at from jobs where id = %(id)s) and id <> %(id)s",
        id=id,
    )


@pytest.fixture
def one_slot(stage: Stage) -> Iterator[Stage]:
    """One worker with one process."""
    for worker in stage.workers:
        worker.kill()
    single = stage.worker(0, children=1)
    single.start()
    try:
        servers.until(lambda: len(children(single)) == 1)
        yield stage
    finally:
        single.kill()


@pytest.mark.parametrize("busy_accounts", [1, 11])
def test_a_single_job_is_served_in_its_turn_when_one_slot_is_freed_at_a_time(
    one_slot: Stage, busy_accounts: int
) -> None:
    fill(work.SHORT, 500, left="10 minutes")  # after them much is sent at once
    servers.until(lambda: count("state = 'succeeded'") == 500)
    fill(work.ORDINARY, 480, left="10 minutes", accounts=busy_accounts, seconds=0.1)
    servers.until(lambda: count("state = 'succeeded'") >= 520)
    single = submit(work.ORDINARY, ids.new(), seconds=0.1)
    servers.until(lambda: ended(single))
    before = overtaken_by(single)
    report.notes.append(
        f"one slot, {busy_accounts} busy accounts with 480 jobs: {before} of theirs began between"
        " another account's single job and its begin"
    )
    assert before <= 2 * busy_accounts + 8


def test_a_retry_is_not_hidden_by_another_queue_that_announces_work(stage: Stage) -> None:
    with ringing():
        began = time.monotonic()
        retried = submit(work.ASIDE, ids.new(), fails=1)
        servers.until(lambda: ended(retried))
        seconds = time.monotonic() - began
    attempts = read(lambda tx: store.attempts(tx, retried))
    report.notes.append(
        f"beside a queue that announces work: failed once and done again in {seconds:.1f} s"
    )
    assert [attempt.outcome for attempt in attempts] == ["failed"]


@contextmanager
def ringing() -> Iterator[None]:
    """Submits one by one, as long as this lasts."""
    done = threading.Event()
    load = Load()

    def submit_on() -> None:
        while not done.wait(0.01):
            load.submit_one(work.SHORT)

    thread = threading.Thread(target=submit_on)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
        load.wait()


def test_after_an_outage_of_five_minutes_only_what_is_in_time_is_done(stage: Stage) -> None:
    stage.stop()
    stage.flush_redis()
    fill(work.ORDINARY, 5_000, left="-3 minutes")
    fill(work.ORDINARY, 200, left="10 minutes")
    stage.complete()
    fresh = submit(work.ORDINARY, ids.new())
    servers.until(lambda: count("state = 'failed'") == 5_000)
    servers.until(lambda: all(len(children(worker)) == CHILDREN for worker in stage.workers))
    pids = [pid for worker in stage.workers for pid in children(worker)]
    servers.until(lambda: loads.unfinished() == 0)
    code = "error ->> 'code' = 'deadline_exceeded'"
    swept = read(lambda tx: db.value(tx, SWEPT))
    counts = (count(f"{code} and attempt = 0"), count("state = 'succeeded'"), loads.effects())
    report.notes.append(
        f"outage of 5 minutes: of 5,000 overdue jobs {counts[0]} ended unsent, the last {swept:.2f}"
        f" s after the first; {counts[1]} of 201 others succeeded, no process was lost"
    )
    assert counts == (5_000, 201, 201)
    assert ended(fresh)
    assert [pid for worker in stage.workers for pid in children(worker)] == pids


def test_redis_stays_bounded_without_a_worker(stage: Stage) -> None:
    fill(work.UNATTENDED, 500, left="10 minutes")
    fill(work.UNATTENDED, 500, left="3 seconds")
    longest, until = 0, time.monotonic() + 3 * LOST_SECONDS
    while time.monotonic() < until or not longest:
        longest = max(longest, len(stage.messages(work.UNATTENDED_QUEUE)))
        time.sleep(0.1)
    servers.until(lambda: count("state = 'failed'") == 500)
    report.notes.append(
        f"a queue without a worker, 1,000 jobs, {3 * LOST_SECONDS:.0f} s (a message counts as lost"
        f" after {LOST_SECONDS:.0f} s): at most {longest} messages in Redis"
    )
    assert longest <= 64
