"""Campaigns in their states: running, waiting for funds, paused, nearly spent, ended."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from tests.browser.pages import Page
from tests.campaign_history import DISPUTE, History, three_weeks

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("campaigns", "/campaigns"),
    Page("campaigns-none", "/campaigns", "newcomer"),
    Page("campaigns-no-match", "/campaigns?state=ended"),
    Page("campaign-new", "/campaigns/new?idea=prices"),
    Page("campaign", "/campaigns/{campaign}"),
    Page("campaign-begun", "/campaigns/{campaign_begun}"),
    Page("campaign-exhausted", "/campaigns/{campaign_exhausted}"),
    Page("campaign-nearly-spent", "/campaigns/{campaign_nearly_spent}"),
    Page("campaign-fund", "/campaigns/{campaign_begun}/fund?new=1"),
    Page("campaign-records", "/campaigns/{campaign}/records"),
    Page("campaign-record", "/campaigns/{campaign}/records/{campaign_record}"),
    Page("campaign-runs", "/campaigns/{campaign}/runs"),
    Page("campaign-ledger", "/campaigns/{campaign}/ledger"),
    Page("campaign-disputes", "/campaigns/{campaign}/disputes"),
)


def plant(site: "Site") -> None:
    running = three_weeks(site.account)
    site.ids["campaign"], site.ids["campaign_record"] = running.id, running.accepted[0]
    disputed = f"/v1/campaigns/{running.id}/records/{running.accepted[-1]}/dispute"
    site.api("POST", disputed, DISPUTE)
    site.ids["campaign_begun"] = History.begun(site.account, name="Tawny owls in old trees").id
    site.ids["campaign_exhausted"] = exhausted(site).id
    site.ids["campaign_nearly_spent"] = nearly_spent(site).id


def exhausted(site: "Site") -> History:
    history = History.begun(site.account, name="Snowy owls of the north")
    history.fund(30, "2")
    history.run(30, reserved="2", accepted=9)
    history.move("exhausted")
    return history


def nearly_spent(site: "Site") -> History:
    """And paused."""
    ends_at = datetime.now(UTC) + timedelta(days=20)
    history = History.begun(site.account, name="Little owls on posts", ends_at=ends_at)
    history.fund(16, "3")
    history.run(15, reserved="2", accepted=7)
    history.run(8, reserved="1.6", accepted=6, rejected=4)
    site.api("POST", f"/v1/campaigns/{history.id}/pause")
    return history
