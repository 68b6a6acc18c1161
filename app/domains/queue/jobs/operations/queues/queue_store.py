"""The queues table."""

from dataclasses import dataclass
from datetime import datetime

from app.core.db import Reader, Tx, first, many, run

ESTABLISH = """
    insert into queues (name)
    select name from unnest(%(names)s::text[]) as name
    where not exists (select from queues where queues.name = name.name)
    on conflict do nothing
    """


def establish(tx: Tx, names: list[str]) -> int:
    return run(tx, ESTABLISH, names=names)


@dataclass(frozen=True, slots=True)
class Switch:
    """The pause of a queue: since when and by whom."""

    name: str
    paused_at: datetime | None
    paused_by: str | None


_COLUMNS = "select name, paused_at, paused_by from queues "

EVERY = _COLUMNS + "order by name"
BY_NAME = _COLUMNS + "where name = %(name)s"


def every(reader: Reader) -> list[Switch]:
    return many(reader, Switch, EVERY)


def by_name(reader: Reader, name: str) -> Switch | None:
    return first(reader, Switch, BY_NAME, name=name)


PAUSE = """
    update queues set paused_at = now(), paused_by = %(by)s
    where name = %(name)s and paused_at is null
    """

RESUME = """
    update queues set paused_at = null, paused_by = null
    where name = %(name)s and paused_at is not null
    """

# What has been sent waits again. Messages that are left in Redis are hints that nobody follows.
RECALL = """
    update jobs set state = 'queued', dispatch_until = null
    where queue = %(name)s and state = 'dispatched'
    """

ANNOUNCE = "select pg_notify('jobs_ready', %(name)s)"


def pause(tx: Tx, name: str, by: str) -> bool:
    """False: it is paused, or there is none."""
    return run(tx, PAUSE, name=name, by=by) == 1


def resume(tx: Tx, name: str) -> bool:
    """False: it is not paused, or there is none."""
    return run(tx, RESUME, name=name) == 1


def recall(tx: Tx, name: str) -> int:
    return run(tx, RECALL, name=name)


def announce(tx: Tx, name: str) -> None:
    run(tx, ANNOUNCE, name=name)
