"""What somebody's nodes earned: pending, available, requested, refused."""

from decimal import Decimal
from typing import TYPE_CHECKING

from app.core import db
from app.domains.campaigns.rewards import payouts
from tests import builders
from tests.browser.pages import Page
from tests.campaign_history import History

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("rewards", "/rewards"),
    Page("rewards-none", "/rewards", "newcomer"),
    Page("rewards-no-match", "/rewards?role=validator"),
    Page("payout-new", "/rewards/payouts/new"),
    Page("payout-new-none", "/rewards/payouts/new", "newcomer"),
    Page("payouts", "/rewards/payouts"),
    Page("reward-disputes", "/rewards/disputes", "newcomer"),
    Page("appeal", "/rewards/appeals/new"),
)


def plant(site: "Site") -> None:
    history = History.begun(site.operator, name="Owls of others", maker=site.account)
    history.fund(2, "4")
    history.run(1, reserved="2", accepted=5, rejected=1)
    with db.transaction() as tx:
        for amount in ("0.0031", "12.25", "0.000000401"):
            builders.reward(tx, site.account, amount)
        refused = payouts.request_payout(tx, site.account, "USD", Decimal(5), "DE02 1203 0000 0000")
        payouts.refuse_payout(tx, refused.id, "This IBAN does not exist.")
        settled = payouts.request_payout(tx, site.account, "USD", Decimal(3), "ada@bank.example")
        payouts.settle_payout(tx, settled.id, "transfer 2026-11-20/7")
        payouts.request_payout(tx, site.account, "USD", Decimal("1.5"), "ada@bank.example")
