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
from app.core.errors import Conflict, Invalid, NotFound, required
from app.core.http import names
from app.core.ids import Noun
from app.domains.account.accounts import emails, key_rules, store
from app.domains.account.accounts.hooks import CORPORA
from app.domains.account.accounts.sign_in import callers, credentials, passwords
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.accounts.store import Account, ApiKey
from app.domains.account.audit.service import record_event


class EmailTaken(Conflict):
    """An account with this e-mail already exists."""

    code = "email_taken"


class AccountNotFound(NotFound):
    """No account has this e-mail."""

    code = "account_not_found"


class ApiKeyNotFound(NotFound):
    """No API key with this id belongs to your account."""

    code = "api_key_not_found"


class ApiKeyInactive(Conflict):
    """This API key is revoked, replaced or expired and cannot be changed."""

    code = "api_key_inactive"


@dataclass(frozen=True, slots=True, repr=False)
class NewKey:
    """A new key and its secret, which nothing can show again."""

    api_key: ApiKey
    secret: str


def create_account(tx: Tx, email: str, password: str) -> Account:
    """For the operator. Raises Invalid, EmailTaken. Takes about 0.2 s."""
    with _named("email"):
        email = emails.normalise(email)
    return add_account(tx, email, hash_new_password(password, email))


def hash_new_password(text: str, email: str) -> str:
    """For the operator, as `create_account` does it. Raises Invalid. Takes about 0.2 s."""
    password = new_password(text, email, "password")
    with passwords.Lane(places=1).enter() as hashing:
        return hashing.hash(password)


def new_password(text: str, email: str, field: str) -> str:
    """Checks a new password of this account; `field` is what it came in. Raises Invalid."""
    with _named(field):
        return passwords.acceptable(text, email)


def add_account(tx: Tx, email: str, password_hash: str) -> Account:
    """An account of a normalised e-mail and a hashed password. Raises EmailTaken."""
    added = required(store.insert_account(tx, ids.new(), email, password_hash), EmailTaken)
    record_event(tx, "account.created", ids.public(Noun.ACCOUNT, added.id), added.id)
    return added


def account_by_id(reader: Reader, id: UUID) -> Account:
    """Raises LookupError: a caller's account exists."""
    return required(store.account(reader, id), LookupError(id))


def account_by_email(reader: Reader, email: str) -> Account:
    """For the operator. Raises AccountNotFound."""
    return required(store.by_email(reader, email), AccountNotFound)


def set_disabled(tx: Tx, email: str, disabled: bool) -> bool:
    """Refuse (or accept again) all credentials of an account; False when there is none.

    Processes that just accepted one of them refuse it within 5 seconds.
    """
    if done := store.set_disabled(tx, email, disabled):
        _record(tx, email, "account.disabled" if disabled else "account.enabled")
    return done


def _record(tx: Tx, email: str, action: str) -> None:
    id = account_by_email(tx, email).id
    record_event(tx, action, ids.public(Noun.ACCOUNT, id), id)


def set_operator(tx: Tx, email: str, operator: bool) -> None:
    """Give an account the role that sees and steers the whole server, or take it away.

    Processes that just saw one of its credentials notice within 5 seconds. Raises AccountNotFound.
    """
    if not store.set_operator(tx, email, operator):
        raise AccountNotFound
    _record(tx, email, "account.promoted" if operator else "account.demoted")


def create_key(
    tx: Tx,
    account_id: UUID,
    name: str,
    scopes: list[str],
    expires_at: datetime | None = None,
    corpora: list[str] | None = None,
    *,
    pepper: Pepper,
) -> NewKey:
    """A key with its secret, limited to the corpora with these ids or names. Raises Invalid."""
    of_corpora = None if corpora is None else CORPORA.only(tx, account_id, corpora)
    with _named("name"):
        name = names.name(name, key_rules.NAME_CHARACTERS)
    with _named("scopes"):
        scopes = _scopes(scopes, of_corpora)
    if expires_at is not None:
        with _named("expires_at"):
            expires_at = key_rules.expiry(expires_at)
    made = _make_key(tx, account_id, name, scopes, of_corpora, pepper, expires_at=expires_at)
    record_event(tx, "key.created", _public(made.api_key.id), account_id, name=name, scopes=scopes)
    return made


def _scopes(scopes: list[str], corpora: list[UUID] | None) -> list[str]:
    if corpora is not None:
        key_rules.within_corpora(scopes)
    return key_rules.in_order(scopes)


def _public(key_id: UUID) -> str:
    return ids.public(Noun.API_KEY, key_id)


@contextmanager
def _named(field: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise Invalid.at(f"/{field}", str(error)) from None


def _make_key(
    tx: Tx,
    account_id: UUID,
    name: str,
    scopes: list[str],
    corpora: list[UUID] | None,
    pepper: Pepper,
    *,
    expires_at: datetime | None = None,
    life: timedelta | None = None,
) -> NewKey:
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
        corpora=corpora,
        expires_at=expires_at,
        life=life,
    )
    return NewKey(row, secret)


def change_key(tx: Tx, account_id: UUID, id: UUID, changes: dict[str, Any]) -> ApiKey:
    """Change name, scopes, corpora, expires_at. Raises ApiKeyNotFound, ApiKeyInactive, Invalid."""
    key = _own_active(tx, account_id, id)
    kept = ("name", "scopes", "corpora", "expires_at")
    columns = {**{name: getattr(key, name) for name in kept}, **changes}
    if changes.get("corpora") is not None:
        columns["corpora"] = CORPORA.only(tx, account_id, changes["corpora"])
    with _named("scopes"):
        columns["scopes"] = _scopes(columns["scopes"], columns["corpora"])
    _forget_after_commit(tx, id)
    record_event(tx, "key.changed", _public(id), account_id, changed=sorted(changes))
    return store.update_key(tx, id, **columns)


def roll_key(tx: Tx, account_id: UUID, id: UUID, overlap_hours: int, *, pepper: Pepper) -> NewKey:
    """A new key of the same name, rights and length of life; the old one ends after the overlap.

    Raises ApiKeyNotFound, ApiKeyInactive.
    """
    old = _own_active(tx, account_id, id)
    life = old.expires_at - old.created_at if old.expires_at else None
    made = _make_key(tx, account_id, old.name, old.scopes, old.corpora, pepper, life=life)
    store.replace_key(tx, old.id, made.api_key.id, overlap_hours)
    _forget_after_commit(tx, old.id)
    record_event(tx, "key.rotated", _public(id), account_id, by=_public(made.api_key.id))
    return made


def _own_active(tx: Tx, account_id: UUID, id: UUID) -> ApiKey:
    key = _own(tx, account_id, id)
    if not key.active:
        raise ApiKeyInactive
    return key


def _own(tx: Tx, account_id: UUID, id: UUID) -> ApiKey:
    """The account's key, held until the transaction ends."""
    return required(store.key_for_update(tx, id, account_id), ApiKeyNotFound)


def _forget_after_commit(tx: Tx, id: UUID) -> None:
    tx.after_commit.append(partial(callers.cache.forget, id))


def revoke_key(tx: Tx, account_id: UUID, id: UUID) -> None:
    """End a key now; repeating it changes nothing. Raises ApiKeyNotFound."""
    store.revoke_key(tx, _own(tx, account_id, id).id)
    record_event(tx, "key.revoked", _public(id), account_id)
    _forget_after_commit(tx, id)


def new_node_token() -> str:
    """A credential for a node; whoever keeps nodes stores its digest."""
    return credentials.new(credentials.NODE)


def is_node_token(credential: str) -> bool:
    return credentials.prefix_of(credential) == credentials.NODE
