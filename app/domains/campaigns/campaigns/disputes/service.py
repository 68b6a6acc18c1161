"""Disputes and appeals: a decision about a record was wrong, says who paid for it or who made it.

    open -> upheld | refused, by votes of others than before, an operator, or time

While one is open nothing that the version earned matures. Deciding moves no money: what follows is
a job, whose steps each post one transfer and may be done again.
"""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from app.core import ids, metrics
from app.core.db import Reader, Tx
from app.core.errors import Conflict, NotFound, RateLimited, required
from app.core.ids import Noun
from app.domains.account.audit.service import record_event
from app.domains.campaigns.campaigns import service, store
from app.domains.campaigns.campaigns.disputes import store as dispute_store
from app.domains.campaigns.campaigns.disputes.store import Dispute
from app.domains.campaigns.campaigns.kinds import QUEUE
from app.domains.campaigns.campaigns.records import version_store
from app.domains.campaigns.campaigns.service import RecordNotFound
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.rewards import award_store, shares
from app.domains.campaigns.rewards import service as rewards
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount
from app.domains.queue.jobs import kinds, schedule_store
from app.domains.queue.jobs.service import OPERATOR, enqueue
from app.domains.queue.webhooks import outbox

_LOSSES_COUNT_FROM: Final = 10
_MOST_OPEN: Final = 20
_ASK_AGAIN_SECONDS: Final = 3_600
_UNSETTLED_MINUTES: Final = 15

SETTLE: Final = kinds.register(
    "campaigns.dispute", queue=QUEUE, deadline_seconds=3_600, max_attempts=8, priority=30
)
SWEEP: Final = kinds.register(
    "campaigns.disputes", queue=QUEUE, deadline_seconds=300, priority=20, every_seconds=600
)


class DisputeWindowOver(Conflict):
    """The record is not open to this dispute. You can dispute accepted records and appeal rejected
    records for a limited time after the decision."""

    code = "dispute_window_over"


class AlreadyDisputed(Conflict):
    """This version of the record already has a dispute or appeal."""

    code = "already_disputed"


class DisputeLimit(RateLimited):
    """You can open no more for now: 20 of your disputes and appeals are undecided, or more than
    half of yours were rejected and you have opened one today."""

    code = "dispute_limit"


class DisputeNotFound(NotFound):
    """No dispute has this id."""

    code = "dispute_not_found"


class DisputeEnded(Conflict):
    """This dispute is already decided."""

    code = "dispute_ended"


# Opening. The review is locked before the campaign, and money comes last, as everywhere here.


def dispute(
    tx: Tx,
    account_id: UUID,
    campaign_id: UUID,
    record_id: UUID,
    *,
    category: str,
    reason: str,
    window_hours: float,
) -> Dispute:
    """The funder says that an accepted record should not have been.

    Raises CampaignNotFound, RecordNotFound, DisputeWindowOver, AlreadyDisputed,
    DisputeLimit.
    """
    funded = service.find(tx, account_id, campaign_id)
    shown = version_store.shown(tx, record_id)
    if shown is None or shown.campaign_id != funded.id:
        raise RecordNotFound
    award = award_store.by_version(tx, shown.record_id, shown.version)
    if award is None or award.returned or shown.state != "accepted":
        raise DisputeWindowOver
    _in_time(tx, award.awarded_at, window_hours)
    return _open(
        tx,
        funded,
        shown.record_id,
        shown.version,
        account_id,
        former=shown.state,
        kind="dispute",
        contributor_id=shown.contributor_id,
        category=category,
        reason=reason,
    )


def _in_time(tx: Tx, since: datetime | None, window_hours: float) -> None:
    if since is None or schedule_store.clock(tx) >= since + timedelta(hours=window_hours):
        raise DisputeWindowOver


def appeal(
    tx: Tx, account_id: UUID, record_id: UUID, *, reason: str, window_hours: float
) -> Dispute:
    """The contributor says that a rejected record should have been accepted.

    Its reward is set aside, if the campaign has as much: an appeal that is upheld is paid. Raises
    RecordNotFound, DisputeWindowOver, AlreadyDisputed, DisputeLimit.
    """
    version = dispute_store.contributed(tx, record_id, account_id)
    campaign = store.by_id(tx, version.campaign_id) if version else None
    if version is None or campaign is None:
        raise RecordNotFound
    if version.state not in ("rejected", "unresolved"):
        raise DisputeWindowOver
    _in_time(tx, version.decided_at, window_hours)
    opened = _open(
        tx,
        campaign,
        record_id,
        version.version,
        account_id,
        former=version.state,
        kind="appeal",
        contributor_id=account_id,
        category=None,
        reason=reason,
    )
    _set_aside(tx, opened)
    return opened


