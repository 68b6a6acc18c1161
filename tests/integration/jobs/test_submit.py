"""Enqueueing: a promise of the caller's transaction, and nothing else."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from app.core import db, ids
from app.domains.queue.jobs import dispatch_store, store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.store import Job
from tests.integration.jobs import rows
from tests.patience import PATIENCE_SECONDS


def test_a_rollback_leaves_no_job() -> None:
    with db.transaction() as tx:
        id = jobs.enqueue(tx, rows.PLAIN, rows.ACCOUNT, {})
        raise psycopg.Rollback
    with db.reading() as reader:
        assert store.by_id(reader, id) is None


def test_a_submit_fits_into_a_pipeline() -> None:
    with db.transaction(pipeline=True) as tx:
        id = jobs.enqueue(tx, rows.PLAIN, rows.ACCOUNT, {"a": 1})
    assert rows.row(id).payload == {"a": 1}


def test_the_same_submit_sent_again_makes_one_job() -> None:
    id = ids.new()
    assert [rows.promise(id=id), rows.promise(id=id)] == [id, id]
    assert rows.value("select count(*) from jobs") == 1


def test_the_deadline_counts_from_the_time_the_job_may_run() -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    job = rows.row(rows.promise(run_at=later, deadline_seconds=7))
    assert job.deadline_at == later + timedelta(seconds=7)


def test_another_accounts_job_is_not_found() -> None:
    id = rows.promise()
    with db.reading() as reader, pytest.raises(jobs.JobNotFound):
        jobs.find(reader, id, ids.new())


def test_neither_a_finished_job_with_the_key_nor_one_of_another_kind_is_in_the_way() -> None:
    first = rows.promise(unique_key="k")
    assert rows.promise(rows.SHORT, unique_key="k") != first
    rows.cancel(first)
    assert rows.promise(unique_key="k") != first


def test_concurrent_submits_with_one_key_make_one_job() -> None:
    together = threading.Barrier(4)

    def submit() -> object:
        with db.transaction() as tx:
            together.wait(PATIENCE_SECONDS)
            return jobs.enqueue(tx, rows.PLAIN, rows.ACCOUNT, {}, unique_key="k")

    with ThreadPoolExecutor(4) as pool:
        found = {future.result() for future in [pool.submit(submit) for _ in range(4)]}
    assert len(found) == 1
    assert rows.value("select count(*) from jobs") == 1


def test_a_job_that_ends_while_it_is_in_the_way_makes_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = rows.promise(unique_key="k")
    look = store.unfinished

    def ended_meanwhile(tx: db.Tx, kind: str, key: str) -> Job | None:
        rows.cancel(first)
        return look(tx, kind, key)

    monkeypatch.setattr(store, "unfinished", ended_meanwhile)
    second = rows.promise(unique_key="k")
    assert (second != first, rows.state(second)) == (True, "queued")


@pytest.mark.parametrize(("sleeping", "calls"), [(True, 1), (False, 0)])
def test_a_submit_wakes_a_dispatcher_that_sleeps_and_no_other(
    database: str, sleeping: bool, calls: int
) -> None:
    """A notification of our own marks the end."""
    with db.connect(database) as bell:
        bell.execute("listen jobs_ready")
        with db.transaction() as tx:
            dispatch_store.beat(tx, "d", sleeping=sleeping)
        rows.promise()
        with db.transaction() as tx:
            tx.execute("select pg_notify('jobs_ready', 'end')")
        heard = []
        for notice in bell.notifies(timeout=PATIENCE_SECONDS):
            if notice.payload == "end":
                break
            heard.append(notice)
    assert len(heard) == calls


def test_rows_that_were_touched_are_counted_in_a_pipeline_too() -> None:
    rows.promise()
    with db.transaction(pipeline=True) as tx:
        assert db.run(tx, "update jobs set attempt = attempt") == 1


def test_a_savepoint_in_a_pipeline_ends_with_its_transaction() -> None:
    id = rows.promise()
    with suppress(psycopg.Rollback), db.transaction(pipeline=True) as tx:
        assert db.value(tx, "select 1") == 1
        with db.savepoint(tx):
            db.send(tx, "update jobs set attempt = 7")
        raise psycopg.Rollback
    assert rows.row(id).attempt == 0
