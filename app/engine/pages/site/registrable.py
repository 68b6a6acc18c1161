"""The registrable domain of a host: what one owner registered, by the Public Suffix List."""

import ipaddress
import re
from functools import cache, lru_cache
from urllib.parse import urlsplit

import idna
from publicsuffixlist import PublicSuffixList

_HOST = re.compile(r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_-]{1,63}")


def registrable_domain(host: str) -> str | None:
    """The public suffix of `host` and one label more, lower case ASCII (IDNA); None for no host.

    The list (publicsuffix.org, shipped with the package `publicsuffixlist`, never fetched) is used
    with its private section: two pages of github.io have two owners. A host that is itself a
    public suffix, a name of one label and an IP address stand for themselves.
    """
    return _registrable(host) if len(host) <= 1_000 else None


def domain_of_url(url: str) -> str | None:
    """The registrable domain of an http(s) URL; None for any other address."""
    try:
        parts = urlsplit(url)
        host = parts.hostname if parts.scheme in ("http", "https") else None
    except ValueError:
        return None
    return registrable_domain(host) if host else None


@lru_cache(maxsize=10_000)
def _registrable(host: str) -> str | None:
    host = host.strip().rstrip(".").lower()
    if address := _address(host):
        return address
    try:
        name = host if host.isascii() else idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        return None
    if not _HOST.fullmatch(name):
        return None
    return str(_suffixes().privatesuffix(name) or name)


def _address(host: str) -> str | None:
    try:
        return str(ipaddress.ip_address(host.strip("[]")))
    except ValueError:
        return None


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
