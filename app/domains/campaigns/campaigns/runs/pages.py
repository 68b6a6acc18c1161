"""The pages of a run: each is read by a node or built in, and its candidates are added.

A page of which a node made nothing is read once more (`second_readings`).

Who changes a page has locked its run, so that each page is in one hand.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final
from uuid import UUID

from app.core.db import Tx
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.records import citations, version_store
from app.domains.campaigns.campaigns.records.citations import CitedRecord
from app.domains.campaigns.campaigns.records.version_store import Version
from app.domains.campaigns.campaigns.runs import page_store, run_end, run_store, second_readings
from app.domains.campaigns.campaigns.runs.candidates import PageStatement, add, confirm, plan_of
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.records.page_jobs.runs import record_store
from app.domains.records.page_jobs.runs.results import record_of
from app.engine.extraction.records.records import Record

READ: Final = "read"
NOT_NEEDED: Final = "not_needed"
STOPPED: Final = "stopped"


def cited(campaign: Campaign, records: Sequence[Record]) -> list[CitedRecord]:
    """The records of the built-in extraction that the campaign takes."""
    plan, required = plan_of(campaign), campaign.body["validation"]["require_citations"]
    found = [citations.candidate(plan, each, require_citations=required) for each in records]
    return [each for each in found if each is not None]


# What becomes of a page, each in the transaction that ends the work on it.


def missed(tx: Tx, page: CampaignPage, outcome: str) -> bool:
    """A page that cannot be read, or need not be. False: it was done before."""
    run_store.lock(tx, page.run_id)
    if not page_store.done(tx, page.id, outcome):
        return False
    _end_page(tx, page)
    return True


def _end_page(tx: Tx, page: CampaignPage) -> None:
    run_store.count(tx, page.run_id, pages=-1)
    run_end.close_if_done(tx, page.run_id)


def unchanged(tx: Tx, campaign: Campaign, page: CampaignPage) -> None:
    """The page of due records says what it said: they are fresh again, for nothing."""
    run_store.lock(tx, page.run_id)
    shown = [version_store.shown(tx, id) for id in page.due_ids]
    if not page_store.done(tx, page.id, "unchanged"):
        return
    for each in shown:
        if each is not None and shown[0] is not None and each.snapshot_id == shown[0].snapshot_id:
            confirm(tx, campaign, each.record_id, each.version)
    _end_page(tx, page)


def offered(
    tx: Tx, page: CampaignPage, work_id: UUID, snapshot_id: UUID, statement: PageStatement
) -> None:
    """The page is with the nodes now; if none of them does it, what we read of it stands in."""
    page_store.offer(tx, page.id, work_id, snapshot_id, asdict(statement))


def built_in(
    tx: Tx,
    page: CampaignPage,
    snapshot_id: UUID,
    statement: PageStatement,
    own: Sequence[CitedRecord],
) -> None:
    run_store.lock(tx, page.run_id)
    if page_store.done(tx, page.id, READ, snapshot_id=snapshot_id):
        add(tx, page, snapshot_id, statement, own, None)
        _end_page(tx, page)


def built_in_instead(tx: Tx, page_id: UUID) -> None:
    """No node has done the page: what the built-in extraction read stands in."""
    page = page_store.by_id(tx, page_id)
    campaign = store.by_id(tx, page.campaign_id) if page else None
    if page is None or campaign is None or page.snapshot_id is None or page.reading is None:
        return
    statement = PageStatement(**page.reading)
    built_in(tx, page, page.snapshot_id, statement, _own(tx, campaign, page))


def _own(tx: Tx, campaign: Campaign, page: CampaignPage) -> list[CitedRecord]:
    """The records that we found on a page ourselves."""
    read = [record_of(each) for each in record_store.of_page(tx, page.run_id, page.url)]
    return cited(campaign, read)


def by_node(
    tx: Tx, page_id: UUID, account_id: UUID, candidates: Sequence[CitedRecord]
) -> dict[str, int] | None:
    """Keeps what a node read. None: nobody waits for it any more."""
    page = page_store.by_id(tx, page_id)
    campaign = store.by_id(tx, page.campaign_id) if page else None
    if page is None or campaign is None or page.snapshot_id is None or page.reading is None:
        return None
    run_store.lock(tx, page.run_id)
    if not page_store.done(tx, page_id, READ, contributor_id=account_id):
        return None
    statement = PageStatement(**page.reading)
    counts = add(tx, page, page.snapshot_id, statement, candidates, account_id)
    if not candidates and second_readings.after_nothing(
        tx, campaign, page, found_by_us=bool(_own(tx, campaign, page))
    ):
        _offer_again(tx, campaign, page_id)
    else:
        _end_page(tx, page)
    return counts


def rejected(tx: Tx, campaign: Campaign, judged: Version) -> None:
    """A record was rejected. Who has locked its run calls this before the run is closed."""
    if judged.page_id is not None and second_readings.after_rejection(tx, campaign, judged):
        _offer_again(tx, campaign, judged.page_id)


def _offer_again(tx: Tx, campaign: Campaign, page_id: UUID) -> None:
    """To another account; where there is none, what we read ourselves stands in."""
    page = page_store.by_id(tx, page_id)
    if page is not None and not second_readings.offer(tx, campaign, page):
        built_in_instead(tx, page_id)


# Stopping: what nobody has begun ends now, what somebody holds is not waited for.


@dataclass(frozen=True, slots=True)
class StoppedPages:
    """The number of pages that were ended, and the work of nodes on them."""

    pages: int
    work_ids: list[UUID]


def stop(tx: Tx, run_id: UUID, most: int) -> StoppedPages:
    run_store.lock(tx, run_id)
    pages = page_store.unfinished(tx, run_id, most)
    for page in pages:
        missed(tx, page, STOPPED)
    return StoppedPages(len(pages), [page.work_id for page in pages if page.work_id])
