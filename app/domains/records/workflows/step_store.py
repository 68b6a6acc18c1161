"""The workflow_steps table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, LiteralString
from uuid import UUID

from app.core.db import Reader, Tx, first, many, run


@dataclass(frozen=True, slots=True)
class Step:
    run_id: UUID
    step: str
    place: int
    type: str
    needs: list[str]
    state: str
    tries: int
    complete: bool
    lanes_open: int
    reading: dict[str, Any] | None
    job_id: UUID | None
    items_in: int
    items_out: int
    because: str | None
    error: dict[str, Any] | None
    validation: dict[str, Any] | None
    started_at: datetime | None
    ended_at: datetime | None

    @property
    def ended(self) -> bool:
        return self.state in ("done", "failed", "skipped")


INSERT = """
    insert into workflow_steps (run_id, step, place, type, needs)
    select %(run_id)s, %(step)s, %(place)s, %(type)s, %(needs)s
    on conflict do nothing
    """


def insert(tx: Tx, run_id: UUID, steps: Sequence[Mapping[str, Any]]) -> None:
    rows = [
        {
            "run_id": run_id,
            "step": step["id"],
            "place": place,
            "type": step["type"],
            "needs": list(step["needs"]),
        }
        for place, step in enumerate(steps)
    ]
    with tx.cursor() as cursor:
        cursor.executemany(INSERT, rows)


_COLUMNS: LiteralString = """
    run_id, step, place, type, needs, state, tries, complete, lanes_open, reading, job_id,
    items_in, items_out, because, error, validation, started_at, ended_at
    """

OF_RUN: LiteralString = (
    "select " + _COLUMNS + " from workflow_steps where run_id = %(run_id)s order by place"  # noqa: S608
)


def of_run(reader: Reader, run_id: UUID) -> list[Step]:
    """In the order of the request; none before the run was planned."""
    return many(reader, Step, OF_RUN, run_id=run_id)


BY_NAME: LiteralString = (
    "select " + _COLUMNS + " from workflow_steps where (run_id, step) = (%(run_id)s, %(step)s)"  # noqa: S608
)


def by_name(reader: Reader, run_id: UUID, step: str) -> Step | None:
    return first(reader, Step, BY_NAME, run_id=run_id, step=step)


BY_JOB: LiteralString = "select " + _COLUMNS + " from workflow_steps where job_id = %(job_id)s"  # noqa: S608


def by_job(reader: Reader, job_id: UUID) -> Step | None:
    return first(reader, Step, BY_JOB, job_id=job_id)


MAKE_READY = """
    update workflow_steps set state = 'ready', started_at = coalesce(started_at, now())
    where (run_id, step) = (%(run_id)s, %(step)s) and state in ('blocked', 'ready', 'running')
    """


def make_ready(tx: Tx, step: Step) -> None:
    run(tx, MAKE_READY, run_id=step.run_id, step=step.step)


BEGIN = """
    update workflow_steps set state = 'running'
    where (run_id, step) = (%(run_id)s, %(step)s) and state = 'ready'
    """


def begin(tx: Tx, step: Step) -> None:
    run(tx, BEGIN, run_id=step.run_id, step=step.step)


READ = """
    update workflow_steps
    set reading = %(reading)s, items_in = items_in + %(read)s, items_out = items_out + %(written)s,
        complete = complete or %(complete)s
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def went_on(
    tx: Tx, step: Step, reading: dict[str, Any] | None, *, read: int, written: int, complete: bool
) -> None:
    """A slice has read so many items, and returned so many."""
    run(
        tx,
        READ,
        run_id=step.run_id,
        step=step.step,
        reading=reading,
        read=read,
        written=written,
        complete=complete,
    )


RETURNED = """
    update workflow_steps set items_out = items_out + %(written)s
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def count_items(tx: Tx, step: Step, written: int) -> None:
    run(tx, RETURNED, run_id=step.run_id, step=step.step, written=written)


LANES = """
    update workflow_steps set lanes_open = lanes_open + %(opened)s
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def count_lanes(tx: Tx, step: Step, opened: int) -> Step:
    """So many lanes more, or less."""
    run(tx, LANES, run_id=step.run_id, step=step.step, opened=opened)
    counted = by_name(tx, step.run_id, step.step)
    return step if counted is None else counted


EXTRACT = """
    update workflow_steps set state = 'running', extraction_id = %(extraction_id)s,
        job_id = %(job_id)s
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def extract(tx: Tx, step: Step, extraction_id: UUID, job_id: UUID) -> None:
    run(tx, EXTRACT, run_id=step.run_id, step=step.step, extraction_id=extraction_id, job_id=job_id)


TRY_AGAIN = """
    update workflow_steps
    set tries = tries + 1, state = 'ready', error = %(error)s, reading = null, complete = false,
        lanes_open = 0, items_in = 0, items_out = 0, extraction_id = null, job_id = null,
        validation = null
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def try_again(tx: Tx, step: Step, error: dict[str, Any] | None) -> None:
    """It begins from its start."""
    run(tx, TRY_AGAIN, run_id=step.run_id, step=step.step, error=error)


END = """
    update workflow_steps
    set state = %(state)s, because = %(because)s, error = %(error)s, ended_at = now(),
        items_in = coalesce(%(items_in)s, items_in), items_out = coalesce(%(items_out)s, items_out)
    where (run_id, step) = (%(run_id)s, %(step)s) and state in ('blocked', 'ready', 'running')
    """


def end(
    tx: Tx,
    step: Step,
    state: str,
    *,
    because: str | None = None,
    error: dict[str, Any] | None = None,
    items_in: int | None = None,
    items_out: int | None = None,
) -> None:
    """Unless it has ended already."""
    run(
        tx,
        END,
        run_id=step.run_id,
        step=step.step,
        state=state,
        because=because,
        error=error,
        items_in=items_in,
        items_out=items_out,
    )


JUDGE = """
    update workflow_steps set validation = %(validation)s
    where (run_id, step) = (%(run_id)s, %(step)s)
    """


def judge(tx: Tx, step: Step, validation: dict[str, Any]) -> None:
    run(tx, JUDGE, run_id=step.run_id, step=step.step, validation=validation)


SKIP_REST = """
    update workflow_steps
    set state = 'skipped', because = %(because)s, ended_at = now()
    where run_id = %(run_id)s and state in ('blocked', 'ready', 'running')
    """


def skip_rest(tx: Tx, run_id: UUID, because: str) -> None:
    run(tx, SKIP_REST, run_id=run_id, because=because)
