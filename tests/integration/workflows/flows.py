"""Workflows over a web of these tests' own: an extraction reads it without a network."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from app.core import db
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.errors import AppError
from app.core.redis import events
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.dispatch import sweep as sweeping
from app.domains.queue.jobs.parts import Wait
from app.domains.records.page_jobs import service as extractions
from app.domains.records.page_jobs import store
from app.domains.records.page_jobs.runs import (
    page_store,
    page_turn_store,
    record_store,
    results,
    run_store,
)
from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.runs.runs import end_run
from app.domains.records.page_jobs.runs.types import PageResult
from app.domains.records.page_jobs.store import PageJob
from app.domains.records.workflows import step_store
from app.domains.records.workflows.schemas import WorkflowIn
from app.domains.records.workflows.step_store import Step
from tests import builders
from workers.queue.attempt import Attempt
from workers.queue.runner import Runner
from workers.records.runs.search_source import Hit

SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}

LANE = kinds.register("test.workflows.pages", queue="extraction", deadline_seconds=6_000)


@dataclass
class Read:
    text: str
    visible_end: int
    records: list[Any]
    title: str | None = None
    language: str | None = "en"
    readings: Any = field(default_factory=dict)


@dataclass
class Record:
    data: dict[str, Any]
    provenance: tuple[()] = ()
    unsatisfied: tuple[()] = ()
    candidates: dict[str, Any] = field(default_factory=dict)
    confidence: float = 0.9


class Unreadable(AppError):
    """Not one page could be read."""

    code = "test_unreadable"


class Web:
    """Pages with the records on them, what searches return, and what does not work."""

    def __init__(self) -> None:
        self.pages: dict[str, list[dict[str, Any]]] = {}
        self.hits: dict[str, list[str]] = {}
        self.searched: list[str] = []
        self.read: list[str] = []
        self.failing: dict[str, int] = {}
        self.doubted: set[str] = set()

    def search(self, _settings: Any, query: str, most: int, _check: Any) -> list[Hit]:
        self.searched.append(query)
        self.break_down(query)
        return [Hit(url, f"About {url}", None) for url in self.hits.get(query, [])[:most]]

    def break_down(self, what: str) -> None:
        """Raises as often as it was told."""
        if self.failing.get(what, 0) > 0:
            self.failing[what] -= 1
            raise Unreadable

    # The handlers of an extraction: it waits for a lane that reads its pages.

    def extract(self, attempt: Attempt) -> jobs.Finish | Wait:
        with db.reading() as reader:
            run = run_store.by_id(reader, attempt.id)
            job = None if run is None else store.of_anybody(reader, run.job_id)
        assert run is not None
        assert job is not None
        source = job.body["source"]
        urls = source.get("urls") or [source["url"]]
        self.break_down(urls[0])
        if not run.found or not run.done:
            return Wait(lambda tx: self._plan(tx, attempt, urls))
        return lambda tx: self._end(tx, attempt.id, job.body.get("validation"))

    def _plan(self, tx: Tx, attempt: Attempt, urls: list[str]) -> None:
        page_store.add(tx, attempt.id, urls)
        jobs.enqueue(tx, LANE, attempt.account_id, {}, parent=attempt.id)

    def read_pages(self, attempt: Attempt) -> jobs.Finish:
        run_id = attempt.job.parent_id
        assert run_id is not None
        with attempt.step() as tx:
            page_turn_store.take(tx, run_id, attempt.id, 1_000)
            pages = page_turn_store.taken(tx, attempt.id)
        with attempt.step() as tx:
            results.keep(tx, run_id, [self._result(page) for page in pages])
        return lambda _tx: None

    def _result(self, page: JobPage) -> PageResult:
        self.read.append(page.url)
        records = self.pages.get(page.url)
        read = None
        if records is not None:
            read = Read(page.url, len(page.url), [Record(data) for data in records])
        return PageResult(
            page_id=page.id,
            n=page.n,
            url=page.url,
            outcome="http_404" if records is None else "read",
            fetched_at=datetime.now(UTC),
            page_records=read,
        )

    def _end(self, tx: Tx, run_id: UUID, validated: Any) -> None:
        run = run_store.by_id(tx, run_id)
        for record in record_store.values_after(tx, run_id, 0, 1_000) if validated else ():
            verdict = "failed" if record.data["name"] in self.doubted else "passed"
            record_store.judge(tx, run_id, record.id, verdict, [])
        assert run is not None
        if run.failed == run.found:
            end_run(tx, run_id, "error", error=jobs.describe(Unreadable()))
        else:
            end_run(tx, run_id, "done")


@dataclass
class Flow:
    """One workflow, and short ways to see what became of it."""

    account_id: UUID
    job_id: UUID
    run_id: UUID

    @property
    def job(self) -> PageJob:
        with db.reading() as reader:
            job = store.of_anybody(reader, self.job_id)
        assert job is not None
        return job

    @property
    def steps(self) -> dict[str, Step]:
        with db.reading() as reader:
            return {step.step: step for step in step_store.of_run(reader, self.run_id)}

    @property
    def states(self) -> dict[str, str]:
        return {name: step.state for name, step in self.steps.items()}

    @property
    def records(self) -> list[dict[str, Any]]:
        with db.reading() as reader:
            return [
                value.data for value in record_store.values_after(reader, self.run_id, 0, 10_000)
            ]


def begin(*steps: dict[str, Any], email: str = "owner@example.org", **body: Any) -> Flow:
    loaded = WorkflowIn().load({"type": "workflow", "steps": list(steps), **body})
    with db.transaction() as tx:
        account_id = builders.account(tx, email)
        job = extractions.submit(tx, account_id, "workflow", loaded, kept_seconds=86_400)
    assert job.run_id is not None
    return Flow(account_id, job.id, job.run_id)


def read(id: str, *needs: str, urls: list[str] | None = None, **options: Any) -> dict[str, Any]:
    source = {"source": {"type": "urls", "urls": urls}} if urls else {}
    own = {"schema": SCHEMA, **source, **options.pop("extra", {})}
    return {"id": id, "type": "extraction", "needs": list(needs), "with": own, **options}


def search(id: str, query: str, *needs: str, most: int = 20, **options: Any) -> dict[str, Any]:
    own = {"query": query, "most": most}
    return {"id": id, "type": "search", "needs": list(needs), "with": own, **options}


def only(id: str, need: str, pointer: str, operator: str, value: Any) -> dict[str, Any]:
    own = {"pointer": pointer, "operator": operator, "value": value}
    return {"id": id, "type": "filter", "needs": [need], "with": own}


def once(id: str, *needs: str, by: str = "/name") -> dict[str, Any]:
    return {"id": id, "type": "dedupe", "needs": list(needs), "with": {"by": [by]}}


def runner(settings: Settings, worker: str = "host:1:2") -> Runner:
    return Runner(settings, worker, events.Publisher(events.connect(settings.redis_url)))


def ready(depth: int = 1) -> Iterator[UUID]:
    """What a dispatcher sends, one after the other; what waits for its time is sent at once."""
    while True:
        with db.transaction() as tx:
            tx.execute("update jobs set run_at = now(), delayed = false where state = 'queued'")
            chosen = selection.choose(tx, "extraction", depth, 30).jobs
        if not chosen:
            return
        yield from (job.id for job in chosen)


def work(settings: Settings) -> None:
    """Do all there is to do."""
    own = runner(settings)
    for id in ready():
        own.run([id])


def done(settings: Settings, *steps: dict[str, Any], **body: Any) -> Flow:
    """A workflow that has been worked to its end."""
    flow = begin(*steps, **body)
    work(settings)
    return flow


def sweep() -> None:
    with db.transaction() as tx:
        sweeping.sweep(tx)
