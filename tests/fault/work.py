"""Kinds of work for the fault tests: one row per effect, and nothing that would hide doubles.

A payload says what happens: `seconds` of work, and `first_seconds` more in the first attempt,
`fails` attempts that raise, and `dies`, the stages at which the process that has the job kills
itself, one for each attempt.
"""

import os
import signal
import time
from typing import NoReturn
from uuid import UUID

from app.core.db import Tx
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs import service as jobs
from workers.queue.attempt import Attempt, handles

QUEUE = "test"
ASIDE_QUEUE = "aside"
UNATTENDED_QUEUE = "unattended"
TABLE = """
    create table effects (
        job_id uuid not null, attempt int not null, at timestamptz not null default now()
    )
    """
STAGES = ("claimed", "working", "finishing", "written", "committed")

ORDINARY = kinds.register(
    "test.ordinary",
    queue=QUEUE,
    deadline_seconds=1_800,
    max_attempts=50,
    backoff_seconds=0.1,
    backoff_limit_seconds=1,
)
SHORT = kinds.register(
    "test.short",
    queue=QUEUE,
    deadline_seconds=1_800,
    max_attempts=50,
    backoff_seconds=0.1,
    backoff_limit_seconds=1,
    ids_per_message=16,
)
FATAL = kinds.register(
    "test.fatal", queue=QUEUE, deadline_seconds=1_800, max_attempts=3, ids_per_message=16
)
ASIDE = kinds.register("test.aside", queue=ASIDE_QUEUE, deadline_seconds=1_800, backoff_seconds=0.1)
UNATTENDED = kinds.register("test.unattended", queue=UNATTENDED_QUEUE, deadline_seconds=1_800)
HANGING = kinds.register("test.hanging", queue=QUEUE, deadline_seconds=5, max_attempts=3)


class TryAgain(Exception):
    """What a handler did not expect."""


def work(attempt: Attempt) -> jobs.Finish:
    """Take `seconds`, looking at the lease every now and then, then leave one row."""
    dies = attempt.payload.get("dies", [])
    stage = dies[attempt.job.attempt - 1] if attempt.job.attempt <= len(dies) else ""
    if stage == "claimed":
        die()
    until = time.monotonic() + attempt.payload.get("seconds", 0)
    if attempt.job.attempt == 1:
        until += attempt.payload.get("first_seconds", 0)
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(0.05, left))
        attempt.check()
    if stage == "working":
        die()
    if attempt.job.attempt <= attempt.payload.get("fails", 0):
        raise TryAgain
    return lambda tx: finish(tx, attempt.id, attempt.job.attempt, stage)


def finish(tx: Tx, id: UUID, attempt: int, stage: str) -> None:
    if stage == "finishing":
        die()
    tx.execute("insert into effects (job_id, attempt) values (%s, %s)", (id, attempt))
    if stage == "written":
        die()
    if stage == "committed":
        tx.after_commit.append(die)


def hang(_: Attempt) -> jobs.Finish:
    """Never look at anything again."""
    while True:
        time.sleep(3600)


def die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("survived")


for kind in (ORDINARY, SHORT, FATAL, ASIDE, UNATTENDED):
    handles(kind)(work)
handles(HANGING)(hang)
