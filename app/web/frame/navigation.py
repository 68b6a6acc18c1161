"""The navigation: where one can go from every page."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from flask import request

from app.domains.account.accounts.preferences import Viewer


class Link(NamedTuple):
    address: str
    text: str


class Section(NamedTuple):
    """Pages that belong together. Its entry in the bar leads to the first."""

    text: str
    links: tuple[Link, ...]


MAIN: Final = (
    Section(
        "Ask",
        (
            Link("/", "Ask"),
            Link("/searches", "Searches"),
            Link("/documents", "Documents"),
            Link("/memory", "Memory"),
        ),
    ),
    Section(
        "Data",
        (
            Link("/extractions", "Extractions"),
            Link("/monitors", "Monitors"),
            Link("/workflows", "Workflows"),
        ),
    ),
    Section("Campaigns", (Link("/campaigns", "Campaigns"),)),
    Section(
        "Market",
        (
            Link("/offers", "Offers"),
            Link("/provider", "My offers"),
            Link("/nodes", "My nodes"),
            Link("/rewards", "Rewards"),
        ),
    ),
    Section(
        "Developers",
        (
            Link("/api-keys", "API keys"),
            Link("/connect", "Connect"),
            Link("/requests", "Requests"),
            Link("/webhooks", "Webhooks"),
            Link("/docs", "API"),
        ),
    ),
    Section("Billing", (Link("/billing", "Billing"),)),
)
OPERATIONS: Final = Section("Operations", (Link("/ops", "Operations"), Link("/corpora", "Corpora")))
STRANGER: Final = tuple(
    Section(link.text, (link,))
    for link in (Link("/", "Ask"), Link("/offers", "Offers"), Link("/docs", "API"))
)
_OWN_PATH: Final = re.compile(r"/(?![/\\])[!-~]{0,500}")
ACCOUNT: Final = (Link("/sessions", "Sessions"), Link("/settings", "Settings"))


def sections(viewer: Viewer | None) -> tuple[Section, ...]:
    if viewer is None:
        return STRANGER
    return (*MAIN, OPERATIONS) if viewer.operator else MAIN


def current(sections: Sequence[Section]) -> Section | None:
    here = (each for each in sections if any(is_here(link.address) for link in each.links))
    return next(here, None)


def is_here(address: str) -> bool:
    """True if this page is the one at the address or below it."""
    return request.path == address or (address != "/" and request.path.startswith(f"{address}/"))


def own_path(text: str) -> str:
    """The text if it is a path of this site, whatever a link asks for; else nothing."""
    return text if _OWN_PATH.fullmatch(text) else ""
