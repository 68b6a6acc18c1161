"""Addresses that a page names: links made absolute, e-mail addresses."""

import re
from typing import Final
from urllib.parse import urljoin, urlsplit, urlunsplit

MAX_CHARACTERS: Final = 2_048
_REFUSED = re.compile(r"[\x00-\x20\x7f\\\s<>\"\ud800-\udfff]")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_RELATIVE = re.compile(
    r"[/?#]|\.{1,2}/|(?!\d+/|n/a$)[\w%.~-]{2,}/|"
    r"[\w%~.-]+\.(?:html?|php|aspx?|jsp|jpe?g|png|gif|webp|svg|avif|pdf|xml|json|txt)(?:[?#]|$)"
)
_WWW = re.compile(r"www\.[\w-]+(?:\.[\w-]+)+(?:[/?#]|$)")
_EMAIL = re.compile(r"(?:mailto:)?([\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)")
_TRACKING = re.compile(
    r"(?:utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|_gl|ref_?|referrer|sid|"
    r"sessionid|phpsessid|jsessionid|spm|scm|cmpid|ncid|trk|mkt_tok|vero_id|_hs\w+)=",
    re.IGNORECASE,
)


def absolute(text: str, base: str) -> str | None:
    """The http address that a link or a written address stands for; None when it is none."""
    text = text.strip()
    if not 0 < len(text) <= MAX_CHARACTERS or _REFUSED.search(text):
        return None
    reference = _as_reference(text)
    if reference is None:
        return None
    try:
        address = urljoin(base, reference)
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
            return None
    except ValueError:  # brackets that are no address, a port that is no number
        return None
    return address if len(address) <= MAX_CHARACTERS else None


def email(text: str) -> str | None:
    """The address of a slice that is one, with or without `mailto:`."""
    match = _EMAIL.fullmatch(text.strip().split("?", 1)[0])
    return match[1] if match else None


def without_tracking(address: str) -> str:
    """An address as two fetches agree on it: no fragment, no parameters that follow visitors."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    kept = [each for each in parts.query.split("&") if each and not _TRACKING.match(each)]
    path = parts.path or "/"
    return urlunsplit((parts.scheme, parts.netloc.lower(), path, "&".join(sorted(kept)), ""))


def _as_reference(text: str) -> str | None:
    """Returns what can be joined to a base; None for words and figures: "n/a", "3.5"."""
    if _WWW.match(text):
        return f"https://{text}"
    return text if _SCHEME.match(text) or _RELATIVE.match(text) else None
