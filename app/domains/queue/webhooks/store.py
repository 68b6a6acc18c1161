"""The webhooks table: endpoints."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx, first, lists, one, run, send, value, values
from app.domains.account.accounts.store import lock_account


@dataclass(frozen=True, slots=True)
class Webhook:
    """An endpoint as its owner sees it; `paused_until` may have passed."""

    id: UUID
    job_id: UUID | None
    url: str
    events: list[str]
    enabled: bool
    disabled_at: datetime | None
    disabled_reason: str | None
    failing_since: datetime | None
    paused_until: datetime | None
    former_until: datetime | None
    created_at: datetime


COLUMNS = """
    id, job_id, url, events, enabled, disabled_at, disabled_reason, failing_since,
    case when paused_until > now() then paused_until end as paused_until,
    case when former_until > now() then former_until end as former_until, created_at
    """

INSERT = (
    """
    insert into webhooks (id, account_id, job_id, url, events, secret)
    values (%(id)s, %(account_id)s, %(job_id)s, %(url)s, %(events)s, %(secret)s)
    returning"""  # noqa: S608 (constants only)
    + COLUMNS
)


def insert(
    tx: Tx,
    id: UUID,
    account_id: UUID,
    url: str,
    events: Sequence[str],
    secret: bytes,
    job_id: UUID | None = None,
) -> Webhook:
    return one(
        tx,
        Webhook,
        INSERT,
        id=id,
        account_id=account_id,
        job_id=job_id,
        url=url,
        events=list(events),
        secret=secret,
    )


COUNT = "select count(*) from webhooks where account_id = %(account_id)s and job_id is null"


def count_own(tx: Tx, account_id: UUID) -> int:
    """Counts the endpoints of the account beside those of jobs; none is added meanwhile."""
    lock_account(tx, account_id)
    return int(value(tx, COUNT, account_id=account_id))


BY_ID = "select" + COLUMNS + "from webhooks where id = %(id)s and account_id = %(account_id)s"


def by_id(reader: Reader, id: UUID, account_id: UUID) -> Webhook | None:
    return first(reader, Webhook, BY_ID, id=id, account_id=account_id)


FOR_UPDATE = BY_ID + " for no key update"


def for_update(tx: Tx, id: UUID, account_id: UUID) -> Webhook | None:
    return first(tx, Webhook, FOR_UPDATE, id=id, account_id=account_id)


PAGE = "select" + COLUMNS + "from webhooks where account_id = %(account_id)s"
FILTERS: Final[lists.Filters] = {"without_jobs": "job_id is null"}


def page(
    reader: Reader, account_id: UUID, before: UUID | None, most: int, *, of_jobs: bool
) -> list[Webhook]:
    """Newest first; `of_jobs`: also those of single jobs, of which there are any number."""
    return lists.newest(
        reader,
        Webhook,
        PAGE,
        before,
        most,
        FILTERS,
        account_id=account_id,
        without_jobs=None if of_jobs else True,
    )


CHANGE = "update webhooks set url = %(url)s, events = %(events)s where id = %(id)s"


def change(tx: Tx, id: UUID, url: str, events: Sequence[str]) -> None:
    send(tx, CHANGE, id=id, url=url, events=list(events))


ENABLE = """
    update webhooks
    set enabled = true, disabled_at = null, disabled_reason = null, failing_since = null,
        failed_attempts = 0, timeouts = 0, paused_until = null
    where id = %(id)s and not enabled
    """


def enable(tx: Tx, id: UUID) -> None:
    send(tx, ENABLE, id=id)


END_PAUSE = "update webhooks set timeouts = 0, paused_until = null where id = %(id)s"


def end_pause(tx: Tx, id: UUID) -> None:
    send(tx, END_PAUSE, id=id)


DISABLE = """
    update webhooks
    set enabled = false, disabled_at = now(), disabled_reason = %(reason)s, paused_until = null
    where id = %(id)s and enabled
    """


def disable(tx: Tx, id: UUID, reason: str) -> bool:
    """False when it was disabled already."""
    return run(tx, DISABLE, id=id, reason=reason) == 1


DELETE = "delete from webhooks where id = %(id)s and account_id = %(account_id)s"


def delete(tx: Tx, id: UUID, account_id: UUID) -> bool:
    return run(tx, DELETE, id=id, account_id=account_id) == 1


DELETE_OF_JOB = "delete from webhooks where job_id = %(job_id)s"


def delete_of_job(tx: Tx, job_id: UUID) -> None:
    send(tx, DELETE_OF_JOB, job_id=job_id)


ROLL = """
    update webhooks
    set former_secret = secret, secret = %(secret)s,
        former_until = now() + make_interval(hours => %(overlap_hours)s)
    where id = %(id)s
    """


def roll(tx: Tx, id: UUID, secret: bytes, overlap_hours: int) -> None:
    """A new secret; the present one becomes the former one."""
    send(tx, ROLL, id=id, secret=secret, overlap_hours=overlap_hours)


RESEAL = """
    update webhooks set secret = %(secret)s, former_secret = %(former_secret)s where id = %(id)s
    """


def reseal(tx: Tx, id: UUID, secret: bytes, former_secret: bytes | None) -> None:
    """The same secrets under another key."""
    send(tx, RESEAL, id=id, secret=secret, former_secret=former_secret)


WANTING = """
    select id from webhooks
    where account_id = %(account_id)s and enabled and (job_id is null or job_id = %(subject)s)
      and events && %(types)s
    order by id for key share
    """


def wanting(tx: Tx, account_id: UUID, subject: UUID, types: list[str]) -> list[UUID]:
    """Enabled endpoints that want one of the types of this subject; they stay until the transaction
    ends, so that what is promised to them can be written.
    """
    return values(tx, WANTING, account_id=account_id, subject=subject, types=types)


OTHERS = """
    select id from webhooks
    where account_id = %(account_id)s and enabled and job_id is null and id <> %(id)s
    order by id for key share
    """


def others(tx: Tx, account_id: UUID, id: UUID) -> list[UUID]:
    """The account's other enabled endpoints, without those of jobs; they stay as those do."""
    return values(tx, OTHERS, account_id=account_id, id=id)


