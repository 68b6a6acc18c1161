"""The names under which this server is called, and whether the call is from this machine.

A page of a stranger can have its own name lead to a private address (DNS rebinding); the `Host` of
what it sends gives it away.
"""

import ipaddress
import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from flask import Request

from app.core.config.settings import Settings
from app.core.errors import AppError

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[^\[\]:]*))(?::[0-9]*)?")


class UnknownHost(AppError):
    """This server does not accept this `Host`. The operator can add it to ALLOWED_HOSTS."""

    code, status = "unknown_host", 421


class Hosts:
    """The names of this server: those of loopback, its base URL's, and what the operator lists."""

    def __init__(self, settings: Settings) -> None:
        base = urlsplit(settings.service_base_url).hostname or ""
        listed = settings.allowed_hosts.split(",")
        self._names = {_name(host.strip()) for host in (base, *listed)} - {""}

    def check(self, asking: Request) -> None:
        """Raises UnknownHost."""
        name = _name(asking.headers.get("Host", ""))
        if name not in self._names and not is_loopback(name):
            raise UnknownHost


def _name(host: str) -> str:
    """Without its port, brackets and root dot, in lower case."""
    found = _HOST.fullmatch(host)
    if found is None:  # an IPv6 address without its brackets, or no host at all
        return host.lower()
    return (found["address"] or found["name"]).removesuffix(".").lower()


@lru_cache(1_024)
def is_loopback(name: str) -> bool:
    """True if a host name or address is this machine itself."""
    if name == "localhost":
        return True
    try:
        ip = ipaddress.ip_address(name)
    except ValueError:
        return False
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback


def is_local(settings: Settings) -> bool:
    """True if the service is meant for this machine alone."""
    return is_loopback(_name(urlsplit(settings.service_base_url).hostname or ""))


_FORWARDING: Final = (
    "HTTP_FORWARDED",
    "HTTP_VIA",
    "HTTP_X_REAL_IP",
    "HTTP_X_CLIENT_IP",
    "HTTP_TRUE_CLIENT_IP",
    "HTTP_CF_CONNECTING_IP",
)
"""By their names in WSGI (PEP 3333), as are those that begin with HTTP_X_FORWARDED_."""


def from_loopback(asking: Request) -> bool:
    """True if the peer is this machine itself, and no proxy on it that forwards for others.

    Proxies need not identify themselves. Most do, or pass on the `Host` they were called by.
    """
    environ = asking.environ
    return (
        is_loopback(asking.remote_addr or "")
        and is_loopback(_name(environ.get("HTTP_HOST", "")))
        and not any(name in environ for name in _FORWARDING)
        and not any(name.startswith("HTTP_X_FORWARDED_") for name in environ)
    )
