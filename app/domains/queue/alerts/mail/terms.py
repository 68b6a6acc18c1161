"""Terms of mails: through which server they go, from which address, with which links."""

import hashlib
import hmac
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from email.utils import parseaddr
from typing import Self
from uuid import UUID

from app.core.config import smtp_url
from app.core.config.settings import Settings
from app.core.config.smtp_url import MailServer


@dataclass(frozen=True, slots=True, repr=False)
class MailTerms:
    """From the settings; `server` is None where this installation sends no e-mail."""

    server: MailServer | None
    sender: str
    base_url: str
    secret_keys: tuple[str, ...]

    @classmethod
    def of(cls, settings: Settings) -> Self:
        server = smtp_url.parse(settings.smtp_url) if settings.smtp_url else None
        base_url = settings.service_base_url.rstrip("/")
        return cls(server, settings.mail_from, base_url, settings.secret_keys)

    @property
    def domain(self) -> str:
        return parseaddr(self.sender)[1].rpartition("@")[2]

    def address(self, path: str) -> str:
        return self.base_url + path

    def token(self, mail_id: UUID) -> str:
        """The token in a request to confirm: the same at each attempt, and stored nowhere."""
        return _token(self.secret_keys[0], mail_id)

    def token_of_hash(self, mail_id: UUID, kept: bytes | None) -> str | None:
        """The token of a mail whose hash is kept; None: it was replaced, or SECRET_KEY was."""
        tokens = [_token(key, mail_id) for key in self.secret_keys if key]
        return next((token for token in tokens if hashed(token) == kept), None)


def _token(secret_key: str, mail_id: UUID) -> str:
    made = hmac.digest(secret_key.encode(), b"citegrid alert address " + mail_id.bytes, "sha256")
    return urlsafe_b64encode(made).decode().rstrip("=")


def hashed(token: str) -> bytes:
    """A fast digest is enough for 256 bits that nobody can guess."""
    return hashlib.sha256(token.encode()).digest()