HOLD = """
    select true from webhooks where id = %(id)s and account_id = %(account_id)s for key share
    """


def hold(tx: Tx, id: UUID, account_id: UUID) -> bool:
    """True if the account has this endpoint, which stays until the transaction ends."""
    return bool(value(tx, HOLD, id=id, account_id=account_id))


@dataclass(frozen=True, slots=True)
class Receiver:
    """An endpoint as a delivery sees it: encrypted secrets, and whether it may be sent to now."""

    id: UUID
    account_id: UUID
    url: str
    enabled: bool
    secret: bytes
    former_secret: bytes | None
    paused_until: datetime | None


RECEIVER = """
    select id, account_id, url, enabled, secret,
           case when former_until > now() then former_secret end as former_secret,
           case when paused_until > now() then paused_until end as paused_until
    from webhooks where id = %(id)s for no key update
    """


def receiver(tx: Tx, id: UUID) -> Receiver | None:
    """Locked until the transaction ends: deliveries to one endpoint are counted one by one."""
    return first(tx, Receiver, RECEIVER, id=id)


SUCCEEDED = """
    update webhooks
    set failing_since = null, failed_attempts = 0, timeouts = 0, paused_until = null
    where id = %(id)s and (failing_since is not null or timeouts > 0)
    """


def clear_failures(tx: Tx, id: UUID) -> None:
    send(tx, SUCCEEDED, id=id)


@dataclass(frozen=True, slots=True)
class FailingEndpoint:
    failed_attempts: int
    seconds: float
    """Since the first failed attempt after the last success."""


FAILED = """
    update webhooks
    set failing_since = coalesce(failing_since, now()), failed_attempts = failed_attempts + 1,
        timeouts = case when %(timed_out)s then timeouts + 1 else 0 end,
        paused_until = case when %(timed_out)s and timeouts + 1 >= %(most_timeouts)s
            then now() + make_interval(secs => least(%(longest)s,
                %(pause)s * power(2, least(timeouts + 1 - %(most_timeouts)s, 20)))) end
    where id = %(id)s
    returning failed_attempts, extract(epoch from now() - failing_since)::float as seconds
    """


def count_failure(tx: Tx, id: UUID, **columns: Any) -> FailingEndpoint:
    """Count a failed attempt; from the timeout `most_timeouts` on, each pauses twice as long."""
    return one(tx, FailingEndpoint, FAILED, id=id, **columns)
