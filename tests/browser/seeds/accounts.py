"""Signing up and in, sessions, settings, errors."""

from typing import TYPE_CHECKING

from app.core import db
from app.core.actor import Actor, acting
from app.domains.account.audit.service import record_event
from tests.browser.pages import Page

if TYPE_CHECKING:
    from tests.browser.site import Site

PAGES = (
    Page("sign-up", "/sign-up", None),
    Page("sign-in", "/sign-in", None),
    Page("sessions", "/sessions"),
    Page("settings", "/settings"),
    Page("your-data", "/settings/data"),
    Page("audit-log", "/settings/audit"),
    Page("styleguide", "/styleguide"),
    Page("not-found", "/nothing/here", status=404),
    Page("not-found-stranger", "/nothing/here", None, status=404),
)


def plant(site: "Site") -> None:
    """The accounts are the site's own; of one it is known what was done."""
    owner = Actor(kind="session", account_id=site.account, address="192.0.2.7")
    with db.transaction() as tx, acting(owner):
        record_event(tx, "session.started", browser="Firefox on Linux")
        record_event(tx, "key.created", "key_" + "a" * 26, name="nightly", scopes=["search"])
        record_event(tx, "webhook.changed", "wh_" + "b" * 26, url="https://example.org/" + "x" * 90)
    with db.transaction() as tx, acting(Actor(kind="cli", name="somebody at a desk")):
        record_event(tx, "credit.granted", None, site.account, amount="25", token="USD")
