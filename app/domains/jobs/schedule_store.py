"""The schedules and schedule_runs tables."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from app.core.db import Tx, many, run, value


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
    enabled: bool


INSERT = """
    insert into schedules (id, account_id, kind, payload, every_seconds, cron, timezone, next_tick)
    values (%(id)s, %(account_id)s, %(kind)s, %(payload)s, %(every_seconds)s, %(cron)s,
            %(timezone)s, %(next_tick)s)
    """


def insert(tx: Tx, *, payload: dict[str, Any], **columns: Any) -> None:
    run(tx, INSERT, payload=Jsonb(payload), **columns)


DUE = """
    select id, account_id, kind, payload, every_seconds, cron, timezone, next_tick, enabled
    from schedules where enabled and next_tick <= now() and kind = any(%(kinds)s)
    order by next_tick limit %(most)s for update skip locked
    """


def due(tx: Tx, kinds: list[str], most: int) -> list[Schedule]:
    """Lock schedules whose tick has come; another scheduler passes over them."""
    return many(tx, Schedule, DUE, kinds=kinds, most=most)


RECORD = """
    insert into schedule_runs (schedule_id, tick, job_id)
    values (%(id)s, %(tick)s, %(job_id)s) on conflict do nothing
    """


def record(tx: Tx, id: UUID, tick: datetime, job_id: UUID) -> bool:
    return run(tx, RECORD, id=id, tick=tick, job_id=job_id) == 1


ADVANCE = "update schedules set next_tick = %(next_tick)s where id = %(id)s"


def advance(tx: Tx, id: UUID, next_tick: datetime) -> None:
    run(tx, ADVANCE, id=id, next_tick=next_tick)


DELETE = "delete from schedules where id = %(id)s"


def delete(tx: Tx, id: UUID) -> bool:
    return run(tx, DELETE, id=id) == 1


def clock(tx: Tx) -> datetime:
    """The database's time: schedulers' own clocks may differ."""
    now: datetime = value(tx, "select now()")
    return now
