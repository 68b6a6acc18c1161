"""The pages of a run: each is read once, by nodes or built in, and its candidates are added."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.kinds import QUEUE
from app.domains.campaigns.campaigns.records import version_store
from app.domains.campaigns.campaigns.records.citations import CitedRecord
from app.domains.campaigns.campaigns.runs import candidates as adding
from app.domains.campaigns.campaigns.runs import page_store, run_end, run_store
from app.domains.campaigns.campaigns.runs.candidates import PageStatement, plan_of
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob, Kind
from app.engine.extraction.schema.schema import Plan

READ: Final = "read"
NOT_NEEDED: Final = "not_needed"
STOPPED: Final = "stopped"


def _unread(tx: Tx, ended: EndedJob) -> None:
    """`on_end` of the work that reads a page."""
    error = ended.error or {"code": ended.state}
    missed(tx, UUID(ended.payload["page_id"]), error["code"])


PAGE: Final = kinds.register(
    Kind(
        name="campaigns.page",
        queue=QUEUE,
        deadline_seconds=600,
        max_attempts=3,
        ids_per_message=1,
        on_end=_unread,
    )
)


@dataclass(frozen=True, slots=True)
class PageTask:
    """A page with what is wanted of it. `validators` are what its site said of it before, and
    `content_hash` what it held."""

    page: CampaignPage
    campaign: Campaign
    plan: Plan
    validators: Mapping[str, Any]
    content_hash: str | None

    @property
    def require_citations(self) -> bool:
        required: bool = self.campaign.body["validation"]["require_citations"]
        return required


def task(reader: Reader, page_id: UUID, content_hash: Any) -> PageTask | None:
    """What is to be done with a page; None when nothing is.

    `content_hash` finds that of a snapshot.
    """
    page = page_store.by_id(reader, page_id)
    run = run_store.by_id(reader, page.run_id) if page else None
    campaign = store.by_id(reader, page.campaign_id) if page else None
    if page is None or run is None or campaign is None:
        return None
    if page.state != "queued" or run.state != "collecting":
        return None
    shown = version_store.shown(reader, page.due_ids[0]) if page.due_ids else None
    return PageTask(
        page,
        campaign,
        plan_of(campaign),
        shown.validators if shown else {},
        content_hash(reader, shown.snapshot_id) if shown and shown.snapshot_id else None,
    )


def has_room(reader: Reader, page: CampaignPage) -> bool:
    """Whether the run can pay for what the page may hold. Records that are due always count."""
    if page.due_ids:
        return True
    run = run_store.by_id(reader, page.run_id)
    return run is not None and run.records_taken < run.records_most


# What becomes of a page, each in the transaction that ends the work on it.


def missed(tx: Tx, page_id: UUID, outcome: str) -> bool:
    """A page that cannot be read, or need not be. False: it was done before."""
    page = page_store.by_id(tx, page_id)
    if page is None or not page_store.done(tx, page_id, outcome):
        return False
    _end_page(tx, page)
    return True


def _end_page(tx: Tx, page: CampaignPage) -> None:
    run_store.count(tx, page.run_id, pages=-1)
    run_end.close_if_done(tx, page.run_id)


def unchanged(tx: Tx, work: PageTask) -> None:
    """The page of due records says what it said: they are fresh again, for nothing."""
    shown = [version_store.shown(tx, id) for id in work.page.due_ids]
    if not page_store.done(tx, work.page.id, "unchanged"):
        return
    for each in shown:
        if each is not None and shown[0] is not None and each.snapshot_id == shown[0].snapshot_id:
            adding.confirm(tx, work.campaign, each.record_id, each.version)
    _end_page(tx, work.page)


def offered(
    tx: Tx,
    page: CampaignPage,
    work_id: UUID,
    snapshot_id: UUID,
    reading: PageStatement,
    own: Sequence[CitedRecord],
) -> bool:
    """The page is with the nodes now; `own` candidates stand in if none of them does it."""
    kept = {"reading": asdict(reading), "candidates": [each.as_json() for each in own]}
    return page_store.offer(tx, page.id, work_id, snapshot_id, kept)


def built_in(
    tx: Tx,
    page: CampaignPage,
    snapshot_id: UUID,
    reading: PageStatement,
    own: Sequence[CitedRecord],
) -> bool:
    """A page that the built-in extraction has read. False: it was done before."""
    if not page_store.done(tx, page.id, READ, snapshot_id=snapshot_id):
        return False
    adding.add(tx, page, snapshot_id, reading, own, None)
    _end_page(tx, page)
    return True


def built_in_instead(tx: Tx, page_id: UUID) -> None:
    """No node has done the page: what the built-in extraction read stands in."""
    page = page_store.by_id(tx, page_id)
    if page is None or page.snapshot_id is None or page.reading is None:
        return
    kept = [CitedRecord(**each) for each in page.reading["candidates"]]
    built_in(tx, page, page.snapshot_id, PageStatement(**page.reading["reading"]), kept)


def by_node(
    tx: Tx, page_id: UUID, account_id: UUID, candidates: Sequence[CitedRecord]
) -> dict[str, int] | None:
    """What a node read. None: nobody waits for it any more."""
    page = page_store.by_id(tx, page_id)
    if page is None or page.snapshot_id is None or page.reading is None:
        return None
    if not page_store.done(tx, page_id, READ, built_in=False):
        return None
    reading = PageStatement(**page.reading["reading"])
    counts = adding.add(tx, page, page.snapshot_id, reading, candidates, account_id)
    _end_page(tx, page)
    return counts


# Stopping: what nobody has begun ends now, what somebody holds is not waited for.


@dataclass(frozen=True, slots=True)
class StoppedPages:
    """How many pages were ended, and the work of nodes on them."""

    pages: int
    work_ids: list[UUID]


def stop(tx: Tx, run_id: UUID, most: int) -> StoppedPages:
    """End some of the unfinished pages of a run."""
    pages = page_store.unfinished(tx, run_id, most)
    for page in pages:
        missed(tx, page.id, STOPPED)
    return StoppedPages(len(pages), [page.work_id for page in pages if page.work_id])
