"""Credentials as each request meets them: one query by digest, the account with it."""

from dataclasses import dataclass
from uuid import UUID

from app.core.db import Reader, Tx, first, run


@dataclass(frozen=True, slots=True)
class Credential:
    """`left_seconds` is the time until it expires; None: never."""

    id: UUID
    account_id: UUID
    scopes: list[str] | None
    left_seconds: float | None
    revoked: bool
    mark_used: bool
    operator: bool
    corpora: list[UUID] | None


# An account that leaves has no credential, also none that was made while processes had not noticed.
BY_KEY = """
    select api_keys.id, api_keys.account_id, api_keys.scopes,
           extract(epoch from api_keys.expires_at - now())::float as left_seconds,
           api_keys.revoked_at is not null or accounts.disabled_at is not null
           or accounts.erase_at is not null as revoked,
           coalesce(api_keys.last_used_at < now() - interval '1 minute', true) as mark_used,
           accounts.operator, api_keys.corpora
    from api_keys join accounts on accounts.id = api_keys.account_id
    where api_keys.digest = any(%(digests)s)
    """


def api_key(reader: Reader, digests: list[bytes]) -> Credential | None:
    return first(reader, Credential, BY_KEY, digests=digests)


BY_SIGN_IN = """
    select tokens.family_id as id, token_families.account_id, null::text[] as scopes,
           extract(epoch from least(tokens.expires_at, case when tokens.kind = 'session' then
               coalesce(token_families.last_used_at,
               tokens.created_at) + make_interval(days => %(idle_days)s)
               end) - now())::float as left_seconds,
           tokens.used_at is not null or token_families.revoked_at is not null
           or accounts.disabled_at is not null or accounts.erase_at is not null as revoked,
           coalesce(token_families.last_used_at < now() - interval '1 minute',
           true) as mark_used, accounts.operator, null::uuid[] as corpora
    from tokens
    join token_families on token_families.id = tokens.family_id
    join accounts on accounts.id = token_families.account_id
    where tokens.digest = any(%(digests)s) and tokens.kind = %(kind)s
    """


def access_token(reader: Reader, digests: list[bytes]) -> Credential | None:
    return first(reader, Credential, BY_SIGN_IN, digests=digests, kind="access", idle_days=0)


def session(reader: Reader, digests: list[bytes], idle_days: int) -> Credential | None:
    """Of a browser; it has expired when it was not used for so many days."""
    return first(
        reader, Credential, BY_SIGN_IN, digests=digests, kind="session", idle_days=idle_days
    )


# An id is that of a key or of a sign-in, never of both.
USED = """
    with signed_in as (
        update token_families set last_used_at = now()
        where id = any(%(ids)s) and coalesce(last_used_at < now() - interval '1 minute', true)
    )
    update api_keys set last_used_at = now()
    where id = any(%(ids)s) and coalesce(last_used_at < now() - interval '1 minute', true)
    """


def mark_used(tx: Tx, ids: list[UUID]) -> None:
    run(tx, USED, ids=ids)


DEMO = """
    insert into accounts (id, email, password_hash, operator)
    values (%(id)s, 'demo@localhost', %(password_hash)s, true)
    on conflict (id) do update set operator = true
    """


def insert_demo(tx: Tx, id: UUID, password_hash: str) -> None:
    run(tx, DEMO, id=id, password_hash=password_hash)
