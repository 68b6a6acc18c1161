"""Ends a run and updates its campaign: returns money, sends events to owners.

Whoever ends the last page or the last record of a run promises that it is closed.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core import amounts, ids
from app.core.db import Reader, Tx
from app.core.ids import Noun
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.kinds import CLOSE, STOP
from app.domains.campaigns.campaigns.money import alert_values
from app.domains.campaigns.campaigns.records import record_store, version_store
from app.domains.campaigns.campaigns.runs import page_store, run_store
from app.domains.campaigns.campaigns.runs.run_store import CampaignRun
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews import vote_store
from app.domains.campaigns.rewards import shares
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.queue.jobs import schedule_store
from app.domains.queue.jobs.service import OPERATOR, enqueue
from app.domains.queue.webhooks import outbox

_OPEN: Final = ("planned", "collecting", "reviewing")


def close_if_done(tx: Tx, run_id: UUID) -> None:
    """Go on to the next state if nothing of this one is open; the caller has locked the run."""
    run = run_store.lock(tx, run_id)
    if run is None or run.state not in _OPEN or run.open_pages:
        return
    if run.open_records:
        run_store.move(tx, run_id, ("collecting",), "reviewing")
    elif run_store.move(tx, run_id, _OPEN, "closing"):
        promise_close(tx, run_id)


def promise_close(tx: Tx, run_id: UUID) -> None:
    enqueue(tx, CLOSE, OPERATOR, {"run_id": str(run_id)}, unique_key=str(run_id))


def promise_stop(tx: Tx, run: CampaignRun, campaign: Campaign, *, undecided: bool) -> None:
    """Let the run collect no more; with `undecided`, let it wait for no vote either."""
    payload = {"run_id": str(run.id), "undecided": undecided}
    key = f"{run.id} {undecided}"
    enqueue(tx, STOP, campaign.account_id, payload, unique_key=key)


def share_pool(tx: Tx, run_id: UUID) -> None:
    """Divide the pool of a run that closes among the votes that agreed; done twice, done once.

    It is a transaction of its own: one that moves money twice may lock it in two orders.
    """
    run = run_store.lock(tx, run_id)
    campaign = store.by_id(tx, run.campaign_id) if run else None
    if run is None or campaign is None or run.state != "closing":
        return
    pool = ledger.balance(tx, LedgerAccount(run.id, "pool"), campaign.token)
    if not pool:
        return
    votes = vote_store.agreed(tx, version_store.judged(tx, run.id))
    of_run = shares.RunPool(campaign.id, run.id, campaign.token)
    shared = shares.share_pool(tx, of_run, votes)
    run_store.note(tx, run_id, {"pool_returned": amounts.text(pool - shared)})


def close(tx: Tx, run_id: UUID) -> bool:
    """Release what was not spent, and move the campaign on. False: it is closed."""
    before = run_store.by_id(tx, run_id)
    campaign = store.lock(tx, before.campaign_id) if before else None
    run = run_store.lock(tx, run_id) if campaign else None
    if campaign is None or run is None or run.state != "closing":
        return False
    report = _report(tx, run)
    spent = _release(tx, campaign, run)
    run_store.close(tx, run_id, spent=spent, report=report)
    _tell_closed(tx, campaign, run, spent, report)
    alert_values.observe_spending(tx, campaign.id)
    _move_on(tx, campaign, run)
    return True


def _report(tx: Tx, run: CampaignRun) -> dict[str, Any]:
    """Reports what the run came to, beside what its planning found."""
    tally, pages = version_store.tally(tx, run.id), page_store.tally(tx, run.id)
    return {
        "candidates": sum(tally[name] for name in ("accepted", "rejected", "unresolved")),
        **{name: tally[name] for name in ("accepted", "rejected", "unresolved", "duplicates")},
        "outcomes": pages.outcomes,
        "left_over": pages.left_over,
        "built_in": {"extracted": pages.built_in, "validated": tally["built_in"]},
    }


def _release(tx: Tx, campaign: Campaign, run: CampaignRun) -> Decimal:
    """Returns what the run did not need of its reservation; the rest is what it cost."""
    if run.hold_id is None:
        return Decimal(0)
    escrow = LedgerAccount(campaign.id, "escrow")
    left = ledger.release(tx, run.hold_id, f"release:{run.id}", "release", escrow) or Decimal(0)
    return run.reserved - left - Decimal(run.report.get("pool_returned", "0"))


def _move_on(tx: Tx, campaign: Campaign, run: CampaignRun) -> None:
    """The campaign's next state; what an ended one has left returns."""
    if campaign.ended:
        refund(tx, campaign, str(run.id))
        return
    over = campaign.ends_at is not None and campaign.ends_at <= schedule_store.clock(tx)
    if wanted(tx, campaign) == 0:
        end(tx, campaign, "completed")
    elif over:
        end(tx, campaign, "ended")
    else:
        exhaust_if_short(tx, campaign)


