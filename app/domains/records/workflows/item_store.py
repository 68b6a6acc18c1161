"""The workflow_items table (what a step fans out to) and workflow_outputs (what a step returns)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx, many, run, value, values

MOST_TRIES: Final = 3
"""How many lanes may die with an item in their hands."""

PLACES: Final = 1_000
"""Numbers that each item of a step has for what it returns."""


@dataclass(frozen=True, slots=True)
class Item:
    n: int
    tries: int
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Output:
    """One thing that a step returns; `record_id` is that of an extraction's record."""

    n: int
    url: str
    data: dict[str, Any]
    record_id: UUID | None = None
    key: bytes | None = None


ADD = """
    insert into workflow_items (run_id, step, n, data)
    values (%(run_id)s, %(step)s, %(n)s, %(data)s) on conflict do nothing
    """


def add(tx: Tx, run_id: UUID, step: str, first_n: int, items: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        {"run_id": run_id, "step": step, "n": first_n + place, "data": dict(data)}
        for place, data in enumerate(items)
    ]
    with tx.cursor() as cursor:
        cursor.executemany(ADD, rows)


TAKE = """
    with free as (
        select n from workflow_items
        where (run_id, step) = (%(run_id)s, %(step)s) and state = 'queued'
        order by n limit %(most)s for update skip locked
    )
    update workflow_items set state = 'taken', part_id = %(part_id)s
    from free
    where (workflow_items.run_id, workflow_items.step) = (%(run_id)s, %(step)s)
    and workflow_items.n = free.n
    """

TAKEN = """
    select n, tries, data from workflow_items
    where part_id = %(part_id)s and state = 'taken' order by n
    """


def take(tx: Tx, run_id: UUID, step: str, part_id: UUID, most: int) -> list[Item]:
    """Up to `most` items more for a part, and those it had before."""
    run(tx, TAKE, run_id=run_id, step=step, part_id=part_id, most=most)
    return many(tx, Item, TAKEN, part_id=part_id)


HAND_OVER = """
    update workflow_items set state = 'queued', part_id = null
    where part_id = %(part_id)s and state = 'taken'
    """


def hand_over(tx: Tx, part_id: UUID) -> None:
    """Leaves to others the items that a part did not come to."""
    run(tx, HAND_OVER, part_id=part_id)


GIVE_BACK = """
    with held as (
        select run_id, step, n, n::text = any(%(begun)s) as begun from workflow_items
        where part_id = %(part_id)s and state = 'taken'
    ), tried as (
        select run_id, step, n, (begun or not (select bool_or(begun) from held))::int as more
        from held
    )
    update workflow_items
    set tries = workflow_items.tries + more, part_id = null, error = %(error)s,
        state = case when workflow_items.tries + more >= %(most)s then 'failed' else 'queued' end
    from tried
    where (workflow_items.run_id, workflow_items.step, workflow_items.n)
        = (tried.run_id, tried.step, tried.n)
    """


def give_back(
    tx: Tx, part_id: UUID, error: dict[str, Any] | None, begun: Sequence[str] = ()
) -> None:
    """The part has died: its items go to others, but not forever. To blame are those that it had
    `begun`, or all if it is not known which."""
    run(tx, GIVE_BACK, part_id=part_id, error=error, begun=list(begun), most=MOST_TRIES)


DONE = """
    update workflow_items set state = 'done', part_id = null
    where (run_id, step, n) = (%(run_id)s, %(step)s, %(n)s) and state = 'taken'
    """


def done(tx: Tx, run_id: UUID, step: str, n: int) -> bool:
    """False when it was done before."""
    return run(tx, DONE, run_id=run_id, step=step, n=n) == 1


FAIL = """
    update workflow_items
    set tries = tries + 1, part_id = null, error = %(error)s,
        state = case when tries >= %(retry)s then 'failed' else 'queued' end
    where (run_id, step, n) = (%(run_id)s, %(step)s, %(n)s) and state = 'taken'
    """


