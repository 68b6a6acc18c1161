"""What a mixed load works on: pages about lighthouses, pages with prices, a receiver of webhooks.

All of it is on loopback: an installation needs the settings in `World.settings`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from itertools import count
from typing import Any, Final, NamedTuple

from tests.internet import Internet, running
from tests.mixed.receiver import Receiver, receiving

_FIRST: Final = ("Arven", "Brem", "Cald", "Dorn", "Elsk", "Fyr", "Garn", "Holm", "Ister", "Jarl")
_LAST: Final = ("mouth", "ness", "sund", "wick")
FIELDS: Final = ("name", "built", "height")
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "built": {"type": "integer"},
        "height": {"type": "integer"},
    },
    "required": ["name"],
}
_GENEROUS: Final = {
    "RATE_LIMIT_WRITE": "1000000/minute",
    "RATE_LIMIT_READ": "1000000/minute",
    "RATE_LIMIT_NODE": "1000000/minute",
    "RATE_LIMIT_ANONYMOUS": "1000000/minute",
    "ACCOUNT_QUEUE_LIMIT": "20000",
    "SEARCH_DEADLINE_SECONDS": "3600",
    "FETCH_GAP_SECONDS": "0",
    "NODES_ADMISSION": "open",
    "CAMPAIGN_NODE_PATIENCE_SECONDS": "120",
    "REVIEW_ALONE_SECONDS": "120",
    "EMBEDDINGS_PACKAGED": "false",
    "LOG_LEVEL": "WARNING",
}


class Lighthouse(NamedTuple):
    """One page; `n` makes all that it says different from the other pages."""

    n: int

    @property
    def name(self) -> str:
        return _FIRST[self.n // len(_LAST)] + _LAST[self.n % len(_LAST)]

    @property
    def built(self) -> int:
        return 1790 + 3 * self.n

    @property
    def height(self) -> int:
        return 12 + self.n

    @property
    def path(self) -> str:
        return f"/lighthouses/{self.name.lower()}"

    @property
    def question(self) -> str:
        return f"In which year was the lighthouse of {self.name} built?"

    @property
    def record(self) -> dict[str, Any]:
        return {"name": self.name, "built": self.built, "height": self.height}

    def page(self) -> str:
        rows = "".join(
            f"<tr><th>{name.capitalize()}</th><td>{escape(str(self.record[name]))}</td></tr>"
            for name in FIELDS
        )
        return (
            f"<html lang=en><head><title>{self.name}</title></head><body><main>"
            f"<h1>{self.name}</h1><p>The lighthouse of {self.name} was built in {self.built} by"
            f" the fishermen of the bay. Its lamp stands {self.height} metres above the water and"
            f" is seen by every ship that passes {self.name} at night.</p>"
            f"<table>{rows}</table></main></body></html>"
        )


LIGHTHOUSES: Final = tuple(Lighthouse(n) for n in range(len(_FIRST) * len(_LAST)))


@dataclass(frozen=True, slots=True)
class World:
    """The local pages and the receiver, while they run."""

    site: Internet
    receiver: Receiver
    lamps: Iterator[int] = field(default_factory=count)
    """A number for each page that a monitor watches: several loads may run at once."""

    @property
    def address(self) -> str:
        """Where the site of lighthouses begins."""
        return f"{self.site.url}/lighthouses/"

    @property
    def settings(self) -> dict[str, str]:
        """What an installation must be started with."""
        pages = f"127.0.0.1:{self.site.port},localhost:{self.site.port}"
        return _GENEROUS | {
            "FETCH_ALLOW": pages,
            "EXTRACT_FETCH_ALLOW": pages,
            "WEBHOOK_ALLOW": f"127.0.0.1:{self.receiver.port}",
        }

    def set_price(self, lamp: int, price: int) -> str:
        """Publish the page that a monitor watches; its address."""
        path = f"/prices/{lamp}"
        self.site.pages[path] = (
            f"<html lang=en><head><title>Lamp {lamp}</title></head><body><main>"
            f"<h1>Lamp {lamp}</h1><p>A lamp of alder wood for the desk, made to order.</p>"
            f"<table><tr><th>Name</th><td>Lamp {lamp}</td></tr>"
            f"<tr><th>Price</th><td>${price}.50</td></tr></table></main></body></html>"
        )
        return self.site.url + path


@contextmanager
def world() -> Iterator[World]:
    with running() as site, receiving() as receiver:
        for each in LIGHTHOUSES:
            site.pages[each.path] = each.page()
        links = "".join(f'<li><a href="{each.path}">{each.name}</a></li>' for each in LIGHTHOUSES)
        site.pages["/lighthouses/"] = (
            f"<html lang=en><head><title>All of them</title></head><body><ul>{links}</ul></body>"
        )
        yield World(site, receiver)
