"""Signing in: opaque access tokens of an hour, refresh tokens of 30 days used once; sessions of
browsers for 30 days.

A family is one sign-in and all that was refreshed from it. An old refresh token that comes again
was copied by somebody, so it ends the family (RFC 9700, section 4.14.2).
"""

from dataclasses import dataclass
from functools import partial
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import Unauthenticated, required
from app.core.ids import Noun
from app.domains.account.accounts.sign_in import callers, credentials, passwords, session_store
from app.domains.account.accounts.sign_in.authentication import (
    AuthExpiredToken,
    AuthInvalidToken,
    AuthRevokedToken,
)
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.sign_in.passwords import HashingSlot
from app.domains.account.accounts.sign_in.session_store import Login
from app.domains.account.audit.service import record_event

ACCESS_SECONDS: Final = 3600
REFRESH_SECONDS: Final = 30 * 86400
SESSION_SECONDS: Final = 30 * 86400
LINK_SECONDS: Final = 86400
_BROWSER_LENGTH: Final = 200
MOST_OPEN: Final = 100


class AuthInvalidCredentials(Unauthenticated):
    """The e-mail or password is wrong."""

    code = "auth_invalid_credentials"


class RefreshTokenReused(Exception):
    """Rolls the transaction back; its opener revokes the family in another one."""

    def __init__(self, family_id: UUID) -> None:
        super().__init__()
        self.family_id = family_id


@dataclass(frozen=True, slots=True, repr=False)
class IssuedTokens:
    """Fresh tokens of one family; what is stored of them is a digest."""

    access_token: str
    refresh_token: str


def login_of(reader: Reader, account_id: UUID) -> Login:
    return required(session_store.login_of(reader, account_id), LookupError(account_id))


def prove(login: Login | None, password: str, hashing: HashingSlot) -> Login:
    """The account that has this password. Raises AuthInvalidCredentials.

    An unknown e-mail costs a hash as well, so that timing reveals nothing. Hold no connection
    meanwhile: this takes about 0.2 s.
    """
    encoded = login.password_hash if login else passwords.unmatchable()
    matched = hashing.matches(encoded, password)
    if not matched or login is None or login.disabled:
        raise AuthInvalidCredentials
    return login


def hold(tx: Tx, proven: Login) -> None:
    """Keeps what was proven as it is until the transaction ends. Raises AuthInvalidCredentials.

    Who signs in stays: an account that was to be deleted is kept.
    """
    for _ in range(2):  # its deletion may be committed while the lock is waited for
        if session_store.stay(tx, proven):
            record_event(tx, "account.kept", ids.public(Noun.ACCOUNT, proven.id), proven.id)
        if session_store.hold(tx, proven):
            return
    raise AuthInvalidCredentials


def start(tx: Tx, pepper: Pepper, account_id: UUID) -> IssuedTokens:
    family_id = ids.new()
    session_store.insert_family(tx, family_id, account_id)
    record_event(tx, "session.started", account_id=account_id, by="token")
    return _issue(tx, pepper, family_id)


@dataclass(frozen=True, slots=True)
class Browser:
    """The browser that signs in: `User-Agent`, and the network of its address."""

    name: str
    network: str


def start_browser(tx: Tx, pepper: Pepper, account_id: UUID, browser: Browser) -> str:
    """Sign a browser in; the secret is for its cookie."""
    family_id = ids.new()
    session_store.insert_family(tx, family_id, account_id)
    record_event(tx, "session.started", account_id=account_id, by="browser")
    return _open_browser(tx, pepper, family_id, browser)


def _open_browser(tx: Tx, pepper: Pepper, family_id: UUID, browser: Browser) -> str:
    session_store.describe_family(tx, family_id, browser.name[:_BROWSER_LENGTH], browser.network)
    return _one_token(tx, pepper, family_id, "session", credentials.SESSION, SESSION_SECONDS)


def make_link(tx: Tx, pepper: Pepper, account_id: UUID) -> str:
    """A secret that signs one browser in, once, within a day."""
    family_id = ids.new()
    session_store.insert_family(tx, family_id, account_id)
    record_event(tx, "session.link_made", account_id=account_id)
    return _one_token(tx, pepper, family_id, "link", credentials.LINK, LINK_SECONDS)


