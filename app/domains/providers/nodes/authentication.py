"""Finds the node behind a token."""

from app.core import db
from app.core.config.settings import Settings
from app.core.http.access import Authenticate, Caller
from app.domains.account.accounts.service import is_node_token
from app.domains.account.accounts.sign_in.authentication import (
    AuthExpiredToken,
    AuthInvalidToken,
    AuthRevokedToken,
)
from app.domains.account.accounts.sign_in.callers import Cache
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.sign_in.peppers import Peppers
from app.domains.providers.nodes import store

cache = Cache()
_REFUSED = {"WWW-Authenticate": 'Bearer error="invalid_token"'}  # RFC 6750, section 3.1


class Authenticator:
    """Knows tokens of nodes, and leaves other credentials to the one for accounts."""

    def __init__(self, settings: Settings, others: Authenticate) -> None:
        self._pepper, self._others = Pepper.of(settings), others
        self._peppers = Peppers(settings)

    def __call__(self, credential: str, from_loopback: bool) -> Caller:
        """Raises an AuthInvalidToken, -ExpiredToken, -RevokedToken.

        A change is seen at once in the process that made it, within 5 seconds in others.
        """
        if not is_node_token(credential):
            return self._others(credential, from_loopback)
        digest = self._pepper.digest(credential)
        if (known := cache.get(digest)) is not None:
            return known
        ticket = cache.ticket()
        digests = self._peppers.get().digests(credential)
        with db.reading() as reader:
            match = store.by_digest(reader, digests)
        caller = _accepted(match)
        cache.put(digest, caller, match.left_seconds if match else None, ticket)
        return caller


def _accepted(match: store.Credential | None) -> Caller:
    if match is None:
        raise AuthInvalidToken(headers=_REFUSED)
    if match.disabled:
        raise AuthRevokedToken(headers=_REFUSED)
    if match.left_seconds is not None and match.left_seconds <= 0:
        raise AuthExpiredToken(headers=_REFUSED)
    return Caller(match.account_id, match.id, frozenset(), node_id=match.id)
