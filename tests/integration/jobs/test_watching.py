"""Waiting for and watching a noun that is not a search: whatever a job stands behind."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from psycopg.types.json import Jsonb

from app.core import db
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.statuses import STATUS_OF_STATE
from app.domains.queue.jobs.store import Job
from app.domains.queue.jobs.watch import POLL_SECONDS, JobWatch

REPORTS = kinds.register("test.reports", queue="test", deadline_seconds=60)


def find(tx: db.Tx, account_id: UUID, id: UUID) -> Job:
    return jobs.find(tx, id, account_id)


def as_json(job: Job) -> dict[str, Any]:
    progress = {"progress": {"stage": job.progress["stage"]}} if job.progress else {}
    return {"id": f"rep_{job.id}", "status": STATUS_OF_STATE[job.state], **progress}


WATCHED = JobWatch(find, as_json)


@pytest.fixture
def report(database: str) -> UUID:
    with db.transaction() as tx:
        return jobs.enqueue(tx, REPORTS, jobs.OPERATOR, {})


@pytest.fixture(autouse=True)
def request_of_a_caller(app: Flask) -> Iterator[None]:
    with app.test_request_context("/", environ_base={"REMOTE_ADDR": "127.0.0.1"}):
        yield


def cancel(report: UUID) -> None:
    with db.transaction() as tx:
        jobs.cancel(tx, report)


def test_an_unfinished_noun_says_when_to_ask_again(report: UUID) -> None:
    noun, headers = WATCHED.show(jobs.OPERATOR, report, wait=0)
    assert (noun.state, headers) == ("queued", {"Retry-After": str(POLL_SECONDS)})


def test_a_finished_noun_is_not_waited_for(report: UUID) -> None:
    cancel(report)
    noun, headers = WATCHED.show(jobs.OPERATOR, report, wait=30)
    assert (noun.state, headers) == ("cancelled", {})


def test_another_account_finds_nothing(report: UUID) -> None:
    with pytest.raises(jobs.JobNotFound):
        WATCHED.watch(UUID(int=9), report)


def test_progress_is_an_event(report: UUID) -> None:
    with db.transaction() as tx:
        progress = Jsonb({"version": 7, "stage": "reading"})
        tx.execute("update jobs set progress = %s where id = %s", [progress, report])
    first = next(iter(WATCHED.watch(jobs.OPERATOR, report).response))
    expected = {"id": f"rep_{report}", "status": "running", "stage": "reading"}
    name, id, data = str(first, "utf-8").strip().split("\n")
    assert (name, id) == ("event: progress", "id: 7")
    assert json.loads(data.removeprefix("data: ")) == expected


def test_the_end_is_the_last_event(report: UUID) -> None:
    cancel(report)
    (only,) = WATCHED.watch(jobs.OPERATOR, report).response
    assert str(only, "utf-8").startswith("event: completed\nid: end-cancelled\n")


def test_whoever_has_seen_the_end_is_told_no_more(app: Flask, report: UUID) -> None:
    cancel(report)
    with app.test_request_context("/", headers={"Last-Event-ID": "end-cancelled"}):
        assert WATCHED.watch(jobs.OPERATOR, report).status_code == 204
