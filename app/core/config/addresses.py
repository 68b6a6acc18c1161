"""Addresses that settings and the engine take."""

import re
from typing import Final
from urllib.parse import urlsplit

FETCH_CONTACT: Final = re.compile(
    r"[\x21-\x27\x2a-\x7e]([\x20-\x27\x2a-\x7e]{0,198}[\x21-\x27\x2a-\x7e])?"
)
"""What may stand in a comment of a User-Agent (RFC 9110, 5.6.5)."""


def is_base_url(text: str) -> bool:
    """True if it is http(s) with a host, and without credentials, a query or a fragment."""
    try:
        parts = urlsplit(text)
        plain = not (parts.username or parts.password or parts.query or parts.fragment)
        plain = plain and not re.search(r"\s", text)
        addressed = bool(parts.hostname) and parts.port != 0  # a port that is none raises
        return parts.scheme in ("http", "https") and addressed and plain
    except ValueError:
        return False
