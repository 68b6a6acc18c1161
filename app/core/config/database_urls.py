"""Addresses of databases, checked before libpq, whose errors repeat them with their passwords."""

import re
from typing import Final

_ESCAPED: Final = r"(?:[^\s%@/?#]|%[0-9A-Fa-f]{2})"
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|(?:[^\s%@/?#:,\[\]]|%[0-9A-Fa-f]{2})*)(?::[0-9]{0,5})?"
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNSTRING-URIS
_URI: Final = re.compile(
    rf"postgres(?:ql)?://(?:{_ESCAPED}*@)?{_HOST}(?:,{_HOST})*"
    r"(?:/(?:[^%?#]|%[0-9A-Fa-f]{2})*)?(?:\?(?:[^%]|%[0-9A-Fa-f]{2})*)?"
)
_PAIRS: Final = re.compile(r"\s*\w+\s*=.*", re.DOTALL)


def is_database_url(text: str) -> bool:
    """True if it is a connection URI, pairs of names and values, or empty, which are defaults."""
    return not text or bool(_URI.fullmatch(text) or _PAIRS.fullmatch(text))
