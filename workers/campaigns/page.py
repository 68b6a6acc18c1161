"""Handler of the work that reads one page of a run: our text of it, and what we make of it."""

import hashlib
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core import db, metrics
from app.core.db import Reader, Tx
from app.domains.campaigns.campaigns.records import citations
from app.domains.campaigns.campaigns.records.citations import CitedRecord
from app.domains.campaigns.campaigns.runs import pages
from app.domains.campaigns.campaigns.runs.candidates import PageStatement
from app.domains.campaigns.campaigns.runs.node_work import DEADLINE_SECONDS, EXTRACTION
from app.domains.campaigns.campaigns.runs.pages import PageTask
from app.domains.library.passages import service as passages
from app.domains.library.sources import service as sources
from app.domains.providers.nodes import service
from app.domains.providers.work import service as work
from app.domains.queue.jobs import service as jobs
from app.domains.records.page_jobs.runs.types import EarlierPage
from app.engine.fetch import Response
from app.engine.pages.page import PageUnreadable
from app.engine.pages.site.registrable import domain_of_url
from app.engine.sandbox import visit
from app.engine.sandbox.documents import Extraction
from app.engine.sandbox.extract import ExtractedPage
from workers.queue.attempt import Attempt, handles
from workers.records.lanes.page_outcome import document_of, turn
from workers.records.lanes.web import JobWeb, job_web

NOT_A_COMPANY_SITE: Final = "not_a_company_site"
_INSTEAD: Final = {"soft_404": "soft_404", "paywall": "blocked", "consent_wall": "blocked"}


@handles(pages.PAGE)
def read_page(attempt: Attempt) -> jobs.Finish:
    """Read a page, and hand it to the nodes or take what we read ourselves."""
    page_id = UUID(attempt.payload["page_id"])
    with db.reading() as reader:
        task = pages.task(reader, page_id, _content_hash)
        room = task is not None and pages.has_room(reader, task.page)
    if task is None:
        return lambda tx: _skip(tx, page_id, pages.STOPPED)
    if not room:
        return lambda tx: _skip(tx, page_id, pages.NOT_NEEDED)
    read = _read(task, job_web(attempt.settings))
    attempt.check()
    if isinstance(read, str):
        outcome = read
        metrics.campaign_pages.labels(outcome.partition("_")[0]).inc()
        if outcome == visit.UNCHANGED:
            return lambda tx: pages.unchanged(tx, task)
        return lambda tx: _skip(tx, page_id, outcome)
    metrics.campaign_pages.labels(pages.READ).inc()
    with db.reading() as reader:
        seconds = attempt.settings.campaign_node_patience_seconds
        by_nodes = service.seen_recently(reader, EXTRACTION.capability, seconds) > 0
    return lambda tx: _keep(tx, task, read, by_nodes=by_nodes)


def _content_hash(reader: Reader, snapshot_id: UUID) -> str:
    return passages.snapshot(reader, snapshot_id).content_hash


def _skip(tx: Tx, page_id: UUID, outcome: str) -> None:
    pages.missed(tx, page_id, outcome)


@dataclass(frozen=True, slots=True)
class _Read:
    response: Response
    extracted: ExtractedPage
    candidates: list[CitedRecord]


def _read(task: PageTask, web: JobWeb) -> _Read | str:
    """The page as we read it, or the outcome that says why there is none."""
    known = EarlierPage(task.validators.get("etag"), task.validators.get("last_modified"))
    response = web.fetch_patiently(task.page.url, known)
    if not isinstance(response, Response):
        return response
    try:
        wanted = Extraction(task.plan.schema)
        extracted = web.reader.extract(document_of(response), turn(), wanted)
    except PageUnreadable as unreadable:
        return unreadable.reason.value
    if extracted.facts.blocked in _INSTEAD:
        return _INSTEAD[extracted.facts.blocked]
    if task.content_hash is not None and _hash(extracted.records.text) == task.content_hash:
        return visit.UNCHANGED
    if task.page.kinds == ["company_sites"] and not _is_company_site(response.url, extracted):
        return NOT_A_COMPANY_SITE
    required = task.require_citations
    records = [
        citations.candidate(task.plan, record, require_citations=required)
        for record in extracted.records.records
    ]
    return _Read(response, extracted, [record for record in records if record is not None])


def _hash(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def _is_company_site(url: str, extracted: ExtractedPage) -> bool:
    """Whether the page is by who its domain is named after, or the operator trusts it."""
    domain = domain_of_url(url)
    if domain is None:
        return False
    with db.reading() as reader:
        if sources.verdicts(reader, [domain]).get(domain) == "allow":
            return True
    name, publisher = _letters(domain.partition(".")[0]), _letters(extracted.facts.publisher or "")
    return bool(publisher) and (name in publisher or publisher in name)


def _letters(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())


def _keep(tx: Tx, task: PageTask, read: _Read, *, by_nodes: bool) -> None:
    """Our text of the page, and who reads its records."""
    snapshot_id = _snapshot(tx, read)
    reading = _reading(read)
    if not by_nodes:
        kept = pages.built_in(tx, task.page, snapshot_id, reading, read.candidates)
    else:
        work_id = work.offer(
            tx,
            EXTRACTION,
            task.campaign.account_id,
            subject=task.page.id,
            deadline_seconds=DEADLINE_SECONDS,
            needs={"language": read.extracted.records.language, "bytes": len(read.response.body)},
        )
        kept = pages.offered(tx, task.page, work_id, snapshot_id, reading, read.candidates)
        if not kept:
            work.withdraw(tx, [work_id])
    if not kept:  # the run was stopped meanwhile
        passages.release_snapshots(tx, [snapshot_id])


def _snapshot(tx: Tx, read: _Read) -> UUID:
    page = read.extracted.records
    return passages.keep_text(
        tx,
        url=read.response.url,
        title=page.title or read.extracted.facts.title,
        text=page.text,
        visible_end=page.visible_end,
        language=page.language,
        fetched_at=read.response.fetched_at,
    )


def _reading(read: _Read) -> PageStatement:
    validators: dict[str, Any] = {
        "etag": visit.validator(read.response, "etag"),
        "last_modified": visit.validator(read.response, "last-modified"),
    }
    return PageStatement(
        url=read.response.url,
        canonical=read.extracted.facts.canonical_url,
        validators={name: value for name, value in validators.items() if value},
    )
