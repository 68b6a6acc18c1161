"""Kinds of work for the fault tests: one row per effect, and nothing that would hide doubles."""

import time
from uuid import UUID

from app.core.db import Tx
from app.domains.jobs import service as jobs
from workers.running import Running, handles

TABLE = """
    create table effects (
        job_id uuid not null, attempt int not null, at timestamptz not null default now()
    )
    """

ORDINARY = jobs.register(
    jobs.Kind(
        name="test.ordinary",
        queue="test",
        deadline_seconds=120,
        max_attempts=50,
        backoff_seconds=0.1,
        backoff_limit_seconds=1,
    )
)
SHORT = jobs.register(
    jobs.Kind(
        name="test.short",
        queue="test",
        deadline_seconds=120,
        max_attempts=50,
        backoff_seconds=0.1,
        backoff_limit_seconds=1,
        ids_per_message=16,
    )
)


def work(running: Running) -> jobs.Finish:
    """Take `seconds`, looking at the lease every now and then, then leave one row."""
    until = time.monotonic() + running.payload.get("seconds", 0)
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(0.05, left))
        running.check()
    return lambda tx: effect(tx, running.id, running.job.attempt)


def effect(tx: Tx, id: UUID, attempt: int) -> None:
    tx.execute("insert into effects (job_id, attempt) values (%s, %s)", (id, attempt))


for kind in (ORDINARY, SHORT):
    handles(kind)(work)
