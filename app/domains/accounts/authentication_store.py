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


BY_KEY = """
    select api_keys.id, account_id, scopes,
           extract(epoch from expires_at - now())::float as left_seconds,
           revoked_at is not null or disabled_at is not null as revoked,
           coalesce(last_used_at < now() - interval '1 minute', true) as mark_used
    from api_keys join accounts on accounts.id = account_id
    where digest = any(%(digests)s)
    """


def api_key(reader: Reader, digests: list[bytes]) -> Credential | None:
    return first(reader, Credential, BY_KEY, digests=digests)


BY_ACCESS = """
    select family_id as id, account_id, null::text[] as scopes,
           extract(epoch from expires_at - now())::float as left_seconds,
           used_at is not null or revoked_at is not null or disabled_at is not null as revoked,
           false as mark_used
    from tokens
    join token_families on token_families.id = family_id
    join accounts on accounts.id = account_id
    where digest = any(%(digests)s) and kind = 'access'
    """


def access_token(reader: Reader, digests: list[bytes]) -> Credential | None:
    return first(reader, Credential, BY_ACCESS, digests=digests)


USED = """
    update api_keys set last_used_at = now()
    where id = any(%(ids)s) and coalesce(last_used_at < now() - interval '1 minute', true)
    """


def mark_used(tx: Tx, ids: list[UUID]) -> None:
    run(tx, USED, ids=ids)


DEMO = """
    insert into accounts (id, email, password_hash)
    values (%(id)s, 'demo@localhost', %(password_hash)s)
    on conflict do nothing
    """


def insert_demo(tx: Tx, id: UUID, password_hash: str) -> None:
    run(tx, DEMO, id=id, password_hash=password_hash)
