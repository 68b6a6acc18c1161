"""The alert_addresses table: who receives alerts by e-mail, and who confirmed or refused that."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, run, send, value


@dataclass(frozen=True, slots=True)
class AlertAddress:
    """An address of an account; `asked_lately`: its last request to confirm can still be used."""

    id: UUID
    account_id: UUID
    email: str
    asked_lately: bool
    confirmed_at: datetime | None
    refused_at: datetime | None


_COLUMNS: LiteralString = """
    select id, account_id, email,
           asked_at > now() - make_interval(hours => 24) as asked_lately,
           confirmed_at, refused_at
    from alert_addresses
    """

# Who asks for the same address, from whichever account, is counted one after another.
LOCK = "select pg_advisory_xact_lock(hashtextextended('alert address ' || lower(%(email)s), 0))"


def lock(tx: Tx, email: str) -> None:
    send(tx, LOCK, email=email)


OF_ACCOUNT = _COLUMNS + "where account_id = %(account_id)s and email = %(email)s"


def of_account(reader: Reader, account_id: UUID, email: str) -> AlertAddress | None:
    return first(reader, AlertAddress, OF_ACCOUNT, account_id=account_id, email=email)


REFUSED = """
    select exists (select from alert_addresses
                   where lower(email) = lower(%(email)s) and refused_at is not null)
    """


def refused(reader: Reader, email: str) -> bool:
    """True if whoever reads the address wants no alerts, of any account."""
    return bool(value(reader, REFUSED, email=email))


ASKED_BY = """
    select count(*) from alert_addresses
    where account_id = %(account_id)s and asked_at > now() - make_interval(hours => 24)
    """
ASKED = """
    select count(*) from alert_addresses
    where lower(email) = lower(%(email)s) and asked_at > now() - make_interval(hours => 24)
    """


def asked_by(reader: Reader, account_id: UUID) -> int:
    """Requests to confirm of an account in 24 hours: one for an address at most."""
    return int(value(reader, ASKED_BY, account_id=account_id))


def asked(reader: Reader, email: str) -> int:
    """Requests to confirm to an address in 24 hours, of all accounts."""
    return int(value(reader, ASKED, email=email))


ASK = """
    insert into alert_addresses (id, account_id, email, token_hash, stop_token)
    values (%(id)s, %(account_id)s, %(email)s, %(token_hash)s, %(stop_token)s)
    on conflict (account_id, email) do update
    set asked_at = now(), token_hash = excluded.token_hash
    returning id
    """


def ask(tx: Tx, **columns: Any) -> UUID:
    """The address, which waits to be confirmed with this token and no former one."""
    address_id: UUID = value(tx, ASK, **columns)
    return address_id


BY_TOKEN = (
    _COLUMNS + "where token_hash = %(hash)s and asked_at > now() - make_interval(hours => 24)"
)


def by_token(reader: Reader, hash: bytes) -> AlertAddress | None:
    """The address that this token confirms, while it does."""
    return first(reader, AlertAddress, BY_TOKEN, hash=hash)


CONFIRM = """
    update alert_addresses set confirmed_at = now(), token_hash = null
    where id = %(id)s and token_hash = %(hash)s
    """


def confirm(tx: Tx, id: UUID, hash: bytes) -> bool:
    """False when the token was used meanwhile."""
    return run(tx, CONFIRM, id=id, hash=hash) == 1


BY_STOP_TOKEN = _COLUMNS + "where stop_token = %(token)s"


def by_stop_token(reader: Reader, token: str) -> AlertAddress | None:
    return first(reader, AlertAddress, BY_STOP_TOKEN, token=token)


# For whatever account: who reads it has one mailbox.
REFUSE = """
    update alert_addresses set refused_at = now(), token_hash = null
    where lower(email) = (select lower(asked.email) from alert_addresses asked
                          where asked.id = %(id)s)
      and refused_at is null
    """


def refuse(tx: Tx, id: UUID) -> bool:
    """False when it was refused already."""
    return run(tx, REFUSE, id=id) > 0


FORGET = """
    with old as (
        select address.id from alert_addresses address
        where address.asked_at < now() - make_interval(days => 30)
          and (address.refused_at is null
               or address.refused_at < now() - make_interval(days => 365))
          and not exists (select from alerts where alerts.address_id = address.id)
        order by address.asked_at limit %(most)s for update skip locked
    )
    delete from alert_addresses using old where alert_addresses.id = old.id
    """


def forget(tx: Tx, most: int = 1_000) -> int:
    """Delete addresses that no alert uses: 30 days after they were asked, a year if refused."""
    return run(tx, FORGET, most=most)
