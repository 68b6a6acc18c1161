"""Recurring work: exactly one job per tick, however many schedulers run.

Missed ticks collapse to one run, and the next tick stays on the grid.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

from app.core import ids, log
from app.core.db import Reader, Tx
from app.domains.queue.jobs import kinds, schedule_store, service
from app.domains.queue.jobs.kinds import Kind
from app.domains.queue.jobs.schedule_store import Schedule, clock

logger = log.get(__name__)

UNREADABLE_PAUSE = timedelta(hours=1)
"""Until a schedule that this system does not understand is looked at again."""
ONLY = "only"
"""The `unique_key` of jobs of which there is at most one unfinished one."""
_ANY_MINUTE = re.compile(r"^\s*\*(?=\S*\s+[^*\s])")
"""The star of a minute in named hours: with it CronSim leaves out an hour that spring skips."""


def add(
    tx: Tx,
    kind: Kind,
    account_id: UUID,
    payload: dict[str, Any],
    *,
    every_seconds: int | None = None,
    cron: str | None = None,
    timezone: str = "UTC",
    starts_at: datetime | None = None,
) -> UUID:
    """Run `kind` every so many seconds, or by a cron expression in a time zone.

    Raises cronsim.CronSimError or zoneinfo.ZoneInfoNotFoundError for what is neither.
    """
    id, after = ids.new(), starts_at or clock(tx)
    schedule_store.insert(
        tx,
        id=id,
        account_id=account_id,
        kind=kind.name,
        payload=payload,
        every_seconds=every_seconds,
        cron=cron,
        timezone=timezone,
        next_tick=after if cron is None else next_cron(cron, timezone, after),
    )
    return id


def pause(tx: Tx, id: UUID) -> bool:
    """No tick until it is resumed; False when it was paused already."""
    return schedule_store.enable(tx, id, enabled=False)


def resume(tx: Tx, id: UUID) -> bool:
    """Tick again; what was missed meanwhile is one run. False when it was not paused."""
    return schedule_store.enable(tx, id, enabled=True)


def next_tick(reader: Reader, id: UUID) -> datetime | None:
    """When a schedule is due next; None when there is none, or it is disabled."""
    return schedule_store.next_ticks(reader, [id]).get(id)


def establish(tx: Tx) -> None:
    """See that each kind with `every_seconds` has its one schedule, however often this is called.

    Its id follows from the kind's name. One that an operator has disabled stays disabled.
    """
    for kind in kinds.every():
        if kind.every_seconds is not None:
            schedule_store.establish(
                tx,
                id=uuid5(NAMESPACE_OID, f"citegrid schedule {kind.name}"),
                account_id=service.OPERATOR,
                kind=kind.name,
                every_seconds=kind.every_seconds,
            )


def tick(tx: Tx, most: int = 50) -> int:
    """Enqueue the jobs of due schedules with record and next tick; returns how many."""
    now, started = clock(tx), 0
    for schedule in schedule_store.due(tx, kinds.names(), most):
        try:
            next_tick = following(schedule, now)
        except (CronSimError, ZoneInfoNotFoundError):  # this system knows the zone no more
            logger.exception("schedule not understood", schedule_id=str(schedule.id))
            schedule_store.advance(tx, schedule.id, now + UNREADABLE_PAUSE)
            continue
        started += _start(tx, schedule)
        schedule_store.advance(tx, schedule.id, next_tick)
    return started


def _start(tx: Tx, schedule: Schedule) -> bool:
    """Enqueue the job of the tick, unless the tick has one or the kind's only job is unfinished."""
    job_id, tick = ids.new(), schedule.next_tick
    if not schedule_store.record(tx, schedule.id, tick, job_id):
        return False
    kind = kinds.of(schedule.kind)
    payload = {**schedule.payload, "tick": tick.isoformat()}
    key = None if kind.every_seconds is None else ONLY
    promised = service.enqueue(tx, kind, schedule.account_id, payload, id=job_id, unique_key=key)
    if promised == job_id:
        return True
    schedule_store.assign(tx, schedule.id, tick, promised)
    return False


def following(schedule: Schedule, now: datetime) -> datetime:
    """The first tick of the schedule's grid after `now`."""
    if schedule.cron is not None:
        return next_cron(schedule.cron, schedule.timezone, now)
    every = timedelta(seconds=schedule.every_seconds or 1)
    missed = max(0, (now - schedule.next_tick) // every)
    return schedule.next_tick + every * (missed + 1)


def next_cron(expression: str, timezone: str, after: datetime) -> datetime:
    """The next time a cron expression names, in UTC; daylight saving as in Debian's cron.

    Unlike there, any minute of named hours is a local time like those that are named.
    """
    return next(cron_ticks(expression, timezone, after))


def cron_ticks(expression: str, timezone: str, after: datetime) -> Iterator[datetime]:
    """The times a cron expression names, in UTC, as `next_cron` has them."""
    expression = _ANY_MINUTE.sub("0-59", expression)
    ticks = CronSim(expression, after.astimezone(ZoneInfo(timezone)))
    # In the hour that autumn repeats it names times of the first one, too.
    return (at for at in (tick.astimezone(UTC) for tick in ticks) if at > after)
