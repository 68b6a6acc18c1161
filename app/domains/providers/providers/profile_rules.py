"""Rules for the texts of profiles and offers.

Each rule returns the value to keep, or raises ValueError with a sentence for the caller.
"""

import re
from typing import Final

import idna

from app.core.http.names import REFUSED, line, name

MOST_DISPLAY_NAME: Final = 80
MOST_DESCRIPTION: Final = 160
MOST_WEBSITE: Final = 300
MOST_PUBLIC_NAME: Final = 60
HANDLE: Final = r"[a-z0-9][a-z0-9-]{2,39}"

_IS_HANDLE = re.compile(HANDLE)
_WEBSITE = re.compile(
    r"https://(?P<host>[^/?#:@]+)(?::(?P<port>[0-9]{1,5}))?(?P<rest>[/?#].*)?", re.I
)
_UNSAFE_IN_URL = re.compile(f"[\\s\\\\{REFUSED}]")
_LABEL = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)")


def display_name(value: object) -> str:
    """1 to 80 code points, trimmed."""
    return name(value, MOST_DISPLAY_NAME)


def public_name(value: object) -> str:
    """1 to 60 code points, trimmed."""
    return name(value, MOST_PUBLIC_NAME)


def handle(value: object) -> str:
    """3 to 40 of a-z, 0-9 and hyphen, no hyphen first; so no two differ by case alone."""
    if not isinstance(value, str) or not _IS_HANDLE.fullmatch(value):
        raise ValueError("Must be 3 to 40 of a-z, 0-9 and -, beginning with a letter or digit.")
    return value


def description(value: object) -> str:
    """Up to 160 code points, trimmed; may be empty."""
    return line(value, MOST_DESCRIPTION)


def flag(value: object) -> bool:
    """true or false, and nothing that looks like it."""
    if not isinstance(value, bool):
        raise ValueError("Must be true or false.")
    return value


def website(value: object) -> str | None:
    """An https URL of a domain name, as given but for its host, which is kept in ASCII (IDNA 2008).

    It is shown to people and never fetched, so it may name a host that a fetch would refuse.
    """
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MOST_WEBSITE or _UNSAFE_IN_URL.search(value):
        raise ValueError(f"Must be an https URL of at most {MOST_WEBSITE} characters, or null.")
    parts = _WEBSITE.fullmatch(value)
    if parts is None:
        raise ValueError("Must have https://, a domain name and no credentials.")
    port = parts["port"]
    if port is not None and not 0 < int(port) < 65536:
        raise ValueError("The port does not exist.")
    host = _ascii_host(parts["host"])
    url = value[: parts.start("host")] + host + value[parts.end("host") :]
    if len(url) > MOST_WEBSITE:
        raise ValueError(f"Must have at most {MOST_WEBSITE} characters, its host in ASCII.")
    return url


def _ascii_host(host: str) -> str:
    """ASCII stays as it was written; the web is full of hyphens that IDNA refuses."""
    ascii_host = host
    if not host.isascii() or "xn--" in host.lower():
        try:
            ascii_host = idna.encode(host, uts46=True, std3_rules=True).decode("ascii")
        except UnicodeError:
            raise ValueError("The host is no domain name (IDNA 2008).") from None
    labels = ascii_host.lower().removesuffix(".").split(".")
    is_name = len(labels) > 1 and all(_LABEL.fullmatch(label) for label in labels)
    # A last label of digits makes an address of it (WHATWG URL, "ends in a number").
    if not is_name or labels[-1].isdigit() or len(ascii_host) > 253:
        raise ValueError("The host is no domain name such as example.org.")
    return ascii_host
