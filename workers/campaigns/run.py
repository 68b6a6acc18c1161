"""Handler of the runs of campaigns: finds their pages by kind of source."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core import db
from app.domains.campaigns.campaigns.runs import run as campaign_run
from app.domains.campaigns.campaigns.runs import run_end
from app.domains.campaigns.campaigns.runs.page_store import PlannedPage
from app.domains.campaigns.campaigns.runs.run import SourceSearch
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.service import Finish
from app.domains.records.page_jobs.runs import run_store as job_run_store
from app.domains.records.page_jobs.service import NoEngineConfigured
from workers.queue.attempt import Attempt, handles
from workers.records.runs import run as page_run
from workers.records.runs.search_source import MOST_RESULTS, Hit, addresses

SERVED: Final = ("web", "company_sites")
"""Kinds of sources that searches serve: the index and the configured engines."""


@handles(campaign_run.RUN)
def go_on(attempt: Attempt) -> Finish | Wait:
    """Plan a run; then read its pages as those of page jobs are read."""
    with db.reading() as reader:
        planned = job_run_store.by_id(reader, attempt.id) is not None
    if not planned:
        _plan(attempt)
    return page_run.go_on(attempt)


def _plan(attempt: Attempt) -> None:
    """Find the pages of a run, the due ones first, and make the job that reads them."""
    payload = attempt.payload
    tick = datetime.fromisoformat(payload["tick"]) if "tick" in payload else attempt.now
    with attempt.step() as tx:
        begun = campaign_run.begin(tx, attempt.id, UUID(payload["campaign_id"]), tick)
    if begun is None:
        return
    campaign, run = begun
    with db.reading() as reader:
        due = campaign_run.due(reader, campaign)
        wanted = run_end.wanted(reader, campaign)
    found = _search(attempt, campaign) if wanted else SourceSearch((), (), {"asked": []})
    found = SourceSearch(found.pages, due, found.report)
    with attempt.step() as tx:
        campaign_run.collect(tx, run.id, found, attempt.settings.campaign_node_patience_seconds)


def _search(attempt: Attempt, campaign: Campaign) -> SourceSearch:
    """Pages of all served kinds, those not read lately. A kind that nothing serves is reported."""
    kinds: list[str] = campaign.body["data_requirements"]["sources"]
    served = [kind for kind in kinds if kind in SERVED]
    unserved = [kind for kind in kinds if kind not in SERVED]
    hits: list[Hit] = []
    if served:
        try:
            query = campaign.body["objective"]
            hits = addresses(attempt.settings, query, MOST_RESULTS, attempt.check)
        except NoEngineConfigured:
            served, unserved = [], kinds
    with db.reading() as reader:
        urls = campaign_run.unread(reader, campaign, [hit.url for hit in hits])
    report: dict[str, Any] = {
        "asked": [{"kind": kind, "results": len(hits), "unread": len(urls)} for kind in served],
        "unserved_kinds": unserved,
    }
    return SourceSearch([PlannedPage(url=url, kinds=tuple(served)) for url in urls], (), report)