def _open(
    tx: Tx,
    campaign: Campaign,
    record_id: UUID,
    version: int,
    account_id: UUID,
    *,
    former: str,
    **stated: Any,
) -> Dispute:
    _limit(tx, account_id)
    opened = dispute_store.insert(
        tx,
        id=ids.new(),
        campaign_id=campaign.id,
        record_id=record_id,
        version=version,
        account_id=account_id,
        funder_id=campaign.account_id,
        **stated,
    )
    if opened is None:
        raise AlreadyDisputed
    if not rewards.freeze(tx, record_id, version):
        raise DisputeWindowOver
    reviews.reopen(tx, record_id, version, campaign.k, former=former)
    _tell(tx, opened)
    return opened


def _limit(tx: Tx, account_id: UUID) -> None:
    """Each open one keeps money of others from moving: who has not been right in ten has few."""
    past = dispute_store.past(tx, account_id)
    is_known = past.decided >= _LOSSES_COUNT_FROM
    loses = past.refused * 2 > past.decided
    if is_known and loses and past.opened_today:
        raise DisputeLimit(retry_after=past.next_seconds)
    if past.open >= _MOST_OPEN and (loses or not is_known):
        raise DisputeLimit(retry_after=_ASK_AGAIN_SECONDS)


def _set_aside(tx: Tx, appealed: Dispute) -> None:
    """The row of the campaign is held meanwhile: whoever ends it returns what it has left."""
    campaign = store.lock(tx, appealed.campaign_id)
    if campaign is None or campaign.ended:
        return
    reward = campaign.reward if appealed.version == 1 else shares.parts(campaign.reward).pool
    escrow, reserved = LedgerAccount(campaign.id, "escrow"), LedgerAccount(campaign.id, "reserved")
    if not reward or ledger.balance(tx, escrow, campaign.token) < reward:
        return
    key = f"appeal:{appealed.id}"
    ledger.hold(tx, appealed.id, key, "appeal", campaign.token, escrow, reserved, reward)
    dispute_store.set_hold(tx, appealed.id)


def _tell(tx: Tx, dispute: Dispute) -> None:
    data = {
        "id": ids.public(Noun.DISPUTE, dispute.id),
        "kind": dispute.kind,
        "status": dispute.state,
        "campaign": ids.public(Noun.CAMPAIGN, dispute.campaign_id),
        "record": ids.public(Noun.CAMPAIGN_RECORD, dispute.record_id),
        "record_version": dispute.version,
    }
    for account_id in {dispute.funder_id, dispute.contributor_id} - {None}:
        if account_id is not None:
            outbox.tell(tx, account_id, "record.disputed", dispute.id, data)


# Deciding.


def decided(tx: Tx, record_id: UUID, version: int, upheld: bool | None) -> None:
    """The votes have decided, in this transaction. None: they have not, and no time is left."""
    _end(tx, record_id, version, bool(upheld), "time" if upheld is None else "votes")


def _end(tx: Tx, record_id: UUID, version: int, upheld: bool, by: str) -> Dispute | None:
    state = "upheld" if upheld else "refused"
    ended = dispute_store.end(tx, record_id, version, state, by)
    if ended is not None:
        _promise(tx, ended)
        _tell(tx, ended)
        tx.after_commit.append(metrics.disputes_decided.labels(ended.kind, state, by).inc)
    return ended


def _promise(tx: Tx, dispute: Dispute) -> None:
    payload = {"dispute_id": str(dispute.id)}
    enqueue(tx, SETTLE, OPERATOR, payload, unique_key=str(dispute.id))


def decide(tx: Tx, id: UUID, upheld: bool) -> Dispute:
    """The operator decides; votes learn from it. Raises DisputeNotFound, DisputeEnded."""
    opened = required(dispute_store.by_id(tx, id), DisputeNotFound)
    reviews.settle_dispute(tx, opened.record_id, opened.version, upheld)
    ended = _end(tx, opened.record_id, opened.version, upheld, "operator")
    if ended is None or ended.id != opened.id:
        raise DisputeEnded
    record_event(
        tx, "dispute.decided", ids.public(Noun.DISPUTE, id), ended.account_id, upheld=upheld
    )
    return ended


def refuse_overdue(tx: Tx, opened: Dispute) -> None:
    """Nobody has decided it in time: what was decided before stands."""
    reviews.settle_dispute(tx, opened.record_id, opened.version, False)
    _end(tx, opened.record_id, opened.version, False, "time")


def promise_unsettled(tx: Tx, most: int) -> int:
    """Of decided ones whose job failed, what follows is promised again; returns how many."""
    late = dispute_store.unsettled(tx, _UNSETTLED_MINUTES, most)
    for dispute in late:
        _promise(tx, dispute)
    return len(late)


# What the job does that settles it, and reading.


def of_campaign(
    reader: Reader, account_id: UUID, campaign_id: UUID, before: UUID | None, limit: int
) -> list[Dispute]:
    """Newest first, one more than `limit`. Raises CampaignNotFound."""
    funded = service.find(reader, account_id, campaign_id)
    return dispute_store.of_campaign(reader, funded.id, before, limit + 1)
