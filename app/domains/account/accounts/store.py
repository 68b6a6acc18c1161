"""The accounts and api_keys tables, as their owners see them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, one, run, send, values


@dataclass(frozen=True, slots=True)
class Account:
    id: UUID
    email: str
    created_at: datetime


INSERT_ACCOUNT = """
    insert into accounts (id, email, password_hash)
    values (%(id)s, %(email)s, %(password_hash)s)
    on conflict (lower(email)) do nothing
    returning id, email, created_at
    """


def insert_account(tx: Tx, id: UUID, email: str, password_hash: str) -> Account | None:
    """None when an account has this e-mail."""
    return first(tx, Account, INSERT_ACCOUNT, id=id, email=email, password_hash=password_hash)


BY_EMAIL = "select id, email, created_at from accounts where lower(email) = lower(%(email)s)"


def by_email(reader: Reader, email: str) -> Account | None:
    return first(reader, Account, BY_EMAIL, email=email)


ACCOUNT = "select id, email, created_at from accounts where id = %(id)s"


def account(reader: Reader, id: UUID) -> Account | None:
    return first(reader, Account, ACCOUNT, id=id)


@dataclass(frozen=True, slots=True)
class ListedAccount:
    id: UUID
    email: str
    created_at: datetime
    disabled_at: datetime | None
    operator: bool
    erase_at: datetime | None
    erased_at: datetime | None


LOCK = "select id from accounts where id = %(id)s for no key update"


def lock_account(tx: Tx, id: UUID) -> None:
    """Let nobody else lock the account meanwhile: of two that count what it has, one waits."""
    run(tx, LOCK, id=id)


PAGE = """
    select id, email, created_at, disabled_at, operator, erase_at, erased_at from accounts
    where true
    """
FILTERS: Final[lists.Filters] = {"after": "id > %(after)s"}


def page(reader: Reader, after: UUID | None, most: int) -> list[ListedAccount]:
    """For the operator: accounts in the order of their creation."""
    return lists.page(reader, ListedAccount, PAGE, FILTERS, order="id", most=most, after=after)


EMAILS = "select id, email from accounts where id = any(%(ids)s)"


def emails(reader: Reader, ids: list[UUID]) -> dict[UUID, str]:
    """The e-mails of accounts, for lists of the operator."""
    return dict(reader.execute(EMAILS, {"ids": ids}).fetchall())


DISABLE = """
    update accounts
    set disabled_at = case when %(disabled)s then coalesce(disabled_at, now()) end
    where lower(email) = lower(%(email)s)
    """


def set_disabled(tx: Tx, email: str, disabled: bool) -> bool:
    """False when no account has this e-mail."""
    return run(tx, DISABLE, email=email, disabled=disabled) == 1


SET_OPERATOR = """
    update accounts set operator = %(operator)s where lower(email) = lower(%(email)s)
    """


def set_operator(tx: Tx, email: str, operator: bool) -> bool:
    """False when no account has this e-mail."""
    return run(tx, SET_OPERATOR, email=email, operator=operator) == 1


@dataclass(frozen=True, slots=True)
class ApiKey:
    id: UUID
    account_id: UUID
    name: str
    prefix: str
    last_four: str
    scopes: list[str]
    corpora: list[UUID] | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    replaced_by: UUID | None
    active: bool


COLUMNS = """
    id, account_id, name, prefix, last_four, scopes, corpora, created_at, expires_at, last_used_at,
    revoked_at, replaced_by,
    revoked_at is null and replaced_by is null and coalesce(expires_at > now(), true) as active
    """

INSERT_KEY = (
    """
    insert into api_keys (id, account_id, name, prefix, last_four, digest, scopes, corpora,
                          expires_at)
    values (%(id)s, %(account_id)s, %(name)s, %(prefix)s, %(last_four)s, %(digest)s, %(scopes)s,
            %(corpora)s, coalesce(%(expires_at)s, now() + %(life)s))
    returning"""  # noqa: S608 (constants only)
    + COLUMNS
)


def insert_key(tx: Tx, **columns: Any) -> ApiKey:
    """Ends at `expires_at`, or `life` from now, or never when both are None."""
    return one(tx, ApiKey, INSERT_KEY, **columns)


KEYS = "select" + COLUMNS + "from api_keys where account_id = %(account_id)s"


def keys(reader: Reader, account_id: UUID, before: UUID | None, most: int) -> list[ApiKey]:
    return lists.newest(reader, ApiKey, KEYS, before, most, account_id=account_id)


KEY_FOR_UPDATE = (
    "select"
    + COLUMNS
    + "from api_keys where id = %(id)s and account_id = %(account_id)s for update"
)


def key_for_update(tx: Tx, id: UUID, account_id: UUID) -> ApiKey | None:
    return first(tx, ApiKey, KEY_FOR_UPDATE, id=id, account_id=account_id)


UPDATE_KEY = (
    """
    update api_keys
    set name = %(name)s, scopes = %(scopes)s, corpora = %(corpora)s, expires_at = %(expires_at)s
    where id = %(id)s returning"""  # noqa: S608 (constants only)
    + COLUMNS
)


def update_key(tx: Tx, id: UUID, **columns: Any) -> ApiKey:
    return one(tx, ApiKey, UPDATE_KEY, id=id, **columns)


REVOKE_KEY = "update api_keys set revoked_at = coalesce(revoked_at, now()) where id = %(id)s"


def revoke_key(tx: Tx, id: UUID) -> None:
    send(tx, REVOKE_KEY, id=id)


REPLACE_KEY = """
    update api_keys
    set replaced_by = %(by)s,
        expires_at = least(expires_at, now() + make_interval(hours => %(overlap_hours)s))
    where id = %(id)s
    """


FORMER_KEYS = """
    with recursive former as (
        select id from api_keys where id = %(id)s
        union
        select api_keys.id from api_keys join former on api_keys.replaced_by = former.id
    )
    select id from former
    """


def former_keys(reader: Reader, id: UUID) -> list[UUID]:
    return values(reader, FORMER_KEYS, id=id)


def replace_key(tx: Tx, id: UUID, by: UUID, overlap_hours: int) -> None:
    send(tx, REPLACE_KEY, id=id, by=by, overlap_hours=overlap_hours)
