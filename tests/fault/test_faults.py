"""Nothing is lost, nothing is done twice, whatever dies: `make test-faults`."""

import time
from datetime import datetime
from uuid import UUID

import pytest

from app.core import db
from app.core.db import Tx
from app.domains.queue.jobs import schedule_store, schedules, store
from tests import servers
from tests.fault import load as loads
from tests.fault import report, work
from tests.fault.faults import FAULTS, LONG, TAKING
from tests.fault.load import Load
from tests.fault.stage import CHILDREN, GRACE_SECONDS, WORKERS, Stage, children, read


@pytest.mark.parametrize("name", FAULTS)
def test_no_job_is_lost_or_doubled_under(
    name: str, stage: Stage, fault_jobs: int, injections: int, long: bool
) -> None:
    load, strike = Load(), FAULTS[name]
    times = (LONG[strike] if long else 1) if strike in LONG else injections
    portion = fault_jobs // (times + 1)
    began = time.monotonic()
    for n in range(times):
        enough = loads.effects() + portion // 2
        load.submit(portion)
        servers.until(lambda enough=enough: loads.effects() >= enough)
        strike(stage, load, n)
    load.submit(max(0, fault_jobs - load.submitted))
    load.wait()
    while strike in TAKING and loads.settle(load.submitted).taken < times:
        strike(stage, load, 0)
        load.wait()
    tally = record(name, times, began, load)
    assert tally.good, tally
    assert_all_workers_work(stage)


@pytest.mark.parametrize("stage_of_work", work.STAGES)
def test_no_job_is_lost_or_doubled_when_its_process_dies(
    stage_of_work: str, stage: Stage, fault_jobs: int
) -> None:
    load, deaths = Load(), max(2, fault_jobs // 200)
    before = {pid for worker in stage.workers for pid in children(worker)}
    began = time.monotonic()
    for n in range(deaths):
        load.submit(fault_jobs // deaths - 1)
        kind = work.SHORT if n % 2 else work.ORDINARY
        load.submit_one(kind, seconds=0.05, dies=[stage_of_work])
    load.wait()
    tally = record(f"process dies when {stage_of_work}", deaths, began, load)
    assert tally.good, tally
    # Nothing is left to take from a process that dies after its commit.
    assert tally.taken >= (0 if stage_of_work == "committed" else deaths), tally
    servers.until(lambda: before - {pid for worker in stage.workers for pid in children(worker)})


def test_a_deploy_gives_leases_back_at_once(stage: Stage) -> None:
    stage.workers[0].kill()
    stage.workers[1].kill()
    old = stage.worker(0, JOB_LEASE_SECONDS="600")
    old.start()
    load = Load()
    try:
        id = load.submit_one(first_seconds=600)
        servers.until(lambda: stage.held_by(old) == 1)
        old.ask_to_end()
        servers.until(lambda: not old.running)
    finally:
        old.kill()
    stage.complete()
    load.wait()
    # What the second worker comes to is its own matter: its lease is short.
    assert read(lambda tx: store.attempts(tx, id))[0].outcome == "released"
    assert loads.settle(1).good


def test_a_deploy_waits_for_jobs_that_end_within_the_grace(stage: Stage) -> None:
    stage.workers[0].kill()
    stage.workers[1].kill()
    old = stage.worker(0, JOB_LEASE_SECONDS="600", WORKER_GRACE_SECONDS="60")
    old.start()
    load = Load()

    def at_work() -> bool:
        if not loads.unfinished():
            load.submit_one(seconds=2 * GRACE_SECONDS)
        return stage.held_by(old) == 1

    try:
        servers.until(at_work)
        old.ask_to_end()
        load.wait()
        servers.until(lambda: not old.running)
    finally:
        old.kill()
    assert loads.settle(load.submitted) == loads.Tally(load.submitted, 0, 0, 0, 0, 0, 0)


def test_a_job_that_kills_its_worker_fails_and_takes_nobody_with_it(stage: Stage) -> None:
    load = Load()
    fatal = load.submit_one(work.FATAL, dies=["working"] * work.FATAL.max_attempts)
    others = [load.submit_one(work.FATAL) for _ in range(15)]
    load.wait()
    ended = read(lambda tx: store.by_id(tx, fatal))
    assert ended is not None
    assert (ended.state, (ended.error or {})["code"]) == ("failed", "worker_lost")
    assert {read(lambda tx, id=id: store.by_id(tx, id)).state for id in others} == {"succeeded"}


def test_a_handler_that_never_returns_fails_and_frees_its_process(
    stage: Stage, fault_jobs: int
) -> None:
    hanging = list[UUID]()

    def all_hang() -> bool:
        if loads.unfinished() < WORKERS * CHILDREN:
            hanging.append(Load().submit_one(work.HANGING))
        return sum(stage.held_by(worker) for worker in stage.workers) == WORKERS * CHILDREN

    servers.until(all_hang)
    load = Load()
    began = time.monotonic()
    load.submit(fault_jobs)
    load.wait()
    errors = [read(lambda tx, id=id: store.by_id(tx, id)).error for id in hanging]
    tally = record("handlers that never return", len(hanging), began, load)
    assert {(error or {}).get("code") for error in errors} == {"deadline_exceeded"}
    assert tally.good, tally


def test_doubled_schedulers_run_every_tick_once(stage: Stage, injections: int) -> None:
    began = time.monotonic()
    stage.dispatchers.append(stage.dispatcher())
    stage.dispatchers[1].start()
    start = read(schedule_store.clock)
    for _ in range(5):
        read(lambda tx: add(tx, start))
    for n in range(injections):
        seen = ticks()
        servers.until(lambda seen=seen: ticks() >= seen + 10)
        stage.dispatchers[n % 2].kill()
        stage.dispatchers[n % 2].start()
    read(lambda tx: tx.execute("update schedules set enabled = false"))
    load = Load()
    load.submitted = ticks()
    load.wait()
    tally = record("schedulers doubled and killed", injections, began, load)
    jobs_made = read(lambda tx: db.value(tx, "select count(*) from jobs"))
    assert (tally.good, jobs_made) == (True, load.submitted), tally


def add(tx: Tx, start: datetime) -> UUID:
    account = loads.ACCOUNTS[0]
    return schedules.add(tx, work.ORDINARY, account, {}, every_seconds=1, starts_at=start)


def ticks() -> int:
    return int(read(lambda tx: db.value(tx, "select count(*) from schedule_runs")))


def record(name: str, times: int, began: float, load: Load) -> loads.Tally:
    tally = loads.settle(load.submitted)
    report.rows.append(report.Row(name, times, tally, time.monotonic() - began))
    return tally


def assert_all_workers_work(stage: Stage) -> None:
    """Celery workers have been known to stay connected and take nothing any more."""
    load = Load()

    def both_at_work() -> bool:
        if loads.unfinished() < 8:
            load.submit_one(seconds=0.3)
        return all(stage.held_by(worker) for worker in stage.workers)

    servers.until(both_at_work)
    load.wait()
