"""The type `campaign`: a run of a campaign reads its pages as page jobs do.

The job has one run, which has the id of the campaign's run and the work of it. Callers do not see
the job (`OF_CALLERS`).
"""

import hashlib
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from marshmallow import Schema

from app.core import metrics
from app.core.db import Reader, Tx
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.kinds import PAGE_JOB
from app.domains.campaigns.campaigns.records import version_store
from app.domains.campaigns.campaigns.runs import page_store, pages, run, run_store, second_readings
from app.domains.campaigns.campaigns.runs.candidates import PageStatement
from app.domains.campaigns.campaigns.runs.node_work import DEADLINE_SECONDS, EXTRACTION
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.runs.run_store import CampaignRun
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.library.passages import snapshots
from app.domains.library.sources import service as sources
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import service as work
from app.domains.records.page_jobs import store as job_store
from app.domains.records.page_jobs.runs import page_store as job_page_store
from app.domains.records.page_jobs.runs import run_store as job_run_store
from app.domains.records.page_jobs.runs import types
from app.domains.records.page_jobs.runs.run_store import JobRun
from app.domains.records.page_jobs.runs.runs import begin_run
from app.domains.records.page_jobs.runs.types import Connect, EarlierPage, PageResult, ReadPage
from app.domains.records.page_jobs.store import PageJob
from app.engine.pages.site.registrable import domain_of_url
from app.engine.sandbox import visit

NOT_A_COMPANY_SITE: Final = "not_a_company_site"
_REASONS: Final = {"deadline": "deadline_exceeded"}


def begin(tx: Tx, job: PageJob) -> None:
    """In the transaction that makes the job, which the work of the campaign's run is in."""
    begin_run(tx, job.id, job.account_id, kind=run.RUN, id=job.part_of)


def known(reader: Reader, run_id: UUID, urls: Sequence[str]) -> dict[str, EarlierPage]:
    """With what to ask for the pages of due records: what their sites said of them before."""
    earlier = {}
    for url, page in page_store.of_run(reader, run_id, urls).items():
        if page.due_ids and (shown := version_store.shown(reader, page.due_ids[0])):
            validators = shown.validators
            earlier[url] = EarlierPage(validators.get("etag"), validators.get("last_modified"))
    return earlier


def spare(connect: Connect, run_id: UUID, url: str) -> str | None:
    """The outcome of a page that need not be read any more."""
    with connect() as reader:
        campaign_run = run_store.by_id(reader, run_id)
        page = page_store.of_run(reader, run_id, [url]).get(url)
    if campaign_run is None or page is None:
        return pages.STOPPED
    if page.state != "queued" or campaign_run.state != "collecting":
        return pages.STOPPED
    return None if _has_room(campaign_run, page) else pages.NOT_NEEDED


def _has_room(campaign_run: CampaignRun, page: CampaignPage) -> bool:
    """True if the run can pay for what the page may hold. Records that are due always count."""
    return bool(page.due_ids) or campaign_run.records_taken < campaign_run.records_most


def judge(connect: Connect, run_id: UUID, results: Sequence[PageResult]) -> list[PageResult]:
    """Say of pages that were read which are as they were, and what the campaign takes of them."""
    for result in results:
        if (read := result.page_records) is None:
            continue
        with connect() as reader:
            campaign = _campaign(reader, run_id)
            page = page_store.of_run(reader, run_id, [result.url]).get(result.url)
            instead = _instead(reader, page, result, read) if page else pages.STOPPED
        if campaign is not None and instead is None:
            result.judged = pages.cited(campaign, read.records)
        else:
            result.outcome, result.page_records = instead or pages.STOPPED, None
    return list(results)


def _campaign(reader: Reader, run_id: UUID) -> Campaign | None:
    campaign_run = run_store.by_id(reader, run_id)
    return store.by_id(reader, campaign_run.campaign_id) if campaign_run else None


def _instead(reader: Reader, page: CampaignPage, result: PageResult, read: ReadPage) -> str | None:
    """The outcome of a page that was read and says nothing new to the campaign."""
    if _is_unchanged(reader, page, read):
        return visit.UNCHANGED
    if page.kinds == ["company_sites"] and not _is_company_site(reader, result):
        return NOT_A_COMPANY_SITE
    return None


