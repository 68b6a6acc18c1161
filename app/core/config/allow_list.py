"""The hosts and networks that an operator vouches for: the grammar of FETCH_ALLOW and its like."""

import re
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_network

IPNetwork = IPv4Network | IPv6Network

_ENTRY = re.compile(r"(?P<place>\[[^\[\]]+\]|[^\[\]:]+|[0-9a-fA-F:./]+)(?::(?P<port>[0-9]{1,5}))?")
_NUMERIC = re.compile(r"[0-9./]+|[0-9a-fA-F:./]*:[0-9a-fA-F:./]*")
_HOST = re.compile(r"(?=.{1,253}\Z)(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*")


@dataclass(frozen=True, slots=True)
class AllowedHost:
    """One name the operator vouches for. `port` None stands for 80 and 443."""

    host: str
    port: int | None = None


@dataclass(frozen=True, slots=True)
class AllowedNetwork:
    """Addresses the operator vouches for. `port` None stands for 80 and 443."""

    network: IPNetwork
    port: int | None = None


AllowEntry = AllowedHost | AllowedNetwork


def parse_allow_list(setting: str) -> tuple[AllowEntry, ...]:
    """Read a comma-separated allow-list: `wiki.corp, wiki.corp:8080, 10.1.0.0/16, [fd00::/8]:81`.

    An address alone is a network of one. Without a port an entry opens 80 and 443. Raises
    ValueError with the number of the entry that is wrong: its text may hold a password.
    """
    entries = (text.strip() for text in setting.split(","))
    return tuple(_entry(number, text) for number, text in enumerate(entries, 1) if text)


def _entry(number: int, text: str) -> AllowEntry:
    match = _ENTRY.fullmatch(text)
    if match is None:
        raise ValueError(f"entry {number} is not host, host:port, CIDR or CIDR:port")
    port = None if match["port"] is None else int(match["port"])
    if port is not None and not 0 < port < 65536:
        raise ValueError(f"entry {number} has a port outside 1-65535")
    place = match["place"].lower()
    bare = place.removeprefix("[").removesuffix("]")
    if bare != place or _NUMERIC.fullmatch(bare):
        return AllowedNetwork(_network(number, bare), port)
    if not _HOST.fullmatch(place):
        raise ValueError(f"entry {number} does not name a host")
    return AllowedHost(place, port)


def _network(number: int, place: str) -> IPNetwork:
    try:
        return ip_network(place)
    except ValueError:
        raise ValueError(
            f"entry {number} is not a network, as 10.0.0.0/8 is: no bit may be set after its prefix"
        ) from None
