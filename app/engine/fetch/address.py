"""The IP addresses that may be reached: globally routed unicast and nothing that wraps another."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final

IPAddress = IPv4Address | IPv6Address

# IANA IPv4 special-purpose registry, multicast and class E. Written out, because what
# `ipaddress.is_global` answers differs between Python versions.
_V4_REFUSED: Final = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.31.196.0/24",
        "192.52.193.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "192.175.48.0/24",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/3",
        "168.63.129.16/32",  # the host agent of every Azure machine, in public space
    )
)
_V6_UNICAST: Final = IPv6Network("2000::/3")  # all that IANA has given out for global unicast
_V6_REFUSED: Final = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarking
        "2001:db8::/32",
        "2002::/16",  # 6to4 wraps an IPv4 address
        "2620:4f:8000::/48",
        "3fff::/20",
    )
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_LOW_32_BITS: Final = 0xFFFFFFFF


def is_public(address: IPAddress) -> bool:
    """True if `address` is on the public internet.

    IPv4-mapped (RFC 4291) and NAT64 (RFC 6052) addresses are judged as the IPv4 address they
    carry. IPv6 is an allow-list, IPv4 a refuse-list.
    """
    if isinstance(address, IPv4Address):
        return address.is_global and not any(address in network for network in _V4_REFUSED)
    carried = _carried_ipv4(address)
    if carried is not None:
        return is_public(carried)
    return (
        address.scope_id is None
        and address in _V6_UNICAST
        and not any(address in network for network in _V6_REFUSED)
        and not _is_isatap(address)
    )


def _carried_ipv4(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in _NAT64:
        return IPv4Address(int(address) & _LOW_32_BITS)
    return None


def _is_isatap(address: IPv6Address) -> bool:
    """RFC 5214: interface identifier 0000:5efe or 0200:5efe, then an IPv4 address."""
    return (int(address) >> 32) & 0xFDFFFFFF == 0x00005EFE
