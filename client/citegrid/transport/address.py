"""The base URLs that may carry a credential."""

import ipaddress

import httpx

from citegrid.errors import InvalidBaseUrl


def checked(base_url: str, *, allow_insecure: bool = False) -> str:
    """The base URL without a slash at its end. Raises InvalidBaseUrl.

    Plain http is for this machine only, unless `allow_insecure`: whoever is on the way reads keys.
    """
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise InvalidBaseUrl("The base URL must be like https://citegrid.example.org.")
    if url.userinfo or url.query or url.fragment:
        raise InvalidBaseUrl("The base URL must not contain credentials, a query or a fragment.")
    if url.scheme == "http" and not (allow_insecure or loopback(str(url))):
        raise InvalidBaseUrl(
            "The base URL must be https: over plain http anybody on the way could read the key. "
            "If the network is yours, allow it: allow_insecure=True or --allow-insecure."
        )
    return str(url.copy_with(query=None, fragment=None)).rstrip("/")  # of an empty one, the sign


def loopback(base_url: str) -> bool:
    host = httpx.URL(base_url).host
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
