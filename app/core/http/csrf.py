"""Forms of our own pages and nobody else's: cross-site request forgery is refused twice.

The browser says where a request comes from (`Sec-Fetch-Site`, or `Origin` in older ones), and the
form holds a token that only pages of the same session know.
"""

import hmac
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from flask import Request

from app.core.errors import Forbidden

SAFE: Final = frozenset(("GET", "HEAD", "OPTIONS"))
FIELD: Final = "csrf"
_OURS: Final = frozenset(("same-origin", "none"))


class ForgedForm(Forbidden):
    """This form is not from this site, or you signed in or out after you opened it. Reload the page
    and submit the form again."""

    code = "forged_form"


def token(secret_key: str, session: UUID | None) -> str:
    """The token that the forms of a session hold; None: of who is not signed in."""
    return hmac.new(secret_key.encode(), f"form {session}".encode(), "sha256").hexdigest()


def check(request: Request, secret_keys: tuple[str, ...], session: UUID | None) -> None:
    """Before a page's view changes anything. Raises ForgedForm."""
    if request.method in SAFE:
        return
    sent = request.form.get(FIELD, "").encode()
    known = [token(key, session).encode() for key in secret_keys]
    if not from_us(request) or not any(hmac.compare_digest(sent, own) for own in known):
        raise ForgedForm


def from_us(request: Request) -> bool:
    """True if the browser says that a page of this site sent the request."""
    if (site := request.headers.get("Sec-Fetch-Site")) is not None:
        return site in _OURS
    origin = urlsplit(request.headers.get("Origin", ""))
    return (origin.scheme, origin.netloc) == (request.scheme, request.host)
