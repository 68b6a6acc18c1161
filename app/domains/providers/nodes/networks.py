"""Networks of addresses: nodes of one network are one voice, whoever owns them."""

import ipaddress

from app.core.redis import limits


def public_network(address: str) -> str | None:
    """The /24 or /48 of a public address; None for others, which say nothing of their users."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped:
        ip = ip.ipv4_mapped
    return limits.network(address, v4_bits=24, v6_bits=48) if ip.is_global else None
