"""The alerts table."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, many, run, send, value
from app.domains.account.accounts.store import lock_account
from app.domains.queue.alerts.conditions import About, Condition


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert as its owner sees it; `state` is active, unconfirmed, stopped or refused."""

    id: UUID
    account_id: UUID
    about: About
    about_id: UUID | None
    queue: str | None
    condition: Condition
    threshold: float | None
    address_id: UUID | None
    email: str | None
    webhook_id: UUID | None
    state: str
    raised: bool
    told_at: datetime | None
    created_at: datetime


_COLUMNS: LiteralString = """
    alerts.id, alerts.account_id, alerts.about, alerts.about_id, alerts.queue, alerts.condition,
    alerts.threshold, alerts.address_id, address.email, alerts.webhook_id,
    case when alerts.stopped_at is not null then 'stopped'
         when address.refused_at is not null then 'refused'
         when address.confirmed_at is null and alerts.address_id is not null then 'unconfirmed'
         else 'active' end as state,
    alerts.raised, alerts.told_at, alerts.created_at
    """
_FROM: LiteralString = """
    from alerts left join alert_addresses address on address.id = alerts.address_id
    """
_SELECT: LiteralString = "select" + _COLUMNS + _FROM

INSERT = """
    insert into alerts (id, account_id, about, about_id, queue, condition, threshold, address_id,
                        webhook_id, stop_token)
    values (%(id)s, %(account_id)s, %(about)s, %(about_id)s, %(queue)s, %(condition)s,
            %(threshold)s, %(address_id)s, %(webhook_id)s, %(stop_token)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    send(tx, INSERT, **columns)


COUNT = "select count(*) from alerts where account_id = %(account_id)s"


def count_own(tx: Tx, account_id: UUID) -> int:
    """Counts the alerts of the account; none is added meanwhile."""
    lock_account(tx, account_id)
    return int(value(tx, COUNT, account_id=account_id))


BY_ID = _SELECT + "where alerts.id = %(id)s and alerts.account_id = %(account_id)s"


def by_id(reader: Reader, id: UUID, account_id: UUID) -> Alert | None:
    return first(reader, Alert, BY_ID, id=id, account_id=account_id)


PAGE = _SELECT + "where alerts.account_id = %(account_id)s"
FILTERS: Final[lists.Filters] = {
    "about_id": "alerts.about_id = %(about_id)s",
    "queue": "alerts.queue = %(queue)s",
}


def page(
    reader: Reader,
    account_id: UUID,
    *,
    about_id: UUID | None,
    queue: str | None,
    before: UUID | None,
    most: int,
) -> list[Alert]:
    """Newest first."""
    given = {"account_id": account_id, "about_id": about_id, "queue": queue}
    return lists.newest(reader, Alert, PAGE, before, most, FILTERS, id="alerts.id", **given)


DELETE = "delete from alerts where id = %(id)s and account_id = %(account_id)s"


def delete(tx: Tx, id: UUID, account_id: UUID) -> bool:
    return run(tx, DELETE, id=id, account_id=account_id) == 1


DELETE_ABOUT = "delete from alerts where about_id = %(about_id)s"


def delete_about(tx: Tx, about_id: UUID) -> None:
    send(tx, DELETE_ABOUT, about_id=about_id)


BY_STOP_TOKEN = _SELECT + "where alerts.stop_token = %(token)s"


def by_stop_token(reader: Reader, token: str) -> Alert | None:
    return first(reader, Alert, BY_STOP_TOKEN, token=token)


STOP = "update alerts set stopped_at = now() where id = %(id)s and stopped_at is null"


def stop(tx: Tx, id: UUID) -> bool:
    """False when it was stopped already."""
    return run(tx, STOP, id=id) == 1


# What observers of a thing do.

_LISTENS: LiteralString = """
    alerts.stopped_at is null
    and (alerts.address_id is null
         or address.confirmed_at is not null and address.refused_at is null)
    """

LISTENING = _SELECT + "where alerts.about_id = %(about_id)s and " + _LISTENS + "order by alerts.id"


def listening(reader: Reader, about_id: UUID) -> list[Alert]:
    """The active alerts about a thing, in the order in which they are to be locked."""
    return many(reader, Alert, LISTENING, about_id=about_id)


@dataclass(frozen=True, slots=True)
class ObservedQueue(Alert):
    waiting: int
    oldest_seconds: float


# Of operators only: who is none any more, or leaves, hears of no queue.
OBSERVED_QUEUES = (
    "select"  # noqa: S608 (constants only)
    + _COLUMNS
    + ", sample.waiting, sample.oldest_seconds"
    + _FROM
    + """join accounts on accounts.id = alerts.account_id and accounts.operator
        and accounts.disabled_at is null and accounts.erase_at is null
    join queue_samples sample on sample.queue = alerts.queue and sample.step_seconds = 10
        and sample.at = (select max(queue_samples.at) from queue_samples
                         where queue_samples.step_seconds = 10)
    where alerts.queue is not null and """
    + _LISTENS
    + "order by alerts.id"
)


def observed_queues(reader: Reader) -> list[ObservedQueue]:
    return many(reader, ObservedQueue, OBSERVED_QUEUES)


RAISE = """
    update alerts set raised = true, told_at = now()
    where id = %(id)s and not raised and stopped_at is null
      and (told_at is null or told_at <= now() - make_interval(secs => %(rest_seconds)s))
    """


def raise_(tx: Tx, id: UUID, rest_seconds: int) -> bool:
    """False when it was raised already, or told too short a time ago."""
    return run(tx, RAISE, id=id, rest_seconds=rest_seconds) == 1


LOWER = "update alerts set raised = false where id = %(id)s and raised"


def lower(tx: Tx, id: UUID) -> None:
    send(tx, LOWER, id=id)


COUNT_EVENTS = """
    with counted as (
        select alerts.id, alerts.untold + %(events)s as total,
               alerts.told_at is null
                   or alerts.told_at <= now() - make_interval(secs => %(rest_seconds)s) as due
        from alerts where alerts.id = %(id)s and alerts.stopped_at is null for no key update
    )
    update alerts
    set untold = case when counted.due then 0 else counted.total end,
        told_at = case when counted.due then now() else alerts.told_at end
    from counted
    where alerts.id = counted.id and counted.total > 0
    returning case when counted.due then counted.total else 0 end
    """


def count_events(tx: Tx, id: UUID, events: int, rest_seconds: int) -> int:
    """The number to tell of now: these and those since the last message; 0 while it rests."""
    return int(value(tx, COUNT_EVENTS, id=id, events=events, rest_seconds=rest_seconds) or 0)
