"""Turns a fetched page into its result: records to keep, or the outcome that names the failure."""

import hashlib
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from app.domains.records.page_jobs.runs.page_store import JobPage
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.types import EarlierPage, PageResult
from app.domains.records.page_jobs.store import PageJob
from app.engine.extraction.records.quote_filter import grounded
from app.engine.extraction.records.readings import Readings
from app.engine.extraction.records.records import Record, assemble
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.site.template import Template
from app.engine.fetch import Response
from app.engine.pages.page import PageUnreadable
from app.engine.pages.site.scope import Scope
from app.engine.sandbox import visit
from app.engine.sandbox.documents import ExtractedPage, Extraction
from app.engine.sandbox.extraction_reader import ExtractionReader
from app.engine.sandbox.reader import UNHURRIED
from workers.records.lanes.rendering import NEEDS_RENDERING

READ: Final = "read"
_INSTEAD: Final = {
    "soft_404": "soft_404",
    **dict.fromkeys(("paywall", "consent_wall", "login_wall", "error_page"), "blocked"),
}


@dataclass(frozen=True, slots=True)
class ReadingTask:
    """The task of a run: what it wants of its pages.

    `scope` is there for crawls: links within it are followed down to `max_depth`. `examples` are
    what examples taught and `templates` what the run's own pages did, by host.
    """

    run_id: UUID
    schema: dict[str, Any] | None
    most: int
    scope: Scope | None
    max_depth: int
    examples: dict[str, Any]
    templates: dict[str, Template]
    require_provenance: bool
    keeps_bodies: bool

    @classmethod
    def of(cls, run: JobRun, job: PageJob) -> "ReadingTask":
        source, validation = job.body["source"], job.body.get("validation") or {}
        learnt = run.templates
        crawls = source["type"] == "crawl"
        start = run.stats.get("start") or source.get("url", "")
        patterns = (tuple(source.get("include") or ()), tuple(source.get("exclude") or ()))
        return cls(
            run_id=run.id,
            schema=job.body.get("schema"),
            most=job.body["max_pages"],
            scope=Scope.of(start, *patterns) if crawls else None,
            max_depth=source.get("max_depth", 0) if crawls else 0,
            examples={host: x["example"] for host, x in learnt.items() if "example" in x},
            templates={
                host: Template.from_json(x["template"])
                for host, x in learnt.items()
                if "template" in x
            },
            require_provenance=validation.get("require_provenance", False),
            keeps_bodies=validation.get("sample_rate", 0) > 0 or job.type == "monitoring",
        )

    @property
    def plan(self) -> Plan | None:
        return plan(self.schema) if self.schema is not None else None

    def records_of(self, readings: Readings, template: Template) -> tuple[Record, ...]:
        return () if self.plan is None else self.accepted(assemble(self.plan, readings, template))

    def accepted(self, records: tuple[Record, ...]) -> tuple[Record, ...]:
        """`records` as the job wants them."""
        if self.plan is None or not self.require_provenance:
            return records
        return tuple(grounded(self.plan, record) for record in records)


def result_of(
    task: ReadingTask,
    page: JobPage,
    response: Response,
    reader: ExtractionReader,
    known: EarlierPage | None = None,
) -> PageResult:
    """The result to keep of a page that came; a browser may have made `response`."""
    result = _result(page, response)
    if known is not None and known.body_hash == hashlib.sha256(response.body).digest():
        result.outcome = visit.UNCHANGED
        return result
    wanted = Extraction(task.schema, task.examples.get(page.host))
    try:
        extracted = reader.extract(visit.document_of(response), UNHURRIED, wanted)
    except PageUnreadable as unreadable:
        result.outcome = unreadable.reason.value
        return result
    result.canonical_url = extracted.facts.canonical_url
    result.publisher = extracted.facts.publisher
    result.outcome = _outcome(task, page, response, extracted)
    result.links = _links(task, page, extracted)
    if result.outcome == READ:
        read, template = extracted.records, task.templates.get(page.host)
        first = task.accepted(read.records)
        records = first if template is None else task.records_of(read.readings, template)
        result.page_records = replace(read, records=records)
        result.body = response.body if task.keeps_bodies else None
    return result


def missed(page: JobPage, outcome: str) -> PageResult:
    return PageResult(
        page_id=page.id, n=page.n, url=page.url, outcome=outcome, fetched_at=datetime.now(UTC)
    )


def _result(page: JobPage, response: Response) -> PageResult:
    return PageResult(
        page_id=page.id,
        n=page.n,
        url=page.url,
        outcome=READ,
        fetched_at=response.fetched_at,
        final_url=response.url,
        moved=response.moved,
        etag=visit.validator(response, "etag"),
        last_modified=visit.validator(response, "last-modified"),
        media_type=response.media_type,
        charset=response.charset,
        size_bytes=len(response.body),
    )


def _outcome(task: ReadingTask, page: JobPage, response: Response, extracted: ExtractedPage) -> str:
    facts, records = extracted.facts, extracted.records
    if facts.blocked is not None and facts.blocked in _INSTEAD:
        return _INSTEAD[facts.blocked]
    if records.needs_rendering:
        return NEEDS_RENDERING
    if task.scope is not None:
        if task.scope.address(response.url) is None:
            return "redirected"
        canonical = task.scope.address(facts.canonical_url) if facts.canonical_url else None
        if canonical not in (None, page.url, response.url):
            return "canonical"
    return READ


def _links(task: ReadingTask, page: JobPage, extracted: ExtractedPage) -> tuple[str, ...]:
    """Addresses that a crawl goes on with."""
    facts = extracted.facts
    if task.scope is None or facts.nofollow or page.depth >= task.max_depth:
        return ()
    first = (facts.canonical_url,) if facts.canonical_url else ()
    return task.scope.addresses((*first, *facts.links))