def follow_link(tx: Tx, pepper: Pepper, link: str, browser: Browser) -> str:
    """The secret of a session for that of an unused link. Raises AuthInvalidToken."""
    if credentials.prefix_of(link) != credentials.LINK:
        raise AuthInvalidToken
    family_id = required(session_store.use_link(tx, pepper.digests(link)), AuthInvalidToken)
    record_event(tx, "session.started", account_id=session_store.owner(tx, family_id), by="link")
    return _open_browser(tx, pepper, family_id, browser)


def _one_token(
    tx: Tx, pepper: Pepper, family_id: UUID, kind: str, prefix: str, seconds: int
) -> str:
    secret = credentials.new(prefix)
    session_store.insert_token(
        tx, id=ids.new(), family_id=family_id, kind=kind, digest=pepper.digest(secret), life=seconds
    )
    return secret


def refresh(tx: Tx, pepper: Pepper, refresh_token: str) -> IssuedTokens:
    """New tokens for a refresh token; those before end.

    Raises AuthInvalidToken, AuthExpiredToken, AuthRevokedToken, RefreshTokenReused.
    """
    if credentials.prefix_of(refresh_token) != credentials.REFRESH:
        raise AuthInvalidToken
    token = required(
        session_store.refresh_for_update(tx, pepper.digests(refresh_token)), AuthInvalidToken
    )
    if token.revoked:
        raise AuthRevokedToken
    if token.used:
        raise RefreshTokenReused(token.family_id)
    if token.expired:
        raise AuthExpiredToken
    session_store.use_up(tx, token.family_id)
    tx.after_commit.append(partial(callers.cache.forget, token.family_id))
    return _issue(tx, pepper, token.family_id)


def _issue(tx: Tx, pepper: Pepper, family_id: UUID) -> IssuedTokens:
    return IssuedTokens(
        _one_token(tx, pepper, family_id, "access", credentials.ACCESS, ACCESS_SECONDS),
        _one_token(tx, pepper, family_id, "refresh", credentials.REFRESH, REFRESH_SECONDS),
    )


def end(tx: Tx, family_id: UUID) -> None:
    """Sign out: all tokens of the family end."""
    session_store.revoke(tx, family_id)
    record_event(tx, "session.ended", account_id=session_store.owner(tx, family_id))
    tx.after_commit.append(partial(callers.cache.forget, family_id))


def end_own(tx: Tx, account_id: UUID, family_id: UUID) -> bool:
    """Sign out one of the account's sign-ins; False when there is none such."""
    if not session_store.owns(tx, account_id, family_id):
        return False
    end(tx, family_id)
    return True


def end_all(tx: Tx, account_id: UUID, but: UUID | None = None) -> None:
    """Sign the account out everywhere, `but` in one family."""
    ended = session_store.revoke_all(tx, account_id, but)
    record_event(tx, "sessions.ended", account_id=account_id, sessions=len(ended))
    for family_id in ended:
        tx.after_commit.append(partial(callers.cache.forget, family_id))


def change_password(tx: Tx, proven: Login, password_hash: str, session: UUID) -> None:
    """Set another password; the account stays signed in in `session` only.

    Raises AuthInvalidCredentials when the password was changed meanwhile.
    """
    if not session_store.change_password(tx, proven, password_hash):
        raise AuthInvalidCredentials
    record_event(tx, "password.changed", account_id=proven.id)
    end_all(tx, proven.id, but=session)


def reset_password(tx: Tx, account_id: UUID, password_hash: str) -> None:
    """For the operator: set the password of somebody who forgot it, and end every sign-in.

    Raises AuthInvalidCredentials when there is no such account, or it was changed meanwhile.
    """
    login = session_store.login_of(tx, account_id)
    if login is None or not session_store.change_password(tx, login, password_hash):
        raise AuthInvalidCredentials
    record_event(tx, "password.reset", account_id=account_id)
    end_all(tx, account_id)