def exhaust_if_short(tx: Tx, campaign: Campaign) -> None:
    """Exhausts a campaign that has less than a record costs: nothing happens until money comes.

    A paused campaign stays so: money alone must not resume it.
    """
    left = ledger.balance(tx, LedgerAccount(campaign.id, "escrow"), campaign.token)
    if left < campaign.reward and store.move(tx, campaign.id, ("active",), "exhausted"):
        retire_schedule(tx, campaign)
        tell(tx, campaign, "campaign.exhausted", {"state": "exhausted"})


def finish_if_idle(tx: Tx, campaign: Campaign) -> None:
    """End a campaign whose time is over, unless a run is open: then its close does."""
    if not campaign.ended and run_store.open_of(tx, campaign.id) is None:
        end(tx, campaign, "ended")


def end(tx: Tx, campaign: Campaign, state: str) -> None:
    """Let a campaign be over, and return what it has left."""
    since = ("awaiting_funds", "active", "paused", "exhausted")
    if not store.move(tx, campaign.id, since, state, ends=True):
        return
    retire_schedule(tx, campaign)
    refund(tx, campaign, state)
    if state == "completed":
        tell(tx, campaign, "campaign.completed", {"state": state})
    alert_values.observe_end(tx, campaign)


def retire_schedule(tx: Tx, campaign: Campaign) -> None:
    if campaign.schedule_id is not None:
        store.set_schedule(tx, campaign.id, None)
        schedule_store.delete(tx, campaign.schedule_id)


def refund(tx: Tx, campaign: Campaign, occasion: str) -> None:
    """Return what no run has reserved to the credit of its account."""
    left = ledger.balance(tx, LedgerAccount(campaign.id, "escrow"), campaign.token)
    if left <= 0:
        return
    store.count_money(tx, campaign.id, refunded=left)
    ledger.post(
        tx,
        f"refund:{campaign.id}:{occasion}",
        "refund",
        campaign.token,
        LedgerLine(campaign.id, "escrow", -left),
        LedgerLine(campaign.account_id, "credit", left),
    )


def _tell_closed(
    tx: Tx, campaign: Campaign, run: CampaignRun, spent: Decimal, report: Mapping[str, Any]
) -> None:
    counts = {name: report[name] for name in ("candidates", "accepted", "rejected", "unresolved")}
    data = {
        "run": ids.public(Noun.CAMPAIGN_RUN, run.id),
        "counts": counts,
        "spent": amounts.text(spent),
    }
    tell(tx, campaign, "run.closed", data)


def tell(tx: Tx, campaign: Campaign, event: str, data: Mapping[str, Any]) -> None:
    """Promise an event to whoever of the account wants to hear it."""
    whole = {"id": ids.public(Noun.CAMPAIGN, campaign.id), **data}
    outbox.tell(tx, campaign.account_id, event, campaign.id, whole)


# What is late.


def stop_late(tx: Tx, run_id: UUID) -> None:
    run = run_store.by_id(tx, run_id)
    campaign = store.by_id(tx, run.campaign_id) if run else None
    if run is not None and campaign is not None:
        promise_stop(tx, run, campaign, undecided=True)


def end_in_time(tx: Tx, campaign_id: UUID) -> None:
    campaign = store.lock(tx, campaign_id)
    if campaign is not None:
        finish_if_idle(tx, campaign)


def end_reviews(tx: Tx, run_id: UUID, most: int) -> int:
    """Let some of the undecided records of a run be unresolved; how many."""
    undecided = version_store.undecided(tx, run_id, most)
    for record_id, version in undecided:
        reviews.close(tx, record_id, version)
    return len(undecided)


def wanted(reader: Reader, campaign: Campaign) -> int:
    """The number of fresh records that the campaign lacks."""
    fresh = record_store.fresh(reader, [campaign.id]).get(campaign.id, 0)
    return max(0, campaign.records_target - fresh)
