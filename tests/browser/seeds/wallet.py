"""Credit that was granted, and spent on campaigns."""

from typing import TYPE_CHECKING

from app.core import db
from tests import builders
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (Page("billing", "/billing"), Page("billing-none", "/billing", "newcomer"))


def plant(site: "Site") -> None:
    with db.transaction() as tx:
        builders.credit(tx, site.account, "25")
