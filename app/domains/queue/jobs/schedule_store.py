"""The schedules and schedule_runs tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value


@dataclass(frozen=True, slots=True)
class Schedule:
    id: UUID
    account_id: UUID
    kind: str
    payload: dict[str, Any]
    every_seconds: int | None
    cron: str | None
    timezone: str
    next_tick: datetime


INSERT = """
    insert into schedules (id, account_id, kind, payload, every_seconds, cron, timezone, next_tick)
    values (%(id)s, %(account_id)s, %(kind)s, %(payload)s, %(every_seconds)s, %(cron)s,
            %(timezone)s, %(next_tick)s)
    """


def insert(tx: Tx, **columns: Any) -> None:
    run(tx, INSERT, **columns)


# A tick beyond the interval is of a longer one, or of a clock that was set back.
ESTABLISH = """
    insert into schedules (id, account_id, kind, every_seconds, next_tick)
    values (%(id)s, %(account_id)s, %(kind)s, %(every_seconds)s, now())
    on conflict (id) do update
    set every_seconds = excluded.every_seconds,
        next_tick = least(schedules.next_tick,
                          now() + make_interval(secs => excluded.every_seconds))
    where schedules.every_seconds is distinct from excluded.every_seconds
       or schedules.next_tick > now() + make_interval(secs => excluded.every_seconds)
    """


def establish(tx: Tx, **columns: Any) -> None:
    """Add the schedule of this id, or give it its interval."""
    run(tx, ESTABLISH, **columns)


# Nothing begins for an account that leaves or is disabled; what it misses is one run later.
DUE = """
    select id, account_id, kind, payload, every_seconds, cron, timezone, next_tick
    from schedules where enabled and next_tick <= now() and kind = any(%(kinds)s)
      and not exists (select from accounts
                      where accounts.id = schedules.account_id
                        and (accounts.erase_at is not null or accounts.disabled_at is not null))
    order by next_tick limit %(most)s for update skip locked
    """


def due(tx: Tx, kinds: list[str], most: int) -> list[Schedule]:
    """Lock schedules whose tick is due; another scheduler skips them."""
    return many(tx, Schedule, DUE, kinds=kinds, most=most)


RECORD = """
    insert into schedule_runs (schedule_id, tick, job_id)
    values (%(id)s, %(tick)s, %(job_id)s) on conflict do nothing
    """


def record(tx: Tx, id: UUID, tick: datetime, job_id: UUID) -> bool:
    return run(tx, RECORD, id=id, tick=tick, job_id=job_id) == 1


ASSIGN = """
    update schedule_runs set job_id = %(job_id)s where schedule_id = %(id)s and tick = %(tick)s
    """


def assign(tx: Tx, id: UUID, tick: datetime, job_id: UUID) -> None:
    """Give a recorded tick another job."""
    run(tx, ASSIGN, id=id, tick=tick, job_id=job_id)


ADVANCE = "update schedules set next_tick = %(next_tick)s where id = %(id)s"


def advance(tx: Tx, id: UUID, next_tick: datetime) -> None:
    run(tx, ADVANCE, id=id, next_tick=next_tick)


# next_tick has long moved on: nothing asks about such an old tick again.
RETIRE = """
    with old as (
        select schedule_id, tick from schedule_runs
        where tick < now() - make_interval(secs => %(seconds)s)
        order by tick limit %(most)s
    )
    delete from schedule_runs using old
    where schedule_runs.schedule_id = old.schedule_id and schedule_runs.tick = old.tick
    """


def retire(tx: Tx, kept_days: float, most: int) -> int:
    """Forget which job an old tick had, `most` at a time; returns how many."""
    return run(tx, RETIRE, seconds=kept_days * 86_400, most=most)


NEXT_TICKS = "select id, next_tick from schedules where id = any(%(ids)s) and enabled"


def next_ticks(reader: Reader, ids: Sequence[UUID]) -> dict[UUID, datetime]:
    """The same of each schedule that is due at some time."""
    return dict(reader.execute(NEXT_TICKS, {"ids": list(ids)}).fetchall())


ENABLE = "update schedules set enabled = %(enabled)s where id = %(id)s and enabled <> %(enabled)s"


def enable(tx: Tx, id: UUID, *, enabled: bool) -> bool:
    """Let it tick, or not; False when that was so already."""
    return run(tx, ENABLE, id=id, enabled=enabled) == 1


DELETE = "delete from schedules where id = %(id)s"


def delete(tx: Tx, id: UUID) -> bool:
    return run(tx, DELETE, id=id) == 1


def clock(tx: Tx) -> datetime:
    """The database's time: schedulers' own clocks may differ."""
    now: datetime = value(tx, "select now()")
    return now
