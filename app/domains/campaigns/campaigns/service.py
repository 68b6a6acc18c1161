"""Campaigns: accepting, funding, pausing, cancelling; and what their owners read of them.

    awaiting_funds -> active <-> paused -> completed | exhausted | ended | cancelled
    exhausted -> active by a top-up

Money moves behind a change of state, in the same transaction. What a run does is in `runs`.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core import amounts, ids
from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound, required
from app.core.http.fields import rfc3339
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.campaigns.campaigns import budget, store
from app.domains.campaigns.campaigns.money import alert_values
from app.domains.campaigns.campaigns.records import record_store, version_store
from app.domains.campaigns.campaigns.records.record_store import CampaignRecord
from app.domains.campaigns.campaigns.runs import page_store, run, run_end, run_store
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews.service import judge_for_payer
from app.domains.library.passages import snapshots
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger import store as ledger_store
from app.domains.money.ledger.store import EntryRow, LedgerAccount, LedgerLine
from app.domains.queue.jobs import schedule_store, schedules

NOT_ENDED: Final = ("awaiting_funds", "active", "paused", "exhausted")


class CampaignNotFound(NotFound):
    """No campaign with this id was found."""

    code = "campaign_not_found"


class CampaignState(Conflict):
    """The state of this campaign does not allow this operation."""

    code = "campaign_state"


class RecordNotFound(NotFound):
    """No record with this id belongs to your campaign or your nodes."""

    code = "record_not_found"


class RecordDecided(Conflict):
    """This record is decided, or you have judged it before. You can dispute a record that was
    wrongly accepted."""

    code = "record_decided"


class RewardTooSmall(Invalid):
    """The budget is too small: each record needs at least 0.000000001."""

    code = "reward_too_small"


def create(tx: Tx, account_id: UUID, body: Mapping[str, Any]) -> Campaign:
    """Accept a checked body; nothing happens before it is funded. Raises RewardTooSmall."""
    requirements, paid = body["data_requirements"], body["reward_budget"]
    reward = budget.reward_of(paid["amount"], requirements["records_target"])
    if reward <= 0:
        problem = "Less than 0.000000001 for each of `records_target`."
        raise RewardTooSmall.at("/reward_budget/amount", problem)
    id = ids.new()
    freshness = requirements["freshness_seconds"]
    store.insert(
        tx,
        id=id,
        account_id=account_id,
        body=_stored(body),
        token=paid["token"],
        reward=reward,
        records_target=requirements["records_target"],
        k=body["validation"]["min_validators"],
        freshness_seconds=freshness,
        cadence_seconds=body.get("cadence_seconds") or freshness,
        starts_at=body.get("starts_at"),
        ends_at=body.get("ends_at"),
    )
    record_event(tx, "campaign.created", ids.public(Noun.CAMPAIGN, id), account_id)
    return any_account(tx, id)


def _stored(body: Mapping[str, Any]) -> dict[str, Any]:
    paid = body["reward_budget"]
    return {
        **body,
        "reward_budget": {**paid, "amount": amounts.text(paid["amount"])},
        **{at: rfc3339(body.get(at)) for at in ("starts_at", "ends_at")},
    }


def find(reader: Reader, account_id: UUID, id: UUID) -> Campaign:
    """A campaign of this account. Raises CampaignNotFound, also for another account's."""
    return required(store.of_account(reader, id, account_id), CampaignNotFound)


def _lock(tx: Tx, account_id: UUID, id: UUID) -> Campaign:
    return required(store.lock_of_account(tx, id, account_id), CampaignNotFound)


# What its owner does with it.


def fund(tx: Tx, account_id: UUID, id: UUID, amount: Decimal) -> Campaign:
    """Move credit of the account into the campaign's escrow, which may begin or reopen it.

    Raises CampaignNotFound, CampaignState, InsufficientCredit.
    """
    campaign = _lock(tx, account_id, id)
    if campaign.state not in NOT_ENDED:
        raise CampaignState
    store.count_money(tx, campaign.id, funded=amount)
    ledger.post(
        tx,
        f"fund:{ids.new()}",
        "fund",
        campaign.token,
        LedgerLine(account_id, "credit", -amount),
        LedgerLine(campaign.id, "escrow", amount),
    )
    go_on(tx, campaign)
    record_event(
        tx,
        "campaign.funded",
        ids.public(Noun.CAMPAIGN, id),
        account_id,
        amount=amounts.text(amount),
    )
    alert_values.observe_spending(tx, campaign.id)
    return any_account(tx, campaign.id)


