"""Runs, pages and records: each kept once, whatever is done twice."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from app.core.db import Tx, value
from app.domains.library.passages.store import forget_released_snapshots
from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.runs import (
    erasure,
    page_store,
    page_turn_store,
    record_store,
    results,
    run_store,
)
from app.domains.records.page_jobs.runs.page_store import AddedPages
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import begin_run, end_run
from app.domains.records.page_jobs.store import PageJob
from tests.integration.page_jobs.conftest import RUN, Found, keep, result, submit, take

A, B, C = "https://a.test/1", "https://a.test/2", "https://b.test/1"

ROWS = """
    select (select count(*) from extraction_jobs) + (select count(*) from extraction_runs)
         + (select count(*) from extraction_pages) + (select count(*) from extraction_records)
    """


def run_of(tx: Tx, run_id: UUID) -> JobRun:
    run = run_store.by_id(tx, run_id)
    assert run is not None
    return run


def test_an_address_is_one_page_of_a_run_however_often_it_is_found(tx: Tx, run_id: UUID) -> None:
    assert page_store.add(tx, run_id, [A, B, A]) == AddedPages(2, 0)
    assert page_store.add(tx, run_id, [B, C], depth=1) == AddedPages(1, 0)
    assert run_of(tx, run_id).found == 3


def test_pages_are_numbered_in_the_order_in_which_they_were_found(tx: Tx, run_id: UUID) -> None:
    page_store.add(tx, run_id, [C, A])
    page_store.add(tx, run_id, [A, B])
    pages = page_turn_store.take(tx, run_id, uuid4(), 10)
    assert [(page.n, page.url) for page in pages] == [(1, C), (2, A), (3, B)]


def test_a_page_is_in_the_hands_of_one_part(tx: Tx, run_id: UUID) -> None:
    page_store.add(tx, run_id, [A, B])
    first, second = uuid4(), uuid4()
    assert len(page_turn_store.take(tx, run_id, first, 10)) == 2
    assert page_turn_store.take(tx, run_id, second, 10) == []
    assert [page.url for page in page_turn_store.taken(tx, first)] == [A, B]


def test_a_page_that_is_put_off_is_taken_again_in_its_time(tx: Tx, run_id: UUID) -> None:
    (page,) = take(tx, run_id, A)
    keep(tx, run_id, replace(result(page), again_seconds=60.0))
    assert page_turn_store.take(tx, run_id, uuid4(), 10) == []
    assert page_turn_store.queued_hosts(tx, run_id) == {}
    assert page_turn_store.next_due(tx, run_id) is not None
    run = run_of(tx, run_id)
    assert (run.found, run.done) == (1, 0)


def test_a_page_that_was_put_off_is_queued_when_its_time_has_come(tx: Tx, run_id: UUID) -> None:
    (page,) = take(tx, run_id, A)
    keep(tx, run_id, replace(result(page), again_seconds=0.0))
    assert [again.id for again in page_turn_store.take(tx, run_id, uuid4(), 10)] == [page.id]


def test_a_part_takes_pages_of_the_hosts_it_names(tx: Tx, run_id: UUID) -> None:
    page_store.add(tx, run_id, [A, C])
    assert page_turn_store.queued_hosts(tx, run_id) == {"a.test": 1, "b.test": 1}
    assert [p.url for p in page_turn_store.take(tx, run_id, uuid4(), 10, ["b.test"])] == [C]
    assert page_turn_store.taken_hosts(tx, run_id) == {"b.test"}


def test_a_page_whose_parts_die_three_times_is_left_alone(tx: Tx, run_id: UUID) -> None:
    page_store.add(tx, run_id, [A])
    for queued in (1, 1, 0):
        part = uuid4()
        page_turn_store.take(tx, run_id, part, 1)
        assert page_turn_store.give_back(tx, part) == queued
    run = run_of(tx, run_id)
    assert (run.done, run.failed) == (1, 1)
    [page] = page_store.listed(tx, run_id, outcome="worker_lost", after=0, most=10)
    assert page.url == A


def test_a_page_that_is_kept_twice_is_counted_once(tx: Tx, run_id: UUID) -> None:
    [page] = take(tx, run_id, A)
    for _ in range(2):
        keep(tx, run_id, result(page, Found({"name": "Lamp"}), Found({"name": "Desk"})))
    run = run_of(tx, run_id)
    assert (run.done, run.failed, run.records) == (1, 0, 2)
    records = record_store.after(tx, run_id, 0, 10)
    assert [record.data["name"] for record in records] == ["Lamp", "Desk"]


def test_rewriting_a_page_raises_the_version_of_what_changed(tx: Tx, run_id: UUID) -> None:
    [page] = take(tx, run_id, A)
    keep(tx, run_id, result(page, Found({"n": 1}), Found({"n": 2}), Found({"n": 3})))
    results.rewrite(tx, run_id, page.id, page.n, [Found({"n": 1}), Found({"n": 9})])
    records = record_store.after(tx, run_id, 0, 10)
    assert [(record.data["n"], record.version) for record in records] == [(1, 1), (9, 2)]
    assert run_of(tx, run_id).records == 2


def test_a_second_run_is_skipped_while_one_is_open(tx: Tx, job: PageJob) -> None:
    assert begin_run(tx, job.id, job.account_id, kind=RUN) is None
    newest, oldest = run_store.page(tx, job.id, None, 10)
    assert (newest.skipped, newest.n, oldest.n) == ("overlap", 2, 1)
    assert newest.ended_at is not None


def test_the_end_of_a_run_ends_its_job(
    tx: Tx, account_id: UUID, job: PageJob, run_id: UUID
) -> None:
    [page] = take(tx, run_id, A)
    keep(tx, run_id, result(page, Found({"name": "Lamp"})))
    assert end_run(tx, run_id, "done", stats={"seconds": 1})
    assert not end_run(tx, run_id, "error")
    ended = extractions.find(tx, account_id, job.id)
    assert (ended.status, ended.stop_reason, ended.stats) == ("completed", "done", {"seconds": 1})
    assert ended.expires_at is not None


def test_an_erased_job_is_unreadable_at_once_and_gone_row_by_row(
    tx: Tx, account_id: UUID, job: PageJob, run_id: UUID
) -> None:
    for page in take(tx, run_id, A, B, C):
        keep(tx, run_id, result(page, Found({"name": "Lamp"})))
    extractions.delete(tx, account_id, job.id)
    with pytest.raises(jobs.JobNotFound):
        extractions.find(tx, account_id, job.id)
    assert erasure.step(tx, job.id, 2) == 2
    while erasure.step(tx, job.id, 2):
        pass
    assert value(tx, ROWS) == 0


def test_a_snapshot_is_forgotten_once_no_page_cites_it(
    tx: Tx, account_id: UUID, run_id: UUID
) -> None:
    other = submit(tx, account_id)
    assert other.run_id is not None
    for id in (run_id, other.run_id):
        [page] = take(tx, id, A)
        keep(tx, id, result(page))
    for id, kept in ((run_id, 1), (other.run_id, 0)):
        erase(tx, account_id, run_of(tx, id).job_id)
        forget_released_snapshots(tx, after_seconds=-1)
        assert value(tx, "select count(*) from snapshots") == kept


def erase(tx: Tx, account_id: UUID, job_id: UUID) -> None:
    extractions.delete(tx, account_id, job_id)
    while erasure.step(tx, job_id):
        pass


def test_where_a_page_really_was_is_no_page_to_be_added(tx: Tx, run_id: UUID) -> None:
    [page] = take(tx, run_id, A)
    moved = result(page, Found({"name": "Lamp"}))
    moved.final_url = B
    keep(tx, run_id, moved)
    assert page_store.add(tx, run_id, [B]) == AddedPages(0, 0)


def test_of_pages_that_lead_to_one_address_the_first_has_it(tx: Tx, run_id: UUID) -> None:
    first, second = take(tx, run_id, A, B)
    moved = result(first, Found({"name": "Lamp"}))
    moved.final_url = C
    keep(tx, run_id, moved)
    assert page_store.elsewhere(tx, run_id, {second.id: C}) == {second.id}


def test_a_slice_of_the_records_in_random_order_is_a_part_of_it(tx: Tx, run_id: UUID) -> None:
    [page] = take(tx, run_id, A)
    keep(tx, run_id, result(page, *(Found({"n": n}) for n in range(5))))
    whole = [record.id for record in record_store.draw(tx, run_id, 5)]
    assert [record.id for record in record_store.draw(tx, run_id, 2, first=3)] == whole[3:]
