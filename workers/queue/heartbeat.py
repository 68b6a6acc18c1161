"""The heartbeat of a Celery worker: a thread that reports to Postgres and reads orders to drain."""

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import psycopg

from app.core import db, log
from app.core.config.settings import Settings
from app.core.db import roles
from app.domains.queue.jobs.operations import worker_store

logger = log.get(__name__)

BEAT_SECONDS = 2.0
MEMORY_BEATS = 15  # adding up the memory of processes takes milliseconds


class Consumer(Protocol):
    """The part of Celery's consumer that this needs."""

    def call_soon(self, act: Callable[..., object], *args: object) -> object: ...
    def cancel_task_queue(self, queue: str) -> object: ...


class Heartbeat:
    """From `start` until `stop`. A database that is away is tried again."""

    def __init__(
        self,
        settings: Settings,
        beat: worker_store.Beat,
        consumer: Consumer,
        children: Callable[[], Iterable[int]],
    ) -> None:
        """`children` are the process ids of those that do the work."""
        self._settings, self._beat = settings, beat
        self._consumer, self._children = consumer, children
        self._stopping = threading.Event()
        self._registered = self._draining = False
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        with suppress(psycopg.Error), self._connect() as connection, connection.transaction():
            worker_store.left(connection, self._beat.id)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                with self._connect() as connection:
                    self._beat_on(connection)
            except psycopg.Error as error:
                logger.warning("heartbeat not written", error=type(error).__name__)
                self._stopping.wait(BEAT_SECONDS)

    def _connect(self) -> db.Tx:
        settings = self._settings
        return db.connect(  # type: ignore[return-value]
            settings.session_url,
            role=roles.workers(settings.database_role),
            patience_seconds=db.SILENCE_SECONDS,
        )

    def _beat_on(self, connection: db.Tx) -> None:
        connection.execute("set synchronous_commit = off")
        if not self._registered:  # in a container the next worker has the id of the last
            worker_store.left(connection, self._beat.id)
            self._registered = True
        beats = 0
        while not self._stopping.is_set():
            memory = self._memory_bytes() if beats % MEMORY_BEATS == 0 else None
            if worker_store.beat(connection, replace(self._beat, memory_bytes=memory)):
                self._drain(connection)
            beats += 1
            self._stopping.wait(BEAT_SECONDS)

    def _drain(self, connection: db.Tx) -> None:
        """Take nothing new. Jobs go on, and so does the process: a supervisor would replace it."""
        if self._draining:
            return
        self._draining = True
        logger.warning("worker drains", queues=self._beat.queues)
        stopped = threading.Event()
        self._consumer.call_soon(self._cancel, stopped)
        while not stopped.wait(BEAT_SECONDS) and not self._stopping.is_set():
            worker_store.beat(connection, self._beat)
        worker_store.stopped(connection, self._beat.id)

    def _cancel(self, stopped: threading.Event) -> None:
        for queue in self._beat.queues:
            self._consumer.cancel_task_queue(queue)
        stopped.set()

    def _memory_bytes(self) -> int | None:
        """Of the worker and its children, what they share counted once; None where unknown."""
        try:
            return sum(_memory_bytes(pid) for pid in (os.getpid(), *self._children()))
        except (OSError, ValueError):
            return None


def _memory_bytes(pid: int) -> int:
    """The memory by proc(5), smaps_rollup, where shared pages count in part."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except FileNotFoundError:  # a child that has just ended
        if pid == os.getpid():
            raise
        return 0
    (kilobytes,) = (line.split()[1] for line in text.splitlines() if line.startswith("Pss:"))
    return int(kilobytes) * 1024