def go_on(tx: Tx, campaign: Campaign) -> None:
    """Let a campaign that waits for money run if its escrow pays for a record."""
    if escrow_of(tx, campaign) < campaign.reward:
        return
    if store.move(tx, campaign.id, ("awaiting_funds", "exhausted"), "active"):
        payload = {"campaign_id": str(campaign.id)}
        now = schedule_store.clock(tx)
        schedule_id = schedules.add(
            tx,
            run.RUN,
            campaign.account_id,
            payload,
            every_seconds=campaign.cadence_seconds,
            starts_at=max(now, campaign.starts_at or now),
        )
        store.set_schedule(tx, campaign.id, schedule_id)


def pause(tx: Tx, account_id: UUID, id: UUID) -> Campaign:
    """Pass over the ticks to come; an open run goes on. Raises CampaignNotFound, CampaignState."""
    return _toggle(tx, account_id, id, "active", "paused")


def resume(tx: Tx, account_id: UUID, id: UUID) -> Campaign:
    """Let a paused campaign go on, or wait for money. Raises CampaignNotFound, CampaignState."""
    resumed = _toggle(tx, account_id, id, "paused", "active")
    if run_store.open_of(tx, id) is None:
        run_end.exhaust_if_short(tx, resumed)
    return any_account(tx, id)


def _toggle(tx: Tx, account_id: UUID, id: UUID, since: str, to: str) -> Campaign:
    """Done twice, it is done once."""
    campaign = _lock(tx, account_id, id)
    if campaign.state == to:
        return campaign
    if not store.move(tx, campaign.id, (since,), to):
        raise CampaignState
    action = "campaign.resumed" if to == "active" else "campaign.paused"
    record_event(tx, action, ids.public(Noun.CAMPAIGN, id), account_id)
    return any_account(tx, campaign.id)


def cancel(tx: Tx, account_id: UUID, id: UUID) -> Campaign:
    """End a campaign. What no run has reserved returns at once, the rest as the run closes; what
    was submitted is still judged and paid. An ended one is returned unchanged."""
    campaign = _lock(tx, account_id, id)
    if store.move(tx, campaign.id, NOT_ENDED, "cancelled", ends=True):
        run_end.retire_schedule(tx, campaign)
        run_end.refund(tx, campaign, "cancel")
        record_event(tx, "campaign.cancelled", ids.public(Noun.CAMPAIGN, id), account_id)
        open_run = run_store.open_of(tx, campaign.id)
        if open_run is not None:
            run_end.promise_stop(tx, open_run, campaign, undecided=False)
    return any_account(tx, campaign.id)


# What its owner reads.


def escrow_of(reader: Reader, campaign: Campaign) -> Decimal:
    """The money that no run has reserved."""
    return ledger.balance(reader, LedgerAccount(campaign.id, "escrow"), campaign.token)


def record_of(reader: Reader, campaign: Campaign, id: UUID) -> CampaignRecord:
    """One record. Raises RecordNotFound, also for another campaign's."""
    return required(record_store.of_campaign(reader, campaign.id, id), RecordNotFound)


def entries_of(
    reader: Reader, campaign: Campaign, before: UUID | None, limit: int
) -> list[EntryRow]:
    """The movements of the campaign's accounts and its runs' pools, newest first."""
    owners = [campaign.id, *run_store.ids_of(reader, campaign.id)]
    return ledger_store.entries(reader, owners, before, limit + 1)


def any_account(reader: Reader, id: UUID) -> Campaign:
    """A campaign whoever owns it. Raises CampaignNotFound."""
    return required(store.by_id(reader, id), CampaignNotFound)


def retire_pages(tx: Tx, kept_days: float, most: int = 1_000) -> int:
    """Forget how pages were read long ago; how many, at most so many."""
    released = page_store.retire(tx, kept_days, most)
    snapshots.release(tx, released)
    return len(released)


def judge(tx: Tx, campaign: Campaign, record_id: UUID, *, accepts: bool) -> CampaignRecord:
    """Keep the owner's verdict on an undecided record. Raises RecordNotFound, RecordDecided."""
    found = record_of(tx, campaign, record_id)
    if found.owner_verdict is accepts:
        return found
    if not judge_for_payer(tx, found.id, found.version, accepts=accepts):
        raise RecordDecided
    version_store.judged_by_owner(tx, found.id, found.version, accepts)
    return record_of(tx, campaign, record_id)
