"""E-mail addresses: what is taken for one."""

import re
from typing import Final

MOST_CHARACTERS: Final = 254

# The dot-atom of RFC 5322 and a host name with at least two labels. Quoted and internationalised
# local parts are left out: two accounts must never look alike.
_LOCAL = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*", re.ASCII
)
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", re.ASCII)


def normalise(text: str) -> str:
    """The address with its domain in lower case. ValueError with a sentence for the caller."""
    address = text.strip(" ")
    local, at, domain = address.rpartition("@")
    domain = domain.lower()
    labels = domain.split(".")
    if (
        not at
        or not 1 <= len(local) <= 64
        or len(address) > MOST_CHARACTERS
        or not _LOCAL.fullmatch(local)
        or len(labels) < 2
        or not all(_LABEL.fullmatch(label) for label in labels)
    ):
        raise ValueError("Not a valid e-mail address.")
    return f"{local}@{domain}"
