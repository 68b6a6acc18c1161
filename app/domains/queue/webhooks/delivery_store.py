"""Deliveries and attempts. The life of a delivery is that of its job of the same id."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from app.core.db import Reader, Statement, Tx, first, lists, many, send, value, values

INSERT = """
    insert into webhook_deliveries (id, webhook_id, event_id, redelivery_of)
    values (%(id)s, %(webhook_id)s, %(event_id)s, %(redelivery_of)s)
    """


def insertion(webhook_id: UUID, event_id: UUID, redelivery_of: UUID | None) -> Statement:
    """Of the delivery whose job has the id `%(id)s`."""
    params = {"webhook_id": webhook_id, "event_id": event_id, "redelivery_of": redelivery_of}
    return Statement(INSERT, params)


@dataclass(frozen=True, slots=True)
class Delivery:
    id: UUID
    event_id: UUID
    type: str
    status: str
    error: str | None
    redelivery_of: UUID | None
    created_at: datetime
    next_at: datetime | None
    body: bytes | None


COLUMNS = """
    select delivery.id, event_id, type, delivery.status, delivery.error, redelivery_of,
           delivery.created_at,
           case when delivery.status = 'waiting' and sending is null
               then greatest(run_at, now()) end as next_at,
    """
FROM = """
    from webhook_deliveries delivery join webhook_events event on event.id = event_id
    left join jobs on jobs.id = delivery.id
    where webhook_id = %(webhook_id)s
    """

BY_ID = COLUMNS + "event.body" + FROM + "and delivery.id = %(id)s"


def by_id(reader: Reader, webhook_id: UUID, id: UUID) -> Delivery | None:
    return first(reader, Delivery, BY_ID, webhook_id=webhook_id, id=id)


PAGE = COLUMNS + "null::bytea as body" + FROM
FILTERS: Final[lists.Filters] = {"status": "delivery.status = %(status)s"}


def page(
    reader: Reader, webhook_id: UUID, status: str | None, before: UUID | None, most: int
) -> list[Delivery]:
    """Newest first, without bodies."""
    given = {"webhook_id": webhook_id, "status": status}
    return lists.newest(reader, Delivery, PAGE, before, most, FILTERS, id="delivery.id", **given)


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    delivery_id: UUID
    at: datetime
    status: int | None
    error: str | None
    milliseconds: int
    answer: str | None


ATTEMPTS = """
    select delivery_id, at, status, error, milliseconds, answer from webhook_attempts
    where delivery_id = any(%(ids)s) order by delivery_id, n
    """


def attempts(reader: Reader, ids: list[UUID]) -> dict[UUID, list[DeliveryAttempt]]:
    """By delivery, oldest first."""
    made: dict[UUID, list[DeliveryAttempt]] = defaultdict(list)
    for attempt in many(reader, DeliveryAttempt, ATTEMPTS, ids=ids):
        made[attempt.delivery_id].append(attempt)
    return made


# Of each event the newest delivery counts: what was delivered again is not delivered a third time.
UNSENT_SINCE = """
    select id from (
        select distinct on (event_id) id, event_id, status from webhook_deliveries
        where webhook_id = %(webhook_id)s and created_at >= %(since)s
        order by event_id, id desc
    ) newest
    where status = %(status)s order by event_id limit %(most)s
    """


def unsent_since(
    reader: Reader, webhook_id: UUID, since: datetime, status: str, most: int
) -> list[UUID]:
    """Lists the deliveries that failed since then, or wait; `status` says which."""
    params = {"webhook_id": webhook_id, "since": since, "status": status, "most": most}
    return values(reader, UNSENT_SINCE, **params)


EVENT_OF = """
    select event_id from webhook_deliveries where id = %(id)s and webhook_id = %(webhook_id)s
    """


def event_of(reader: Reader, webhook_id: UUID, id: UUID) -> UUID | None:
    event_id: UUID | None = value(reader, EVENT_OF, id=id, webhook_id=webhook_id)
    return event_id


# The worker's side.


@dataclass(frozen=True, slots=True)
class Due:
    """A delivery whose job has come to its turn."""

    id: UUID
    webhook_id: UUID
    event_id: UUID
    redelivery_of: UUID | None
    status: str
    subject: UUID
    version: int
    body: bytes
    now: datetime


DUE = """
    select delivery.id, delivery.webhook_id, delivery.event_id, delivery.redelivery_of,
    delivery.status, event.subject, event.version, event.body,
           clock_timestamp() as now
    from webhook_deliveries delivery join webhook_events event on event.id = delivery.event_id
    where delivery.id = %(id)s
    """


def due(tx: Tx, id: UUID) -> Due | None:
    return first(tx, Due, DUE, id=id)


WEBHOOK_OF = "select webhook_id from webhook_deliveries where id = %(id)s"


def webhook_of(reader: Reader, id: UUID) -> UUID | None:
    webhook_id: UUID | None = value(reader, WEBHOOK_OF, id=id)
    return webhook_id


# A worker that died leaves its mark behind; its job is not running that attempt any more.
SENDING = """
    select count(*) from webhook_deliveries delivery join jobs using (id)
    where delivery.webhook_id = %(webhook_id)s and delivery.status = 'waiting' and id <> %(id)s
      and jobs.state = 'running' and jobs.attempt = delivery.sending
    """


def sending(tx: Tx, webhook_id: UUID, id: UUID) -> int:
    """Counts the other deliveries that are being sent to the endpoint now."""
    return int(value(tx, SENDING, webhook_id=webhook_id, id=id))


EARLIER = """
    select exists (
        select from webhook_deliveries delivery join webhook_events event
          on event.id = delivery.event_id
        where delivery.webhook_id = %(webhook_id)s and delivery.status = 'waiting'
          and delivery.redelivery_of is null and event.subject = %(subject)s
          and event.version < %(version)s
          and not exists (select from webhook_attempts where delivery_id = delivery.id))
    """


def is_behind(tx: Tx, due: Due) -> bool:
    """True if an earlier event of the subject has not been tried yet."""
    params = {"webhook_id": due.webhook_id, "subject": due.subject, "version": due.version}
    return bool(value(tx, EARLIER, **params))


BEGIN = "update webhook_deliveries set sending = %(attempt)s where id = %(id)s"


def begin(tx: Tx, id: UUID, attempt: int) -> None:
    send(tx, BEGIN, id=id, attempt=attempt)


ATTEMPTED = """
    insert into webhook_attempts (delivery_id, n, status, error, milliseconds, answer)
    select %(id)s, count(*) + 1, %(status)s, %(error)s, %(milliseconds)s, %(answer)s
    from webhook_attempts where delivery_id = %(id)s
    """
ENDED = """
    update webhook_deliveries
    set sending = null, status = case when %(delivered)s then 'delivered' else status end,
        error = case when not %(delivered)s then error end
    where id = %(id)s
    """


def record_attempt(
    tx: Tx,
    id: UUID,
    *,
    delivered: bool,
    status: int | None,
    error: str | None,
    milliseconds: int,
    answer: str | None,
) -> None:
    send(tx, ATTEMPTED, id=id, status=status, error=error, milliseconds=milliseconds, answer=answer)
    send(tx, ENDED, id=id, delivered=delivered)


FAIL = """
    update webhook_deliveries set status = 'failed', error = %(error)s, sending = null
    where id = %(id)s and status = 'waiting'
    """


def fail(tx: Tx, id: UUID, error: str) -> None:
    send(tx, FAIL, id=id, error=error)


FAIL_ALL = """
    update webhook_deliveries set status = 'failed', error = %(error)s, sending = null
    where webhook_id = %(webhook_id)s and status = 'waiting'
    """


def fail_all(tx: Tx, webhook_id: UUID, error: str) -> None:
    send(tx, FAIL_ALL, webhook_id=webhook_id, error=error)
