"""Accounts and their API keys. Sign-ins: sessions.py; who is calling: authentication.py."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound
from app.domains.accounts import callers, credentials, emails, key_rules, passwords, store
from app.domains.accounts.authentication import Authenticator as Authenticator
from app.domains.accounts.credentials import Pepper as Pepper
from app.domains.accounts.sessions import retire as retire
from app.domains.accounts.store import Account as Account
from app.domains.accounts.store import ApiKey as ApiKey
from app.domains.accounts.store import Listed as Listed


class EmailTaken(Conflict):
    """An account with this e-mail exists."""

    code = "email_taken"


class AccountNotFound(NotFound):
    """No account has this e-mail."""

    code = "account_not_found"


class ApiKeyNotFound(NotFound):
    """No API key with this id belongs to your account."""

    code = "api_key_not_found"


class ApiKeyInactive(Conflict):
    """This API key was revoked, replaced, or has expired; it cannot be changed or rolled."""

    code = "api_key_inactive"


@dataclass(frozen=True, slots=True, repr=False)
class Made:
    """A new key and its secret, which nothing can show again."""

    api_key: ApiKey
    secret: str


def create_account(tx: Tx, email: str, password: str) -> Account:
    """For the operator. Raises Invalid, EmailTaken. Takes about 0.2 s."""
    with _named("email"):
        email = emails.normalise(email)
    password = new_password(password, email, "password")
    with passwords.Lane(places=1).enter() as hashing:
        return add_account(tx, email, hashing.hash(password))


def new_password(text: str, email: str, field: str) -> str:
    """What may become the password of this account; `field` is what it came in. Raises Invalid."""
    with _named(field):
        return passwords.acceptable(text, email)


def add_account(tx: Tx, email: str, password_hash: str) -> Account:
    """An account of a normalised e-mail and a hashed password. Raises EmailTaken."""
    added = store.insert_account(tx, ids.new(), email, password_hash)
    if added is None:
        raise EmailTaken
    return added


def account(reader: Reader, id: UUID) -> Account:
    """Raises LookupError: a caller's account exists."""
    if (row := store.account(reader, id)) is None:
        raise LookupError(id)
    return row


def by_email(tx: Tx, email: str) -> Account:
    """For the operator. Raises AccountNotFound."""
    if (found := store.by_email(tx, email)) is None:
        raise AccountNotFound
    return found


def page(reader: Reader, after: UUID | None, limit: int) -> list[Listed]:
    """For the operator: accounts in the order of their creation."""
    return store.page(reader, after, limit)


def set_disabled(tx: Tx, email: str, disabled: bool) -> bool:
    """Refuse (or accept again) all credentials of an account; False when there is none.

    Processes that just accepted one of them refuse it within 5 seconds.
    """
    return store.set_disabled(tx, email, disabled)


def create_key(
    tx: Tx,
    account_id: UUID,
    name: str,
    scopes: list[str],
    expires_at: datetime | None = None,
    *,
    pepper: Pepper,
) -> Made:
    """A key with its secret. Raises Invalid."""
    with _named("scopes"):
        scopes = key_rules.in_order(scopes)
    if expires_at is not None:
        with _named("expires_at"):
            expires_at = key_rules.expiry(expires_at)
    return _make_key(tx, account_id, name, scopes, pepper, expires_at=expires_at)


@contextmanager
def _named(field: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise Invalid(details=[{"field": f"/{field}", "problem": str(error)}]) from None


def _make_key(
    tx: Tx,
    account_id: UUID,
    name: str,
    scopes: list[str],
    pepper: Pepper,
    *,
    expires_at: datetime | None = None,
    life: timedelta | None = None,
) -> Made:
    secret = credentials.new(credentials.API_KEY)
    row = store.insert_key(
        tx,
        id=ids.new(),
        account_id=account_id,
        name=name,
        prefix=credentials.API_KEY,
        last_four=secret[-4:],
        digest=pepper.digest(secret),
        scopes=scopes,
        expires_at=expires_at,
        life=life,
    )
    return Made(row, secret)


def keys(reader: Reader, account_id: UUID, before: UUID | None, limit: int) -> list[ApiKey]:
    """Up to `limit` + 1 keys older than `before`, newest first, revoked ones among them."""
    return store.keys(reader, account_id, before, limit + 1)


def change_key(tx: Tx, account_id: UUID, id: UUID, changes: dict[str, Any]) -> ApiKey:
    """Change any of name, scopes, expires_at. Raises ApiKeyNotFound, ApiKeyInactive, Invalid."""
    key = _own_active(tx, account_id, id)
    columns = {"name": key.name, "scopes": key.scopes, "expires_at": key.expires_at, **changes}
    with _named("scopes"):
        columns["scopes"] = key_rules.in_order(columns["scopes"])
    _forget_after_commit(tx, id)
    return store.update_key(tx, id, **columns)


def roll_key(tx: Tx, account_id: UUID, id: UUID, overlap_hours: int, *, pepper: Pepper) -> Made:
    """A new key of the same name, scopes and length of life; the old one ends after the overlap.

    Raises ApiKeyNotFound, ApiKeyInactive.
    """
    old = _own_active(tx, account_id, id)
    life = old.expires_at - old.created_at if old.expires_at else None
    made = _make_key(tx, account_id, old.name, old.scopes, pepper, life=life)
    store.replace_key(tx, old.id, made.api_key.id, overlap_hours)
    _forget_after_commit(tx, old.id)
    return made


def _own_active(tx: Tx, account_id: UUID, id: UUID) -> ApiKey:
    key = _own(tx, account_id, id)
    if not key.active:
        raise ApiKeyInactive
    return key


def _own(tx: Tx, account_id: UUID, id: UUID) -> ApiKey:
    """The account's key, held until the transaction ends."""
    if (key := store.key_for_update(tx, id, account_id)) is None:
        raise ApiKeyNotFound
    return key


def _forget_after_commit(tx: Tx, id: UUID) -> None:
    tx.after_commit.append(partial(callers.cache.forget, id))


def revoke_key(tx: Tx, account_id: UUID, id: UUID) -> None:
    """End a key now; repeating it changes nothing. Raises ApiKeyNotFound."""
    store.revoke_key(tx, _own(tx, account_id, id).id)
    _forget_after_commit(tx, id)
