"""The webhook_events table: what endpoints are told, in its final bytes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Tx, one, run, send

_KEPT_DAYS: Final = 30


@dataclass(frozen=True, slots=True)
class EventNumber:
    """The next version of a subject, and the time."""

    version: int
    at: datetime


# Milliseconds, and never fewer than before, however the clock is set or rows were deleted.
NEXT = """
    select greatest((extract(epoch from clock_timestamp()) * 1000)::bigint,
                    (select max(version) + 1 from webhook_events where subject = %(subject)s))
               as version,
           now() as at
    """
LOCK = "select pg_advisory_xact_lock(hashtextextended('webhooks ' || %(subject)s::text, 0))"


def next_number(tx: Tx, subject: UUID) -> EventNumber:
    """Nobody else tells of this subject until the transaction ends."""
    tx.execute(LOCK, {"subject": subject})
    return one(tx, EventNumber, NEXT, subject=subject)


INSERT = """
    insert into webhook_events (id, account_id, type, subject, version, body)
    values (%(id)s, %(account_id)s, %(type)s, %(subject)s, %(version)s, %(body)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    send(tx, INSERT, **columns)


FORGET = """
    with old as (
        select id from webhook_events
        where occurred_at < now() - make_interval(days => %(days)s)
        order by occurred_at limit %(most)s for update skip locked
    )
    delete from webhook_events using old where webhook_events.id = old.id
    """


def forget(tx: Tx, most: int = 1_000) -> int:
    """Delete events past their time, with their deliveries; returns how many."""
    return run(tx, FORGET, days=_KEPT_DAYS, most=most)
