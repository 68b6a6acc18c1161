"""A run of a campaign, from its tick to its close.

    planned -> collecting -> reviewing -> closing -> closed; or skipped at once

Who changes a run locks, in this order and as far as it needs them: the work or the review, the
campaign, the run, its pages, and money last. What reads its pages is a page job (`page_job`) whose
run has the id of this one; that is locked before all of these.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.domains.campaigns.campaigns import budget, store
from app.domains.campaigns.campaigns.kinds import PAGE_JOB, QUEUE
from app.domains.campaigns.campaigns.records import record_store
from app.domains.campaigns.campaigns.records.record_store import DueRecord
from app.domains.campaigns.campaigns.runs import page_store, run_end, run_store
from app.domains.campaigns.campaigns.runs.page_store import PlannedPage
from app.domains.campaigns.campaigns.runs.run_store import CampaignRun
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from app.domains.queue.jobs import kinds, schedule_store
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.records.page_jobs import service as page_jobs
from app.domains.records.page_jobs.runs import continuation
from app.domains.records.page_jobs.runs.runs import job_ended

MOST_DUE: Final = 50
_LEAST_SECONDS: Final = 3_600
_MOST_SECONDS: Final = 7 * 86_400
_KEPT_SECONDS: Final = 86_400.0
"""Of what was read of pages: longer than nodes have to read them as well."""


def _unfinished(tx: Tx, ended: EndedJob) -> None:
    """`on_end` of the work that plans a run and reads its pages: it closes with what it has."""
    job_ended(tx, ended)
    run = run_store.lock(tx, ended.id)
    if run is not None and run.state == "planned":
        error = ended.error or {"code": ended.state}
        run_store.note(tx, ended.id, {"error": error["code"]})
        run_end.close_if_done(tx, ended.id)


RUN: Final = kinds.register(
    "campaigns.run",
    queue=QUEUE,
    deadline_seconds=_LEAST_SECONDS,
    priority=40,
    ids_per_message=1,
    on_part=continuation.on_part,
    on_end=_unfinished,
)


# Its beginning.


def begin(
    tx: Tx, run_id: UUID, campaign_id: UUID, tick: datetime
) -> tuple[Campaign, CampaignRun] | None:
    """Begin the run of a tick, whose job has this id. None: the tick is passed over, and its row
    says why, or its run was planned already."""
    campaign = store.lock(tx, campaign_id)
    if campaign is None or campaign.ended:
        return None
    if campaign.ends_at is not None and campaign.ends_at <= schedule_store.clock(tx):
        run_end.finish_if_idle(tx, campaign)
        return None
    why = "paused" if campaign.state == "paused" else None
    if why is None and not _insert(tx, run_id, campaign, tick, None):
        planned = run_store.by_id(tx, run_id)
        if planned is not None:  # an earlier attempt at the same work
            return (campaign, planned) if planned.state == "planned" else None
        why = "overlapping"
    if why is not None:
        _insert(tx, run_id, campaign, tick, why)
        return None
    run = run_store.by_id(tx, run_id)
    return None if run is None else (campaign, run)


def _insert(tx: Tx, id: UUID, campaign: Campaign, tick: datetime, skipped: str | None) -> bool:
    return run_store.insert(
        tx,
        id=id,
        campaign_id=campaign.id,
        tick=tick,
        state="planned" if skipped is None else "skipped",
        seconds=min(max(campaign.cadence_seconds, _LEAST_SECONDS), _MOST_SECONDS),
        report={} if skipped is None else {"skipped": skipped},
    )


def due(reader: Reader, campaign: Campaign) -> list[DueRecord]:
    """Accepted records that the run looks at again, before it looks for new ones."""
    return record_store.due(reader, campaign.id, MOST_DUE)


def unread(reader: Reader, campaign: Campaign, urls: Sequence[str]) -> list[str]:
    """The addresses that the campaign has not read lately, or for nothing."""
    known = page_store.known(reader, campaign.id, urls, campaign.freshness_seconds)
    late = page_store.rejected_late(reader, campaign.id, urls)
    return [url for url in urls if url not in known or url in late]


@dataclass(frozen=True, slots=True)
class SourceSearch:
    """The result of a run's search: pages in the order of their rank, and its report."""

    pages: Sequence[PlannedPage]
    due: Sequence[DueRecord]
    report: Mapping[str, Any]


def collect(tx: Tx, run_id: UUID, found: SourceSearch, node_patience_seconds: float) -> None:
    """Reserve what the run may cost at most, and make the job that reads its pages.

    Pages are offered to nodes while one was heard of within so many seconds.
    """
    planned = run_store.by_id(tx, run_id)
    campaign = store.lock(tx, planned.campaign_id) if planned else None
    run = run_store.lock(tx, run_id) if campaign else None
    if campaign is None or run is None or run.state != "planned":
        return
    reserved = _reservation(tx, campaign, found)
    hold_id = ids.new() if reserved.amount else None
    due = found.due[: reserved.due]
    record_store.take_due(tx, [each.record_id for each in due])
    pages = [*_again(due), *(found.pages if reserved.new else ())]
    added = page_store.insert(tx, run_id, campaign.id, pages)
    run_store.reserve(
        tx,
        run_id,
        hold_id=hold_id,
        reserved=reserved.amount,
        records_most=reserved.new,
        open_pages=len(added),
        report={**found.report, "pages": len(added)},
    )
    if added:
        _have_read(tx, campaign, run_id, added, node_patience_seconds)
    run_end.close_if_done(tx, run_id)
    if hold_id is not None:
        _hold(tx, campaign, run_id, hold_id, reserved.amount)


def _have_read(
    tx: Tx, campaign: Campaign, run_id: UUID, urls: list[str], node_patience_seconds: float
) -> None:
    body = {
        "source": {"type": "urls", "urls": urls},
        "schema": campaign.body["schema"],
        "max_pages": len(urls),
        "node_patience_seconds": node_patience_seconds,
    }
    page_jobs.submit(
        tx, campaign.account_id, PAGE_JOB, body, kept_seconds=_KEPT_SECONDS, part_of=run_id
    )


def _again(due: Sequence[DueRecord]) -> list[PlannedPage]:
    """A page for each address, with all that is due on it."""
    on_page: dict[str, tuple[UUID, ...]] = {}
    for each in due:
        on_page[each.url] = (*on_page.get(each.url, ()), each.record_id)
    return [PlannedPage(url=url, due_ids=due_ids) for url, due_ids in on_page.items()]


def _reservation(tx: Tx, campaign: Campaign, found: SourceSearch) -> budget.Reservation:
    """Nothing for a campaign that was cancelled while its run was planned."""
    if campaign.ended:
        return budget.Reservation(0, 0, Decimal(0))
    return budget.reservation(
        ledger.balance(tx, LedgerAccount(campaign.id, "escrow"), campaign.token),
        campaign.reward,
        pages=len(found.pages),
        due=len(found.due),
        wanted=run_end.wanted(tx, campaign),
    )


def _hold(tx: Tx, campaign: Campaign, run_id: UUID, hold_id: UUID, amount: Decimal) -> None:
    ledger.hold(
        tx,
        hold_id,
        f"reserve:{run_id}",
        "reserve",
        campaign.token,
        LedgerAccount(campaign.id, "escrow"),
        LedgerAccount(campaign.id, "reserved"),
        amount,
    )
