"""Values that alerts about a campaign look at: the share of its funds that is spent, its end."""

from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.campaigns.campaigns import store
from app.domains.campaigns.campaigns.money import progress
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.queue.alerts import observations
from app.domains.queue.alerts import store as alert_store


def owns(reader: Reader, account_id: UUID, campaign_id: UUID) -> bool:
    return store.of_account(reader, campaign_id, account_id) is not None


def observe_spending(tx: Tx, campaign_id: UUID) -> None:
    """After a run has spent, or funds were added."""
    alerts = [
        alert
        for alert in alert_store.listening(tx, campaign_id)
        if alert.condition == "budget_spent"
    ]
    campaign = store.by_id(tx, campaign_id) if alerts else None
    if campaign is None:
        return
    percent = _spent_percent(tx, campaign)
    for alert in alerts:
        observations.measure(tx, alert, percent, _title(campaign))


def _spent_percent(reader: Reader, campaign: Campaign) -> float:
    funds = campaign.funded - campaign.refunded
    return float(100 * progress.progress_of(reader, campaign).spent / funds) if funds > 0 else 0.0


def observe_end(tx: Tx, campaign: Campaign) -> None:
    """The campaign is complete, or its time is over."""
    for alert in alert_store.listening(tx, campaign.id):
        if alert.condition == "ended":
            observations.happened(tx, alert, _title(campaign))


def _title(campaign: Campaign) -> str:
    return f'"{campaign.body["objective"]}"'