def fail(tx: Tx, run_id: UUID, step: str, n: int, error: dict[str, Any], *, retry: int) -> None:
    """It is tried again, `retry` times at most."""
    run(tx, FAIL, run_id=run_id, step=step, n=n, error=error, retry=retry)


@dataclass(frozen=True, slots=True)
class OpenItems:
    queued: int
    tried: int
    """How often all queued ones were tried at least."""


LEFT = """
    select count(*) as queued, coalesce(min(tries), 0) as tried from (
        select tries from workflow_items
        where (run_id, step) = (%(run_id)s, %(step)s) and state = 'queued' limit %(most)s
    ) as waiting
    """


def left(tx: Tx, run_id: UUID, step: str, most: int) -> OpenItems:
    """Counts the items that wait for a lane, up to `most`."""
    (counted,) = many(tx, OpenItems, LEFT, run_id=run_id, step=step, most=most)
    return counted


FAILURES = """
    select error from workflow_items
    where (run_id, step) = (%(run_id)s, %(step)s) and state = 'failed' order by n
    """


def failures(reader: Reader, run_id: UUID, step: str) -> list[dict[str, Any]]:
    return values(reader, FAILURES, run_id=run_id, step=step)


COUNT = "select count(*) from workflow_items where (run_id, step) = (%(run_id)s, %(step)s)"


def count(reader: Reader, run_id: UUID, step: str) -> int:
    return int(value(reader, COUNT, run_id=run_id, step=step))


PUT = """
    insert into workflow_outputs (run_id, step, n, key, record_id, url, data)
    values (%(run_id)s, %(step)s, %(n)s, %(key)s, %(record_id)s, %(url)s, %(data)s)
    on conflict do nothing
    """


def put(tx: Tx, run_id: UUID, step: str, outputs: Sequence[Output]) -> int:
    """Write what a step returns; how many are new. One with the key of another is left out."""
    written = 0
    for output in outputs:
        written += run(
            tx,
            PUT,
            run_id=run_id,
            step=step,
            n=output.n,
            key=output.key,
            record_id=output.record_id,
            url=output.url,
            data=output.data,
        )
    return written


AFTER = """
    select n, url, data, record_id, key from workflow_outputs
    where (run_id, step) = (%(run_id)s, %(step)s) and n > %(after)s order by n limit %(most)s
    """


def after(reader: Reader, run_id: UUID, step: str, n: int, most: int) -> list[Output]:
    return many(reader, Output, AFTER, run_id=run_id, step=step, after=n, most=most)


RETURNED = """
    select record_id from workflow_outputs
    where (run_id, step) = (%(run_id)s, %(step)s) and record_id = any(%(ids)s)
    """


def returned_records(reader: Reader, run_id: UUID, step: str, ids: Sequence[UUID]) -> set[UUID]:
    return set(values(reader, RETURNED, run_id=run_id, step=step, ids=list(ids)))


FORGET = """
    delete from workflow_items where (run_id, step) = (%(run_id)s, %(step)s)
    """

FORGET_OUTPUTS = """
    delete from workflow_outputs where (run_id, step) = (%(run_id)s, %(step)s)
    """


def forget(tx: Tx, run_id: UUID, step: str) -> None:
    run(tx, FORGET, run_id=run_id, step=step)
    run(tx, FORGET_OUTPUTS, run_id=run_id, step=step)


ERASE_ITEMS = """
    delete from workflow_items where ctid in (
        select workflow_items.ctid from workflow_items
        join extraction_runs on extraction_runs.id = workflow_items.run_id
        where extraction_runs.job_id = %(job_id)s limit %(most)s)
    """

ERASE_OUTPUTS = """
    delete from workflow_outputs where ctid in (
        select workflow_outputs.ctid from workflow_outputs
        join extraction_runs on extraction_runs.id = workflow_outputs.run_id
        where extraction_runs.job_id = %(job_id)s limit %(most)s)
    """


def erase(tx: Tx, job_id: UUID, most: int) -> int:
    """Delete at most so many rows of a workflow; how many went."""
    return run(tx, ERASE_ITEMS, job_id=job_id, most=most) or run(
        tx, ERASE_OUTPUTS, job_id=job_id, most=most
    )
