"""Finds the caller behind a credential, and the code of each 401."""

import hmac
import threading
from collections.abc import Callable
from functools import partial
from typing import Final
from uuid import UUID

import psycopg

from app.core import db, log
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.errors import EndedCredential, Unauthenticated
from app.core.http.access import Caller
from app.core.http.hosts import is_local
from app.domains.account.accounts.key_rules import SCOPES
from app.domains.account.accounts.sign_in import (
    authentication_store,
    callers,
    credentials,
    passwords,
)
from app.domains.account.accounts.sign_in.authentication_store import Credential
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.sign_in.peppers import Peppers

IDLE_DAYS: Final = 7
"""After so long without a page a browser signs in again."""

DEMO = UUID(int=1)
"""The account of the local demonstration, and its key."""

logger = log.get(__name__)

_REFUSED = {"WWW-Authenticate": 'Bearer error="invalid_token"'}  # RFC 6750, section 3.1


class AuthInvalidToken(Unauthenticated):
    """The API key or access token is invalid."""

    code = "auth_invalid_token"


class AuthExpiredToken(Unauthenticated):
    """This API key or token has expired."""

    code = "auth_expired_token"


class AuthRevokedToken(Unauthenticated):
    """This API key or token was revoked or replaced."""

    code = "auth_revoked_token"


class Authenticator:
    """Finds the caller of a request. One per process; needs the open database."""

    def __init__(self, settings: Settings) -> None:
        self._pepper, self._peppers = Pepper.of(settings), Peppers(settings)
        # A proxy may hide that it is one: a server that is meant for others has no demo key.
        self._demo_key = settings.demo_api_key.encode() if is_local(settings) else b""
        self._demo_exists = False
        self._last_used = LastUseWriter()

    def __call__(self, credential: str, from_loopback: bool) -> Caller:
        """Raises an AuthInvalidToken, -ExpiredToken, -RevokedToken.

        A change is seen at once in the process that made it, within 5 seconds in others.
        """
        if from_loopback and self._is_demo(credential):
            return self._demo()
        prefix = credentials.prefix_of(credential)
        if prefix not in (credentials.API_KEY, credentials.ACCESS):
            raise AuthInvalidToken(headers=_REFUSED)
        return self._known(prefix, credential)

    def session(self, secret: str, from_loopback: bool) -> Caller:
        """Whose browser this is. Raises an Unauthenticated, as above."""
        if not secret:
            raise Unauthenticated
        if credentials.prefix_of(secret) != credentials.SESSION:
            raise AuthInvalidToken
        return self._known(credentials.SESSION, secret)

    def _known(self, prefix: str, credential: str) -> Caller:
        digest = self._pepper.digest(credential)
        if (known := callers.cache.get(digest)) is not None:
            return known
        ticket = callers.cache.ticket()
        found = self._find(prefix, credential)
        caller = _accepted(found)
        callers.cache.put(digest, caller, found.left_seconds, ticket)
        if found.mark_used:
            self._last_used.note(found.id)
        return caller

    def _is_demo(self, credential: str) -> bool:
        return bool(self._demo_key) and hmac.compare_digest(credential.encode(), self._demo_key)

    def _demo(self) -> Caller:
        if not self._demo_exists:
            with db.transaction() as tx:
                make_demo(tx)
            self._demo_exists = True
        return Caller(DEMO, DEMO, frozenset(SCOPES), operator=True)

    def _find(self, prefix: str, credential: str) -> Credential:
        digests = self._peppers.get().digests(credential)
        with db.reading() as reader:
            match = _LOOK[prefix](reader, digests)
        if match is None:
            raise AuthInvalidToken(headers=_REFUSED)
        return match


def make_demo(tx: Tx) -> UUID:
    """The account of the local demonstration, which nobody signs in to with a password."""
    authentication_store.insert_demo(tx, DEMO, passwords.unmatchable())
    return DEMO


_LOOK: Final[dict[str, Callable[[Reader, list[bytes]], Credential | None]]] = {
    credentials.API_KEY: authentication_store.api_key,
    credentials.ACCESS: authentication_store.access_token,
    credentials.SESSION: partial(authentication_store.session, idle_days=IDLE_DAYS),
}


def _accepted(credential: Credential) -> Caller:
    if credential.revoked:
        raise _ended(AuthRevokedToken, credential)
    if credential.left_seconds is not None and credential.left_seconds <= 0:
        raise _ended(AuthExpiredToken, credential)
    scopes = None if credential.scopes is None else frozenset(credential.scopes)
    return Caller(
        credential.account_id,
        credential.id,
        scopes,
        operator=credential.operator,
        corpora=None if credential.corpora is None else frozenset(credential.corpora),
    )


def _ended(kind: type[Unauthenticated], credential: Credential) -> Unauthenticated:
    """With whose it was: its owner may see that it is still used."""
    error = kind(headers=_REFUSED)
    is_key = credential.scopes is not None
    error.ended = EndedCredential(credential.id, credential.account_id, is_key)
    return error


class LastUseWriter:
    """Writes `last_used_at` in a separate thread, which ends when nothing is left to write."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._used: set[UUID] = set()
        self._writing = False

    def note(self, id: UUID) -> None:
        with self._lock:
            self._used.add(id)
            if self._writing:
                return
            self._writing = True
        threading.Thread(target=self._write, name="last used", daemon=True).start()

    def _write(self) -> None:
        while ids := self._take():
            try:
                with db.transaction() as tx:
                    authentication_store.mark_used(tx, ids)
            except (psycopg.Error, RuntimeError) as error:  # or this process closed its database
                logger.warning("last use of keys not written", why=type(error).__name__)

    def _take(self) -> list[UUID]:
        with self._lock:
            ids, self._used = list(self._used), set()
            self._writing = bool(ids)
        return ids
