"""The token_families and tokens tables: sign-ins."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.db import Reader, Tx, first, many, run, send, value, values


@dataclass(frozen=True, slots=True)
class Login:
    id: UUID
    email: str
    password_hash: str
    disabled: bool


LOGIN = """
    select id, email, password_hash, disabled_at is not null or erasing_at is not null as disabled
    from accounts where lower(email) = lower(%(email)s)
    """


def login(reader: Reader, email: str) -> Login | None:
    """The account with this e-mail in any case, for `prove`."""
    return first(reader, Login, LOGIN, email=email)


LOGIN_OF = """
    select id, email, password_hash, disabled_at is not null or erasing_at is not null as disabled
    from accounts where id = %(account_id)s
    """


def login_of(reader: Reader, account_id: UUID) -> Login | None:
    return first(reader, Login, LOGIN_OF, account_id=account_id)


# Before the lock that is shared: two that hold it could not both write.
STAY = """
    update accounts set deletion_requested_at = null, erase_at = null
    where id = %(id)s and password_hash = %(password_hash)s and disabled_at is null
      and erase_at is not null and erasing_at is null
    returning id
    """

# Shared: sign-ins do not wait for each other, a change of the password waits for them.
HOLD = """
    select true from accounts
    where id = %(id)s and password_hash = %(password_hash)s and disabled_at is null
      and erase_at is null
    for share
    """


def stay(tx: Tx, login: Login) -> bool:
    """Keep an account that was to be deleted; False: it was not, or has another password."""
    return value(tx, STAY, id=login.id, password_hash=login.password_hash) is not None


def hold(tx: Tx, login: Login) -> bool:
    """True if the account stays and still has this password, both until the transaction ends."""
    return value(tx, HOLD, id=login.id, password_hash=login.password_hash) is not None


CHANGE = """
    update accounts set password_hash = %(new)s where id = %(id)s and password_hash = %(old)s
    """


def change_password(tx: Tx, login: Login, password_hash: str) -> bool:
    """False when the account has another password by now."""
    return run(tx, CHANGE, id=login.id, old=login.password_hash, new=password_hash) == 1


INSERT_FAMILY = "insert into token_families (id, account_id) values (%(id)s, %(account_id)s)"


def insert_family(tx: Tx, id: UUID, account_id: UUID) -> None:
    send(tx, INSERT_FAMILY, id=id, account_id=account_id)


ISSUE = """
    insert into tokens (id, family_id, kind, digest, expires_at)
    values (%(id)s, %(family_id)s, %(kind)s, %(digest)s, now() + make_interval(secs => %(life)s))
    """


def insert_token(
    tx: Tx, *, id: UUID, family_id: UUID, kind: str, digest: bytes, life: float
) -> None:
    """`life` in seconds."""
    send(tx, ISSUE, id=id, family_id=family_id, kind=kind, digest=digest, life=life)


DESCRIBE = """
    update token_families set browser = %(browser)s, network = %(network)s, last_used_at = now()
    where id = %(id)s
    """


def describe_family(tx: Tx, id: UUID, browser: str, network: str) -> None:
    send(tx, DESCRIBE, id=id, browser=browser, network=network)


USE_LINK = """
    update tokens set used_at = now()
    from token_families, accounts
    where tokens.digest = any(%(digests)s) and tokens.kind = 'link' and tokens.used_at is null
      and tokens.expires_at > now() and token_families.id = tokens.family_id
      and token_families.revoked_at is null
      and accounts.id = token_families.account_id and accounts.disabled_at is null
      and accounts.erase_at is null
    returning tokens.family_id
    """


def use_link(tx: Tx, digests: list[bytes]) -> UUID | None:
    """The family of an unused link, which is used now."""
    found: UUID | None = value(tx, USE_LINK, digests=digests)
    return found


@dataclass(frozen=True, slots=True)
class SignIn:
    """`browser` is empty for a sign-in over the API."""

    id: UUID
    created_at: datetime
    last_used_at: datetime | None
    expires_at: datetime
    browser: str
    network: str


OF_ACCOUNT = """
    select token_families.id, token_families.created_at, token_families.last_used_at,
    token_families.browser, token_families.network,
           max(tokens.expires_at) as expires_at
    from token_families join tokens on tokens.family_id = token_families.id
    where token_families.account_id = %(account_id)s and token_families.revoked_at is null
    and tokens.kind <> 'link'
      and tokens.used_at is null and tokens.expires_at > now()
    group by token_families.id
    order by coalesce(token_families.last_used_at, token_families.created_at) desc limit %(most)s
    """


def of_account(reader: Reader, account_id: UUID, most: int) -> list[SignIn]:
    """The sign-ins of the account that are open now, the last used first."""
    return many(reader, SignIn, OF_ACCOUNT, account_id=account_id, most=most)


OWNER = "select account_id from token_families where id = %(id)s"


def owner(reader: Reader, id: UUID) -> UUID | None:
    found: UUID | None = value(reader, OWNER, id=id)
    return found


OWNS = "select true from token_families where id = %(id)s and account_id = %(account_id)s"


def owns(reader: Reader, account_id: UUID, id: UUID) -> bool:
    return value(reader, OWNS, id=id, account_id=account_id) is not None


@dataclass(frozen=True, slots=True)
class Refresh:
    family_id: UUID
    used: bool
    expired: bool
    revoked: bool


# The token's own row is locked: a transaction that waited for it sees that it was used.
REFRESH = """
    select tokens.family_id, tokens.used_at is not null as used,
        tokens.expires_at <= now() as expired,
           token_families.revoked_at is not null or accounts.disabled_at is not null as revoked
    from tokens
    join token_families on token_families.id = tokens.family_id
    join accounts on accounts.id = token_families.account_id
    where tokens.digest = any(%(digests)s) and tokens.kind = 'refresh'
    for update of tokens
    """


def refresh_for_update(tx: Tx, digests: list[bytes]) -> Refresh | None:
    return first(tx, Refresh, REFRESH, digests=digests)


USE_UP = "update tokens set used_at = now() where family_id = %(family_id)s and used_at is null"


def use_up(tx: Tx, family_id: UUID) -> None:
    """End the tokens that a family has now; `used_at` of an access token ends it as well."""
    send(tx, USE_UP, family_id=family_id)


REVOKE = """
    update token_families set revoked_at = coalesce(revoked_at, now()) where id = %(family_id)s
    """


def revoke(tx: Tx, family_id: UUID) -> None:
    send(tx, REVOKE, family_id=family_id)


REVOKE_ALL = """
    update token_families set revoked_at = now()
    where account_id = %(account_id)s and revoked_at is null
      and id is distinct from %(but)s::uuid
    returning id
    """


def revoke_all(tx: Tx, account_id: UUID, but: UUID | None) -> list[UUID]:
    """The families that ended."""
    return values(tx, REVOKE_ALL, account_id=account_id, but=but)


# Kept a week after their end, so that a late caller hears "expired" and not "invalid". A family
# goes with its last token: nothing is added to one whose tokens have all expired.
RETIRE = """
    with old as (
        select id, family_id from tokens where expires_at < now() - interval '7 days'
        order by expires_at limit %(most)s for update skip locked
    ), gone as (
        delete from tokens using old where tokens.id = old.id
    ), ended as (
        delete from token_families
        where id in (select family_id from old) and not exists (
            select from tokens
            where tokens.family_id = token_families.id and tokens.id not in (select id from old))
    )
    select count(*) from old
    """


def retire(tx: Tx, most: int = 1_000) -> int:
    """Delete tokens that expired a week ago, and families without any; returns how many tokens."""
    return int(value(tx, RETIRE, most=most))
