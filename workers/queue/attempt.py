"""The handle on a job that its handler works on: check, report, write."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from time import perf_counter
from typing import Any
from uuid import UUID

from app.core import db, metrics
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.redis.events import Publisher
from app.domains.queue.jobs import attempt_store
from app.domains.queue.jobs import service as jobs
from app.domains.queue.jobs.attempt_store import ClaimedJob
from app.domains.queue.jobs.kinds import Kind
from app.domains.queue.jobs.parts import Wait
from workers.queue.leases import Leases


class Lost(Exception):
    """The job is no longer ours: cancelled, ended, or with another worker. Write nothing."""


@dataclass(slots=True)
class Attempt:
    """One attempt at one job. Handlers call `check` between steps, or `stage`, which does."""

    job: ClaimedJob
    settings: Settings
    leases: Leases
    publisher: Publisher
    seconds: dict[str, float] = field(default_factory=dict)
    _stage: tuple[str, float] | None = None
    _version: int = 0

    @property
    def id(self) -> UUID:
        return self.job.id

    @property
    def account_id(self) -> UUID:
        return self.job.account_id

    @property
    def payload(self) -> dict[str, Any]:
        return self.job.payload

    @property
    def seconds_left(self) -> float:
        return self.job.seconds_left

    @property
    def now(self) -> datetime:
        """By the database's clock: this process's own may be wrong."""
        return self.job.now

    def check(self) -> None:
        """Raises Lost when the job was taken away, DeadlineExceeded when its time is up."""
        if self.leases.lost(self.job):
            raise Lost
        if self.seconds_left <= 0:
            raise jobs.DeadlineExceeded

    def stage(self, name: str, percent: int, **facts: Any) -> None:
        """Begin a stage: its predecessor is timed, watchers are notified, and `check` is done."""
        self.end_stage()
        self._stage = (name, perf_counter())
        self.report(name, percent, **facts)

    def report(self, stage: str, percent: int, **facts: Any) -> None:
        """Publish progress: `percent` 0-100 and facts such as `sources_found`."""
        self.check()
        self._version += 1
        version = self.job.attempt * 1_000_000 + self._version
        report = {"percent": percent, "stage": stage, "version": version, **facts}
        with db.forgettable() as tx:
            ours = attempt_store.progress(tx, self.job, report)
        if not ours:
            raise Lost
        self.publisher.moved([self.id])

    def end_stage(self) -> None:
        if self._stage is None:
            return
        name, began = self._stage
        self.seconds[name] = round(perf_counter() - began, 4)
        metrics.stage_seconds.labels(self.job.kind, name).observe(self.seconds[name])
        self._stage = None

    def notify(self) -> None:
        """Tells watchers of this job, or of its parent, that something has changed."""
        self.publisher.moved([self.id] if self.job.parent_id is None else [self.job.parent_id])

    @contextmanager
    def step(self) -> Iterator[Tx]:
        """A transaction for results before the end. Raises Lost, and commits nothing, if fenced.

        A part is fenced as well when its parent does not wait for it.

        A step may be repeated by a later attempt: its effect must be the same when done twice. One
        that takes longer than the lease keeps the job.
        """
        with db.transaction() as tx:
            if not jobs.hold(tx, self.job):
                raise Lost
            yield tx
            attempt_store.keep(tx, self.job, self.leases.lease_seconds)

    def drain(self, some: Callable[[Tx], int]) -> int:
        """Do some of something in a step each, until none is left; how many."""
        total = 0
        while True:
            with self.step() as tx:
                done = some(tx)
            self.check()
            if not done:
                return total
            total += done


Handler = Callable[[Attempt], jobs.Finish | Wait]
"""Works outside any transaction; returns what writes the results in the finishing one."""

_handlers: dict[str, Handler] = {}


def handles(kind: Kind) -> Callable[[Handler], Handler]:
    def declare(handler: Handler) -> Handler:
        _handlers[kind.name] = handler
        return handler

    return declare


def handler_of(kind: str) -> Handler:
    return _handlers[kind]


def handled() -> set[str]:
    """The kinds that have a handler in this process."""
    return set(_handlers)
