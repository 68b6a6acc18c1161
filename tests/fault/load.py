"""Jobs of mixed kinds, submitted as a client would, and the tally of what became of them."""

import random
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.kinds import Kind
from tests import servers
from tests.fault import work
from tests.fault.stage import read, run_as_owner

ACCOUNTS = [ids.new() for _ in range(5)]


@dataclass(frozen=True, slots=True)
class Tally:
    """What a run came to.

    `taken` counts attempts that a worker lost or gave back; `late` counts jobs that ended more than
    a sweep after their deadline.
    """

    jobs: int
    lost: int
    doubled: int
    open: int
    late: int
    restarts: int
    taken: int

    @property
    def good(self) -> bool:
        return (self.lost, self.doubled, self.open, self.late) == (0, 0, 0, 0)


class Load:
    """Submits jobs that must all succeed, each with exactly one effect."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)
        self.submitted = 0

    def submit(self, count: int) -> None:
        """Accepted when this returns. A refused submit is repeated with the same ids."""
        batch = [(ids.new(), *self._mixed()) for _ in range(count)]

        def enqueue(tx: Tx) -> None:
            for id, kind, payload in batch:
                jobs.enqueue(tx, kind, self._random.choice(ACCOUNTS), payload, id=id)

        read(enqueue)
        self.submitted += count

    def submit_one(self, kind: Kind = work.ORDINARY, **payload: Any) -> UUID:
        id = read(lambda tx: jobs.enqueue(tx, kind, ACCOUNTS[0], payload))
        self.submitted += 1
        return id

    def wait(self) -> None:
        """Until every job of the database has ended."""
        servers.until(lambda: unfinished() == 0)

    def _mixed(self) -> tuple[Kind, dict[str, Any]]:
        drawn = self._random.random()
        if drawn < 0.40:
            return work.SHORT, {}
        if drawn < 0.75:
            return work.ORDINARY, {}
        if drawn < 0.85:
            return self._random.choice([work.SHORT, work.ORDINARY]), {"fails": 1}
        return work.ORDINARY, {"seconds": self._random.uniform(0.05, 0.5)}


def unfinished() -> int:
    return int(
        read(
            lambda tx: db.value(
                tx,
                "select count(*) from jobs where finished_at is null",
            )
        )
    )


def effects() -> int:
    return int(read(lambda tx: db.value(tx, "select count(*) from effects")))


def settle(expected: int) -> Tally:
    """Compare all jobs with all effects. An effect of an attempt that was fenced is a double."""
    row = read(
        lambda tx: tx.execute(
            """
            with found as (
                select jobs.*, (select count(*) from effects where job_id = jobs.id) as times,
                       (select max(effects.attempt) from effects where job_id = jobs.id) as by
                from jobs where kind in ('test.ordinary', 'test.short')
            )
            select count(*) filter (where times > 0 and state = 'succeeded'),
                   count(*) filter (where times > 1 or by <> attempt or
                                          times > 0 and state <> 'succeeded'),
                   count(*) filter (where finished_at is null),
                   count(*) filter (where finished_at > deadline_at + interval '2 seconds'),
                   coalesce(sum(greatest(attempt - 1, 0)), 0),
                   (select count(*) from job_attempts where outcome in ('lost', 'released'))
            from found
            """
        ).fetchone()
    )
    assert row is not None
    done, doubled, still_open, late, restarts, taken = row
    return Tally(expected, expected - done, doubled, still_open, late, restarts, taken)


def clear() -> None:
    tables = "jobs, job_attempts, effects, schedules, schedule_runs, items, records, joins, deaths"
    run_as_owner(f"truncate {tables} cascade")
