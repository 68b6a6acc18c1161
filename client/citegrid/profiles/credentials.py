"""The credentials that prove who asks. Nothing here shows a secret when printed."""

import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Protocol

from citegrid.transport.codec import ApiObject

VISIBLE = re.compile(r"[!-~]+")


class Access(Enum):
    NONE = auto()
    KEY = auto()
    """An API key, or else an access token."""
    ACCOUNT = auto()
    """An access token only; the server refuses API keys there."""
    NODE = auto()
    """The token of a node, and nothing else."""


class Tokens(ApiObject):
    """A signed-in session. The access token ends after `expires_in` seconds."""

    access_token: str = field(repr=False)
    token_type: str
    expires_in: int
    refresh_token: str = field(repr=False)


class TokenPair(Protocol):
    """The two tokens of a session, wherever they are kept."""

    @property
    def access_token(self) -> str | None: ...
    @property
    def refresh_token(self) -> str | None: ...


@dataclass(slots=True, repr=False)
class Credentials:
    """The credentials of a client; `adopt` changes them when a session is refreshed.

    Clients that share a session refresh it with the same Idempotency-Key, which comes from `salt`,
    so that two at once get the same answer: the server ends a session whose refresh token is used
    twice. `salt` must be random, or the use of a stolen refresh token would go unnoticed.
    `changed` gives the session, once another process has refreshed it.
    """

    api_key: str | None = None
    access_token: str | None = None
    refresh_token: str | None = None
    salt: str = field(default_factory=lambda: secrets.token_hex(16))
    on_refresh: Callable[[Tokens], None] | None = None
    node_token: str | None = None
    changed: Callable[[], TokenPair | None] | None = None

    def __post_init__(self) -> None:
        for secret in (self.api_key, self.access_token, self.refresh_token, self.node_token):
            if secret is not None and not VISIBLE.fullmatch(secret):
                raise ValueError("A key or token is empty or has characters none can have.")

    def headers(self, access: Access) -> dict[str, str]:
        """The header for an operation; none when there is nothing to send."""
        if access is Access.NONE:
            return {}
        if access is Access.NODE:
            return _bearer(self.node_token)
        prefers_key = access is Access.KEY or self.access_token is None
        if self.api_key is not None and prefers_key:
            return {"X-API-Key": self.api_key}
        return _bearer(self.access_token)

    def refresh_key(self) -> str:
        """The Idempotency-Key of refreshing what is held now."""
        return hashlib.sha256(f"{self.salt} {self.refresh_token}".encode()).hexdigest()

    def reloaded(self, used: str | None) -> bool:
        """True if the access token is another than `used` by now, of this or another process.

        An old refresh token must not be sent: after a day it counts as stolen, and ends the session
        for all.
        """
        if self.access_token == used and self.changed and (session := self.changed()):
            self.adopt(session)
        return self.access_token != used

    def adopt(self, tokens: TokenPair | None) -> None:
        """Use these tokens from now on, or none."""
        self.access_token = tokens.access_token if tokens else None
        self.refresh_token = tokens.refresh_token if tokens else None


def _bearer(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}
