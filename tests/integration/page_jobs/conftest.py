"""A type of job that only these tests know, and pages of it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from flask.testing import FlaskClient
from marshmallow import Schema

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from app.domains.queue.jobs import kinds
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs.runs import page_store, page_turn_store, runs, types
from app.domains.records.page_jobs.runs import results as recording
from app.domains.records.page_jobs.runs.runs import begin_run
from app.domains.records.page_jobs.store import PageJob
from tests import builders, internet
from tests.caller import Caller
from tests.integration.page_jobs.reading import Workshop
from tests.internet import Internet

RUN = kinds.register(
    "test.extractions.run", queue="test", deadline_seconds=6_000, on_end=runs.job_ended
)


def begin(tx: Tx, job: PageJob) -> None:
    assert begin_run(tx, job.id, job.account_id, kind=RUN) is not None


PLAIN = types.JobType(name="test", schema=Schema, kind=RUN, begin=begin)
types.TYPES.connect(*types.TYPES, PLAIN)


@dataclass
class Read:
    """What the engine says of a page, as far as it is stored."""

    text: str
    visible_end: int
    records: list[Any]
    title: str | None = None
    language: str | None = "en"
    readings: Any = field(default_factory=dict)


@dataclass
class Found:
    """A record as the engine gives it."""

    data: dict[str, Any]
    provenance: list[dict[str, Any]] = field(default_factory=list)
    unsatisfied: list[dict[str, Any]] = field(default_factory=list)
    candidates: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.9


@pytest.fixture
def site() -> Iterator[Internet]:
    with internet.running() as site:
        yield site


@pytest.fixture
def shop(settings: Settings, site: Internet) -> Workshop:
    return Workshop.over(settings, site)


def caller(client: FlaskClient, settings: Settings, email: str) -> Caller:
    """A new account with a key for jobs."""
    with db.transaction() as tx:
        key = builders.api_key(tx, settings, builders.account(tx, email), ("jobs",))
    return Caller(client, {"X-API-Key": key})


@pytest.fixture
def ada(client: FlaskClient, settings: Settings) -> Caller:
    return caller(client, settings, "ada@example.org")


@pytest.fixture
def account_id(tx: Tx) -> UUID:
    return builders.account(tx)


def submit(tx: Tx, account_id: UUID, **body: Any) -> PageJob:
    return extractions.submit(tx, account_id, "test", body, kept_seconds=86_400)


@pytest.fixture
def job(tx: Tx, account_id: UUID) -> PageJob:
    """A job with an open run."""
    return submit(tx, account_id)


@pytest.fixture
def run_id(job: PageJob) -> UUID:
    assert job.run_id is not None
    return job.run_id


def result(page: page_store.JobPage, *records: Found, text: str = "Lamp 9.50") -> types.PageResult:
    """A page that was read."""
    return types.PageResult(
        page_id=page.id,
        n=page.n,
        url=page.url,
        outcome="read",
        fetched_at=datetime.now(UTC),
        page_records=Read(text, len(text), list(records)),
        body=b"<p>Lamp 9.50</p>",
    )


def take(tx: Tx, run_id: UUID, *urls: str) -> list[page_store.JobPage]:
    """Pages in the hands of a part."""
    page_store.add(tx, run_id, urls)
    return page_turn_store.take(tx, run_id, uuid4(), len(urls))


def keep(tx: Tx, run_id: UUID, *results: types.PageResult) -> None:
    recording.keep(tx, run_id, results)