def _is_unchanged(reader: Reader, page: CampaignPage, read: ReadPage) -> bool:
    """True if the text is the one that the first due record was read from."""
    shown = version_store.shown(reader, page.due_ids[0]) if page.due_ids else None
    if shown is None or shown.snapshot_id is None:
        return False
    digest = hashlib.sha256(read.text.encode()).hexdigest()
    return snapshots.find(reader, shown.snapshot_id).content_hash == f"sha256:{digest}"


def _is_company_site(reader: Reader, result: PageResult) -> bool:
    """True if the page is by who its domain is named after, or the operator trusts it."""
    domain = domain_of_url(result.final_url or result.url)
    if domain is None:
        return False
    if sources.verdicts(reader, [domain]).get(domain) == "allow":
        return True
    name, publisher = _letters(domain.partition(".")[0]), _letters(result.publisher or "")
    return bool(publisher) and (name in publisher or publisher in name)


def _letters(text: str) -> str:
    return "".join(each for each in text.casefold() if each.isalnum())


def keep_pages(tx: Tx, run_id: UUID, results: Sequence[PageResult]) -> None:
    """Hand pages to the nodes or take what we read ourselves, in the order of their rank."""
    run_store.lock(tx, run_id)
    campaign = _campaign(tx, run_id)
    found = page_store.of_run(tx, run_id, [result.url for result in results])
    by_nodes = _are_nodes_there(tx, run_id)
    for result in sorted(results, key=lambda result: result.n):
        page = found.get(result.url)
        if campaign is not None and page is not None and page.state == "queued":
            outcome = _keep(tx, campaign, page, result, by_nodes=by_nodes)
            tx.after_commit.append(metrics.campaign_pages.labels(outcome.partition("_")[0]).inc)


def _are_nodes_there(reader: Reader, run_id: UUID) -> bool:
    job_run = job_run_store.by_id(reader, run_id)
    job = job_store.of_anybody(reader, job_run.job_id) if job_run else None
    seconds = job.body["node_patience_seconds"] if job else 0
    return nodes.seen_recently(reader, EXTRACTION.capability, seconds) > 0


def _keep(
    tx: Tx, campaign: Campaign, page: CampaignPage, result: PageResult, *, by_nodes: bool
) -> str:
    read, snapshot_id = result.page_records, result.snapshot_id
    campaign_run = run_store.by_id(tx, page.run_id)
    if result.outcome == visit.UNCHANGED:
        pages.unchanged(tx, campaign, page)
    elif campaign_run is None or read is None or snapshot_id is None:
        pages.missed(tx, page, result.outcome)
    elif not _has_room(campaign_run, page):
        pages.missed(tx, page, pages.NOT_NEEDED)
        return pages.NOT_NEEDED
    elif by_nodes and second_readings.is_for_nodes(tx, page):
        work_id = _offer(tx, campaign, page, result, read)
        pages.offered(tx, page, work_id, snapshot_id, _statement(result))
    else:
        pages.built_in(tx, page, snapshot_id, _statement(result), result.judged)
    return result.outcome


def _offer(
    tx: Tx, campaign: Campaign, page: CampaignPage, result: PageResult, read: ReadPage
) -> UUID:
    return work.offer(
        tx,
        EXTRACTION,
        campaign.account_id,
        subject=page.id,
        excluded=sorted(second_readings.readers(tx, page)),
        deadline_seconds=DEADLINE_SECONDS,
        needs={"language": read.language, "bytes": result.size_bytes},
    )


def _statement(result: PageResult) -> PageStatement:
    validators: dict[str, Any] = {"etag": result.etag, "last_modified": result.last_modified}
    return PageStatement(
        url=result.final_url or result.url,
        canonical=result.canonical_url,
        validators={name: value for name, value in validators.items() if value},
    )


def run_ended(tx: Tx, _job: PageJob, job_run: JobRun) -> None:
    """Pages that were not come to, or that workers died of, are missed."""
    queued = page_store.queued(tx, job_run.id)
    if not queued:
        return
    run_store.lock(tx, job_run.id)
    error = (job_run.error or {}).get("code") or job_run.stop_reason or "error"
    listed = job_page_store.listed(tx, job_run.id, outcome=None, after=0, most=job_run.found)
    outcomes = {page.url: page.outcome for page in listed}
    for page in queued:
        pages.missed(tx, page, outcomes.get(page.url) or _REASONS.get(error, error))


CAMPAIGN: Final = types.JobType(
    name=PAGE_JOB,
    schema=Schema,  # nobody sends one
    kind=run.RUN,
    begin=begin,
    known=known,
    spare=spare,
    judge=judge,
    keep_pages=keep_pages,
    run_ended=run_ended,
)
