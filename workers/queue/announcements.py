"""Announcements of new jobs, by which submits wake a dispatcher that sleeps."""

import time
from collections.abc import Iterable
from typing import LiteralString, NamedTuple
from uuid import UUID

import psycopg

from app.core import db
from app.core.config.settings import Settings
from app.core.db import roles
from app.domains.queue.jobs.dispatch_store import DueJob

LISTEN: LiteralString = "listen jobs_ready"


class Announcement(NamedTuple):
    """Something is due in a queue: this new job, or whatever is found."""

    queue: str
    job: DueJob | None


class AnnouncementListener:
    """Hears announcements for one dispatcher. `listen` also replaces a connection that is lost."""

    def __init__(self, settings: Settings, id: str) -> None:
        self._settings, self._id = settings, id
        self._all = [id]
        self._connection: psycopg.Connection | None = None

    def share_with(self, others: Iterable[str]) -> None:
        """The dispatchers that live: one is told of a job, and others find it later."""
        self._all = sorted({self._id, *others})

    @property
    def listens(self) -> bool:
        return self._connection is not None and not self._connection.closed

    def listen(self) -> None:
        """A server that hangs must not keep us from everything else: it says nothing here."""
        role = roles.workers(self._settings.database_role)
        with db.within(db.SILENCE_SECONDS):
            self._connection = db.connect(self._settings.session_url, role=role)
            self._connection.execute(LISTEN)

    def wait(self, seconds: float) -> list[Announcement]:
        """The next announcements for this dispatcher; none after so long."""
        if self._connection is None:
            raise RuntimeError("listen() comes first")
        until, heard = time.monotonic() + seconds, list[Announcement]()
        while not heard and (left := until - time.monotonic()) > 0:
            said = self._connection.notifies(timeout=left, stop_after=1)
            heard = [each for each in map(_announcement, said) if self._is_ours(each)]
        return heard

    def _is_ours(self, announced: Announcement) -> bool:
        job = announced.job
        return job is None or self._all[job.id.int % len(self._all)] == self._id

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _announcement(notify: psycopg.Notify) -> Announcement:
    """As `store.insert` writes it; other statements, and older processes, name the queue alone."""
    queue, _, job = notify.payload.partition(" ")
    try:
        id, kind, account_id, seconds = job.split()
        return Announcement(queue, DueJob(UUID(id), kind, 0, float(seconds), UUID(account_id)))
    except ValueError:
        return Announcement(queue, None)
