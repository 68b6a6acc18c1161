"""The navigation: where one can go from every page."""

from typing import Final, NamedTuple

from flask import request

from app.domains.account.accounts.preferences import Viewer


class Link(NamedTuple):
    """An address of this site, and what it is called."""

    address: str
    text: str


MAIN: Final = (
    Link("/", "Ask"),
    Link("/searches", "Searches"),
    Link("/extractions", "Extractions"),
    Link("/monitors", "Monitors"),
    Link("/campaigns", "Campaigns"),
    Link("/offers", "Offers"),
)
OPERATING: Final = (Link("/ops", "Operations"), Link("/corpora", "Corpora"))
STRANGER: Final = (Link("/", "Ask"), Link("/offers", "Offers"), Link("/docs", "API"))
ACCOUNT: Final = (
    Link("/api-keys", "API keys"),
    Link("/connect", "Connect"),
    Link("/requests", "Requests"),
    Link("/usage", "Usage"),
    Link("/webhooks", "Webhooks"),
    Link("/workflows", "Workflows"),
    Link("/memory", "Memory"),
    Link("/nodes", "My nodes"),
    Link("/provider", "My offers"),
    Link("/rewards", "Rewards"),
    Link("/wallet", "Wallet"),
    Link("/sessions", "Sessions"),
    Link("/settings", "Settings"),
)


def main_links(viewer: Viewer | None) -> tuple[Link, ...]:
    """The bar at the top."""
    if viewer is None:
        return STRANGER
    return MAIN + OPERATING if viewer.operator else MAIN


def is_here(address: str) -> bool:
    """True if this page is the one at the address or below it."""
    return request.path == address or (address != "/" and request.path.startswith(f"{address}/"))
