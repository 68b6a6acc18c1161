"""The address of a mail server in SMTP_URL.

    smtp+starttls://user:password@host:port

`smtp://` speaks no TLS, `smtp+starttls://` begins it on the connection and goes no further without
it, `smtps://` begins with it. User and password are percent-encoded and may be left out.
"""

from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

Tls = Literal["none", "starttls", "implicit"]
_SCHEMES: Final[dict[str, tuple[Tls, int]]] = {
    "smtp": ("none", 25),
    "smtp+starttls": ("starttls", 587),
    "smtps": ("implicit", 465),
}


class BadSmtpUrl(ValueError):
    """The address names no mail server; the message never repeats it."""


@dataclass(frozen=True, slots=True, repr=False)
class MailServer:
    """The server that mails are handed to, and the login it wants, if any."""

    host: str
    port: int
    tls: Tls
    user: str
    password: str


def parse(url: str) -> MailServer:
    """Raises BadSmtpUrl."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise BadSmtpUrl("must look like smtp+starttls://user:password@host:port") from None
    if parts.scheme not in _SCHEMES:
        raise BadSmtpUrl(f"must begin with {'://, '.join(_SCHEMES)}://")
    if not host or port == 0 or parts.path.strip("/") or parts.query or parts.fragment:
        raise BadSmtpUrl("must look like smtp+starttls://user:password@host:port")
    tls, usual_port = _SCHEMES[parts.scheme]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise BadSmtpUrl("needs both a user and a password, or neither")
    if user and tls == "none" and not _is_loopback(host):
        raise BadSmtpUrl("sends a password only with smtp+starttls:// or smtps://")
    return MailServer(host, port or usual_port, tls, user, password)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
