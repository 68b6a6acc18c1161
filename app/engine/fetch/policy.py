"""The limits on what a fetch may reach and cost: every limit, and what the operator allows."""

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Final

from app.core.config.addresses import FETCH_CONTACT
from app.core.config.allow_list import AllowedHost, AllowedNetwork, AllowEntry
from app.engine.fetch.address import IPAddress

PRODUCT: Final = "Citegrid"  # the token robots.txt groups are matched with
WEB_PORTS: Final = frozenset({80, 443})
GZIP_FILES: Final = frozenset({"application/gzip", "application/x-gzip"})  # sitemap.xml.gz
DOCUMENTS: Final = GZIP_FILES | {
    "application/atom+xml",
    "application/epub+zip",
    "application/feed+json",
    "application/json",
    "application/ld+json",
    "application/pdf",
    "application/rdf+xml",
    "application/rss+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/xhtml+xml",
    "application/xml",
    "text/csv",
    "text/html",
    "text/markdown",
    "text/plain",
    "text/tab-separated-values",
    "text/x-markdown",
    "text/xml",
}


def user_agent(contact: str = "operator") -> str:
    """The honest name of this server; `contact` says how to reach who runs it.

    Raises ValueError when `contact` could not stand in a User-Agent comment (RFC 9110, 5.6.5).
    """
    if not FETCH_CONTACT.fullmatch(contact):
        raise ValueError("contact: 1-200 printable ASCII characters without parentheses")
    return f"{PRODUCT}/{version('citegrid-server')} (self-hosted; contact: {contact})"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchPolicy:
    """Every limit of a fetch. Times in seconds, sizes in bytes.

    `media_types` None takes any. `truncate` cuts a body at its limit instead of refusing it.
    """

    user_agent: str = field(default_factory=user_agent)
    ports: frozenset[int] = WEB_PORTS
    allow: tuple[AllowEntry, ...] = ()
    media_types: frozenset[str] | None = DOCUMENTS
    max_url_chars: int = 2048
    max_redirects: int = 5
    max_wire_bytes: int = 2 << 20
    max_body_bytes: int = 5 << 20
    truncate: bool = False
    dns_seconds: float = 3.0
    connect_seconds: float = 3.0
    read_seconds: float = 5.0
    total_seconds: float = 20.0

    def lists_host(self, host: str, port: int) -> bool:
        """True if the operator vouches for exactly this name at this port."""
        return any(
            isinstance(entry, AllowedHost) and entry.host == host and self._covers(entry, port)
            for entry in self.allow
        )

    def lists_address(self, address: IPAddress, port: int) -> bool:
        """True if the operator vouches for exactly this address at this port."""
        return any(
            isinstance(entry, AllowedNetwork)
            and address in entry.network
            and self._covers(entry, port)
            for entry in self.allow
        )

    def lists_network_port(self, port: int) -> bool:
        """True if some listed network has this port, so that a name may turn out to be in it."""
        return any(isinstance(entry, AllowedNetwork) and entry.port == port for entry in self.allow)

    def _covers(self, entry: AllowEntry, port: int) -> bool:
        return port in self.ports if entry.port is None else port == entry.port
