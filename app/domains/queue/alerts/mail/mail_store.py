"""The alert_mails table. The life of a mail is that of its job of the same id."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from app.core.db import Statement, Tx, first, run, send

_KEPT_DAYS: Final = 30

INSERT = """
    insert into alert_mails (id, address_id, alert_id, subject, body)
    values (%(id)s, %(address_id)s, %(alert_id)s, %(subject)s, %(body)s)
    """


def insertion(address_id: UUID, alert_id: UUID | None, subject: str, body: str) -> Statement:
    """Of the mail whose job has the id `%(id)s`."""
    params = {"address_id": address_id, "alert_id": alert_id, "subject": subject, "body": body}
    return Statement(INSERT, params)


@dataclass(frozen=True, slots=True)
class DueMail:
    """A mail whose job has come to its turn; `wanted` is false once it was stopped or refused.

    Without an alert it asks to confirm an address, whose token has this hash.
    """

    id: UUID
    status: str
    wanted: bool
    email: str
    subject: str
    body: str
    created_at: datetime
    alert_id: UUID | None
    about: str | None
    about_id: UUID | None
    queue: str | None
    token_hash: bytes | None
    stop_token: str


DUE = """
    select mail.id, mail.status, address.email, mail.subject, mail.body, mail.created_at,
           mail.alert_id, alerts.about, alerts.about_id, alerts.queue, address.token_hash,
           address.refused_at is null and alerts.stopped_at is null
               and (mail.alert_id is null) = (address.confirmed_at is null) as wanted,
           coalesce(alerts.stop_token, address.stop_token) as stop_token
    from alert_mails mail join alert_addresses address on address.id = mail.address_id
    left join alerts on alerts.id = mail.alert_id
    where mail.id = %(id)s
    """


def due(tx: Tx, id: UUID) -> DueMail | None:
    return first(tx, DueMail, DUE, id=id)


END = """
    update alert_mails set status = %(status)s, error = %(error)s
    where id = %(id)s and status = 'waiting'
    """


def end(tx: Tx, id: UUID, status: str, error: str | None = None) -> None:
    send(tx, END, id=id, status=status, error=error)


FORGET = """
    with old as (
        select id from alert_mails where created_at < now() - make_interval(days => %(days)s)
        order by created_at limit %(most)s for update skip locked
    )
    delete from alert_mails using old where alert_mails.id = old.id
    """


def forget(tx: Tx, most: int = 1_000) -> int:
    """Delete mails past their time; returns how many."""
    return run(tx, FORGET, days=_KEPT_DAYS, most=most)
