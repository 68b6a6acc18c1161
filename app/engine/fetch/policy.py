"""The limits on what a fetch may reach and cost: every limit, and the operator's allow-list."""

import re
from dataclasses import dataclass, field
from importlib.metadata import version
from ipaddress import ip_network
from typing import Final

from app.engine.fetch.address import IPAddress, IPNetwork

PRODUCT: Final = "Citegrid"  # the token robots.txt groups are matched with
WEB_PORTS: Final = frozenset({80, 443})
GZIP_FILES: Final = frozenset({"application/gzip", "application/x-gzip"})  # sitemap.xml.gz
DOCUMENTS: Final = GZIP_FILES | {
    "application/atom+xml",
    "application/feed+json",
    "application/json",
    "application/ld+json",
    "application/pdf",
    "application/rdf+xml",
    "application/rss+xml",
    "application/xhtml+xml",
    "application/xml",
    "text/html",
    "text/markdown",
    "text/plain",
    "text/x-markdown",
    "text/xml",
}

_ENTRY = re.compile(r"(?P<place>\[[^\[\]]+\]|[^\[\]:]+|[0-9a-fA-F:./]+)(?::(?P<port>[0-9]{1,5}))?")
_NUMERIC = re.compile(r"[0-9./]+|[0-9a-fA-F:./]*:[0-9a-fA-F:./]*")
_HOST = re.compile(r"(?=.{1,253}\Z)(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*")
_CONTACT = re.compile(r"[\x21-\x27\x2a-\x7e]([\x20-\x27\x2a-\x7e]{0,198}[\x21-\x27\x2a-\x7e])?")


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """One name the operator vouches for. `port` None stands for the policy's ports."""

    host: str
    port: int | None = None


@dataclass(frozen=True, slots=True)
class AllowedNetwork:
    """Addresses the operator vouches for. `port` None stands for the policy's ports."""

    network: IPNetwork
    port: int | None = None


AllowEntry = AllowedHost | AllowedNetwork


def parse_allow_list(setting: str) -> tuple[AllowEntry, ...]:
    """Read a comma-separated allow-list: `wiki.corp, wiki.corp:8080, 10.1.0.0/16, [fd00::/8]:81`.

    An address alone is a network of one. Raises ValueError naming the entry that is wrong.
    """
    return tuple(_entry(text.strip()) for text in setting.split(",") if text.strip())


def _entry(text: str) -> AllowEntry:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise ValueError(f"allow-list: {text!r} is not host, host:port, CIDR or CIDR:port")
    port = None if match["port"] is None else int(match["port"])
    if port is not None and not 0 < port < 65536:
        raise ValueError(f"allow-list: {text!r} has a port outside 1-65535")
    place = match["place"].lower()
    bare = place.removeprefix("[").removesuffix("]")
    if bare != place or _NUMERIC.fullmatch(bare):
        return AllowedNetwork(_network(bare, text), port)
    if not _HOST.fullmatch(place):
        raise ValueError(f"allow-list: {text!r} does not name a host")
    return AllowedHost(place, port)


def _network(place: str, text: str) -> IPNetwork:
    try:
        return ip_network(place)
    except ValueError as error:
        raise ValueError(f"allow-list: {text!r} is not a network: {error}") from None


def user_agent(contact: str = "operator") -> str:
    """The honest name of this server; `contact` says how to reach who runs it.

    Raises ValueError when `contact` could not stand in a User-Agent comment (RFC 9110, 5.6.5).
    """
    if not _CONTACT.fullmatch(contact):
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
