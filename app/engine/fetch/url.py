"""The one URL parser: a hostile string in, one canonical target or a refusal out."""

import re
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final
from urllib.parse import quote, urljoin

import idna

from app.engine.fetch.address import IPAddress, is_public
from app.engine.fetch.failure import FetchFailed
from app.engine.fetch.policy import FetchPolicy

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
# RFC 6761 and 6762 special names, RFC 8375, RFC 9476, and what private networks use in practice.
_PRIVATE_SUFFIXES: Final = frozenset(
    {
        "localhost",
        "local",
        "localdomain",
        "internal",
        "intranet",
        "private",
        "corp",
        "home",
        "lan",
        "test",
        "invalid",
        "example",
        "onion",
        "arpa",
        "svc",
        "alt",
    }
)
_PATH_SAFE: Final = "/%:@!$&'()*+,;=~-._"
_QUERY_SAFE: Final = _PATH_SAFE + "?[]"

_REFUSED_CHARACTER = re.compile(r"[\x00-\x20\x7f\\\s\ud800-\udfff]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# RFC 3986, appendix B, for a URL that must have an authority.
_PARTS = re.compile(r"//(?P<authority>[^/?#]*)(?P<path>[^?#]*)(?:\?(?P<query>[^#]*))?(?:#.*)?")
_BRACKETED = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?")
_NAMED = re.compile(r"(?P<host>[^:\[\]%]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class Target:
    """A URL that passed: `host` is lower-case ASCII, `path` starts with "/" and holds the query.

    `address` is set when the host is an IP literal. `listed` says that an entry of the operator's
    allow-list names this very host (or literal address) and port.
    """

    scheme: str
    host: str
    port: int
    path: str
    address: IPAddress | None = None
    listed: bool = False

    @property
    def origin(self) -> str:
        """Scheme, host and port (RFC 6454), the default port left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}"

    @property
    def url(self) -> str:
        """The canonical URL; parsing it gives this target again."""
        return self.origin + self.path


def parse(raw: str, policy: FetchPolicy) -> Target:
    """The target `raw` names under `policy`; WHATWG host rules, stricter where they are lenient.

    Raises FetchFailed: invalid_url, scheme_, credentials_, host_, port_ or address_not_allowed.
    """
    if not 0 < len(raw) <= policy.max_url_chars or _REFUSED_CHARACTER.search(raw):
        raise FetchFailed("invalid_url")
    scheme, parts = _split(raw)
    host, port_text = _host_and_port(parts["authority"])
    host, address = _canonical_host(host)
    port = int(port_text) if port_text else DEFAULT_PORTS[scheme]
    if not 0 < port < 65536:
        raise FetchFailed("invalid_url", host)
    target = Target(
        scheme,
        host,
        port,
        _canonical_path(parts["path"], parts["query"]),
        address,
        listed=_is_listed(host, address, port, policy),
    )
    if not target.listed:
        _judge(target, policy)
    if len(target.url) > policy.max_url_chars:
        raise FetchFailed("invalid_url", host)
    return target


def redirect_target(location: str, base: Target, policy: FetchPolicy) -> Target:
    """The target of a Location header, read as Latin-1. Raises FetchFailed as `parse` does."""
    try:
        text = location.encode("latin-1").decode("utf-8")
        if _REFUSED_CHARACTER.search(text):
            raise FetchFailed("invalid_url", base.host)
        return parse(urljoin(base.url, text), policy)
    except ValueError:  # not UTF-8, or brackets that urljoin does not understand
        raise FetchFailed("invalid_url", base.host) from None


def _split(raw: str) -> tuple[str, re.Match[str]]:
    match = _SCHEME.match(raw)
    if match is None:
        raise FetchFailed("invalid_url")
    scheme = match[1].lower()
    if scheme not in DEFAULT_PORTS:
        raise FetchFailed("scheme_not_allowed")
    parts = _PARTS.fullmatch(raw, match.end())
    if parts is None:
        raise FetchFailed("invalid_url")
    return scheme, parts


def _host_and_port(authority: str) -> tuple[str, str | None]:
    if "@" in authority:
        raise FetchFailed("credentials_not_allowed")
    match = _BRACKETED.fullmatch(authority) or _NAMED.fullmatch(authority)
    if match is None:
        raise FetchFailed("invalid_url")
    return match["host"], match["port"]


def _canonical_host(text: str) -> tuple[str, IPAddress | None]:
    if text.startswith("["):
        return _ipv6(text[1:-1])
    host = _ascii_host(text).removesuffix(".")
    labels = host.split(".")
    # WHATWG "ends in a number": such a host is an IPv4 address or it is nothing. Accepted is only
    # the dotted quad, since every other spelling is read differently by different resolvers.
    if _NUMBER.fullmatch(labels[-1]):
        return _ipv4(host)
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise FetchFailed("invalid_url")
    return host, None


def _ipv6(text: str) -> tuple[str, IPv6Address]:
    try:
        address = IPv6Address(text)
    except AddressValueError:
        raise FetchFailed("invalid_url") from None
    return address.compressed, address


def _ipv4(text: str) -> tuple[str, IPv4Address]:
    try:
        return text, IPv4Address(text)
    except AddressValueError:
        raise FetchFailed("invalid_url") from None


def _ascii_host(text: str) -> str:
    """UTS 46 for names that need it. Plain ASCII is taken as it stands: IDNA refuses hosts
    with hyphens in the third and fourth place, and the web is full of them."""
    lowered = text.lower()
    if lowered.isascii() and "xn--" not in lowered:
        return lowered
    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode("ascii").lower()
    except UnicodeError:
        raise FetchFailed("invalid_url") from None


def _canonical_path(path: str, query: str | None) -> str:
    canonical = quote(path or "/", safe=_PATH_SAFE)
    return canonical if not query else canonical + "?" + quote(query, safe=_QUERY_SAFE)


def _is_listed(host: str, address: IPAddress | None, port: int, policy: FetchPolicy) -> bool:
    if address is None:
        return policy.lists_host(host, port)
    return policy.lists_address(address, port)


def _judge(target: Target, policy: FetchPolicy) -> None:
    if target.address is None and _is_private_name(target.host):
        raise FetchFailed("host_not_allowed", target.host)
    # A name at an unusual port may still resolve into a network listed with that port; the
    # connection judges the port again, together with the address.
    hopeful = target.address is None and policy.lists_network_port(target.port)
    if target.port not in policy.ports and not hopeful:
        raise FetchFailed("port_not_allowed", target.host)
    if target.address is not None and not is_public(target.address):
        raise FetchFailed("address_not_allowed", target.host)


def _is_private_name(host: str) -> bool:
    labels = host.split(".")
    return len(labels) < 2 or labels[-1] in _PRIVATE_SUFFIXES
