"""The audit_events table. Rows are only added; what is past its time goes by a function."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.actor import Actor
from app.core.db import Reader, Tx, lists, send, value

INSERT = """
    insert into audit_events (id, account_id, actor, actor_id, by_whom, credential_id, action,
                              object, facts, address, request_id)
    values (%(id)s, %(account_id)s, %(actor)s, %(actor_id)s, %(by_whom)s, %(credential_id)s,
            %(action)s, %(object)s, %(facts)s, %(address)s, %(request_id)s)
    """


def insert(
    tx: Tx,
    id: UUID,
    actor: Actor,
    *,
    account_id: UUID | None,
    action: str,
    object: str | None,
    facts: dict[str, Any],
) -> None:
    send(
        tx,
        INSERT,
        id=id,
        account_id=account_id,
        actor=actor.kind,
        actor_id=actor.account_id,
        by_whom=actor.name,
        credential_id=actor.credential_id,
        action=action,
        object=object,
        facts=facts,
        address=actor.address,
        request_id=actor.request_id,
    )


@dataclass(frozen=True, slots=True)
class Event:
    """`by_whom` is an operator's e-mail, or who typed a command."""

    id: UUID
    at: datetime
    account_id: UUID | None
    actor: str
    by_whom: str | None
    credential_id: UUID | None
    action: str
    object: str | None
    facts: dict[str, Any]
    address: str | None
    request_id: UUID | None


_COLUMNS = """
    select audit_events.id, audit_events.at, audit_events.account_id, audit_events.actor,
    coalesce(audit_events.by_whom, accounts.email) as by_whom,
           audit_events.credential_id, audit_events.action, audit_events.object,
           audit_events.facts, audit_events.address, audit_events.request_id
    from audit_events left join accounts on accounts.id = audit_events.actor_id
    """

OF_ACCOUNT = _COLUMNS + "where audit_events.account_id = %(account_id)s"
OF_OPERATORS = _COLUMNS + "where audit_events.actor in ('operator', 'cli')"
FILTERS: Final[lists.Filters] = {
    "action": """(audit_events.action = %(action)s
        or starts_with(audit_events.action, %(action)s || '.'))"""
}
_ID: Final = "audit_events.id"


def of_account(
    reader: Reader, account_id: UUID, action: str | None, before: UUID | None, most: int
) -> list[Event]:
    """`action` is a whole one, or its noun."""
    given = {"account_id": account_id, "action": action}
    return lists.newest(reader, Event, OF_ACCOUNT, before, most, FILTERS, id=_ID, **given)


def of_operators(reader: Reader, before: UUID | None, most: int) -> list[Event]:
    return lists.newest(reader, Event, OF_OPERATORS, before, most, id=_ID)


MAKE_NAMELESS = "select audit_make_nameless(%(account_id)s)"


def make_nameless(tx: Tx, account_id: UUID) -> None:
    """Take what names a person from the events of an account that is being erased."""
    send(tx, MAKE_NAMELESS, account_id=account_id)


FORGET = "select audit_forget(%(kept_days)s, %(most)s)"


def forget(tx: Tx, most: int, kept_days: float) -> int:
    """Delete events older than `kept_days`, 30 at least, `most` at a time; returns how many."""
    return int(value(tx, FORGET, kept_days=float(kept_days), most=most))


LAST_OF_OPERATORS = """
    select at from audit_events
    where actor in ('operator', 'cli') and action = %(action)s
    order by id desc limit 1
    """


def last_of_operators(reader: Reader, action: str) -> datetime | None:
    """When operators did this last; None: not within the time that events are kept."""
    at: datetime | None = value(reader, LAST_OF_OPERATORS, action=action)
    return at
