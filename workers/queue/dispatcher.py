"""`python -m workers.queue.dispatcher`: moves due jobs to Redis, cleans up after the dead.

Any number may run. A shallow Redis is what makes priority, fairness, cancelling and a flush
harmless: what has not been dispatched is still only a row.
"""

import os
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from uuid import UUID

import psycopg
import redis

from app.core import db, log, metrics, tracing
from app.core.config.settings import Settings
from app.core.db import roles, schema
from app.core.metrics import server
from app.core.redis import events
from app.domains.providers.work import wakeups
from app.domains.queue.jobs import dispatch_store, kinds, schedules
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.dispatch_store import DueJob
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues import connections
from app.web import queue_metrics
from workers.queue import lost_messages, maintenance
from workers.queue.announcements import AnnouncementListener
from workers.queue.celery import HANDLERS, create_worker
from workers.queue.depths import Depths
from workers.queue.messages import Messages

logger = log.get(__name__)

FULL_PAUSE_SECONDS = 0.005  # Redis holds enough: look again when workers may have taken some,
FULL_PAUSE_LIMIT_SECONDS = 0.1  # and less often while they are at long jobs
IDLE_SECONDS = 0.25  # how long a missed wake-up may cost
CLAIM_SECONDS = 0.005  # a free worker has claimed what was sent: choosing then is in nobody's way
LOOK_SECONDS = 0.25  # how long the announcements of one queue may hide the others
SWEEP_SECONDS = 0.5
ESTABLISH_SECONDS = 600.0
BEAT_SECONDS = 5.0
MEASURE_SECONDS = 0.5
SAMPLE_SECONDS = 1.0
RECENT_JOBS = 400
SPAN_JOBS = 100  # how many are named
BUSY_LOOPS = 8  # so many times in a row that work came within
BUSY_SECONDS = 0.005  # of the work before: submits need not announce for a while
BUSY_PAUSE_SECONDS = 0.002


class Dispatcher:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.id = f"{socket.gethostname()}:{os.getpid()}"
        self.redis = events.connect(settings.redis_url)
        self.publisher = events.Publisher(self.redis)
        self.messages = Messages(self.redis, settings.dispatch_depth)
        self.depths = Depths(settings.dispatch_depth)
        self.stopping = threading.Event()
        self._due: dict[Callable[[], None], float] = {}
        self._sleeping: bool | None = None
        self._pause, self._overdue = FULL_PAUSE_SECONDS, False
        self._busy, self._moved_at = 0, 0.0
        self._announced: list[str] = []
        self._was_announced = False
        self._room: dict[str, int] = {}
        self._sent: set[UUID] = set()
        self._served: dict[str, UUID] = {}
        self._short: dict[str, int] = {}
        self._recent: deque[UUID] = deque(maxlen=RECENT_JOBS)
        self.listener = AnnouncementListener(settings, self.id)

    def run(self) -> None:
        """Until `stopping` is set. A database that is away is waited for."""
        while not self.stopping.is_set():
            try:
                self._every(SWEEP_SECONDS, self.sweep)
                self._every(LOOK_SECONDS, self.wake)
                self._every(BEAT_SECONDS, self.beat)
                self._every(MEASURE_SECONDS, self.measure)
                self._every(ESTABLISH_SECONDS, self.establish)
                self._every(SAMPLE_SECONDS, maintenance.sample)
                moved, full = self.dispatch()
                if not self._overdue:
                    self._rest(moved, full)
            except psycopg.OperationalError as error:
                logger.warning("database away", error=type(error).__name__)
                self.listener.close()
                self._sent.clear()
                self.stopping.wait(0.5)
        with suppress(psycopg.OperationalError), db.forgettable() as tx:
            dispatch_store.sign_off(tx, self.id)

    def dispatch(self) -> tuple[int, bool]:
        """Fill the queues that were announced, or all: how many jobs moved, and if one is full."""
        moved, any_full = len(self._sent), False
        for queue in self._announced or self._active():
            chosen, full = self._choose(queue)
            unsent = [job for job in chosen if job.id not in self._sent]
            if unsent:
                self._publish(queue, unsent)
            moved, any_full = moved + len(unsent), any_full or full
        self._announced, self._sent = [], set()
        return moved, any_full

    def _active(self) -> list[str]:
        """All queues but those that rest, with room, and in which nothing waits: one question."""
        resting = [
            queue for queue in kinds.queues() if self._room.get(queue) and self.depths.rests(queue)
        ]
        with db.reading() as reader:
            at_rest = set(resting) - dispatch_store.active(reader, resting)
        return [queue for queue in kinds.queues() if queue not in at_rest]

    def send(self, queue: str, job: DueJob | None) -> bool:
        """Have a job that was announced begun before it is chosen, if there is room for it.

        A message is a hint: whoever claims it finds out what is to be done. The choice comes after.
        """
        if job is None or self._room.get(queue, 0) < 1:
            return False
        self._room[queue] -= 1
        try:
            self._send(queue, [job])
        except redis.RedisError:
            return False
        self._sent.add(job.id)
        return True

    def wake(self) -> None:
        """Look at all queues: nothing announces what falls due or goes back."""
        with db.forgettable() as tx:
            dispatch_store.wake(tx)
        self._announced = []

    def sweep(self) -> None:
        """Lost messages, dead workers, deadlines, due schedules, and a Redis that forgot."""
        self._overdue = maintenance.end_overdue(self.publisher)
        if self._overdue:
            self._due[self.sweep] = 0.0
        with db.transaction() as tx:
            schedules.tick(tx)
        try:
            lost_messages.requeue(self.redis, self.messages, self.settings.dispatch_lost_seconds)
        except redis.RedisError:
            metrics.redis_away.labels("dispatch").inc()

    def beat(self) -> None:
        with db.transaction() as tx:
            dispatch_store.beat(tx, self.id, sleeping=bool(self._sleeping))
            dispatch_store.forget_dead(tx)
            self.listener.share_with(dispatch_store.alive(tx))
            worker_store.forget_old(tx)

    def measure(self) -> None:
        """Learn which kinds are so short that a message should carry several."""
        with db.reading() as reader:
            self._short = selection.short_kinds(reader, list(self._recent))

    def establish(self) -> None:
        maintenance.establish(self.settings.database_pool_size)

    def _choose(self, queue: str) -> tuple[list[DueJob], bool]:
        try:
            room = self.messages.room(queue)
        except redis.RedisError as error:
            self._wait_for_redis(error)
            return [], False
        with db.forgettable() as tx:
            chosen, full, left, self._room[queue], self._served[queue] = selection.choose(
                tx,
                queue,
                self.depths.of(queue),
                self.settings.dispatch_lost_seconds,
                after=self._served.get(queue, selection.NOBODY),
                most=room,
            )
        self.depths.learn(queue, left, len(chosen), full=full)
        return chosen, full

    def _publish(self, queue: str, chosen: list[DueJob]) -> None:
        try:
            self._send(queue, chosen)
        except redis.RedisError as error:
            with db.transaction() as tx:
                dispatch_store.put_back(tx, [job.id for job in chosen])
            self._wait_for_redis(error)

    def _send(self, queue: str, jobs: list[DueJob]) -> None:
        with _span(queue, jobs):
            self.messages.send(queue, selection.messages(jobs, self._short))
        metrics.dispatched.labels(queue).inc(len(jobs))
        self._recent.extend(job.id for job in jobs)

    def _wait_for_redis(self, error: Exception) -> None:
        logger.warning("redis away", error=type(error).__name__)
        metrics.redis_away.labels("dispatch").inc()
        self.stopping.wait(0.3)

    def _rest(self, moved: int, full: bool) -> None:
        """Wait for work: briefly while workers take what fills Redis, else until some comes."""
        slower = min(FULL_PAUSE_LIMIT_SECONDS, self._pause * 1.5)
        self._pause = FULL_PAUSE_SECONDS if moved or not full else slower
        announced, self._was_announced = self._was_announced, False
        # A queue that is full of long jobs must neither keep the others waiting nor, when more are
        # submitted to it, have us look at each.
        if full and (moved or announced):
            self._set_sleeping(False)
            self.stopping.wait(FULL_PAUSE_SECONDS)
            return
        if self._is_busy(moved):
            self._set_sleeping(False)
            self.stopping.wait(BUSY_PAUSE_SECONDS)
            return
        if not self._sleeping:
            self._set_sleeping(True)
            return  # look once more: a submit may have come before the flag was seen
        if not self.listener.listens:
            self.listener.listen()
            return
        self._announced = sorted(self._heard(self._pause if full else IDLE_SECONDS))
        self._was_announced = bool(self._announced)

    def _heard(self, seconds: float) -> set[str]:
        """The queues in which something is due. New jobs are sent while there is room for them."""
        queues: set[str] = set()
        heard = self.listener.wait(seconds)
        while heard:
            queues.update(each.queue for each in heard)
            sent = [self.send(*each) for each in heard]
            if not all(sent):
                break
            heard = self.listener.wait(CLAIM_SECONDS)
        return queues & set(kinds.queues())

    def _is_busy(self, moved: int) -> bool:
        """True if work has come so thick of late that every submit would be announced."""
        now = time.monotonic()
        if moved:
            thick = now - self._moved_at < BUSY_SECONDS
            self._moved_at, self._busy = now, self._busy + 1 if thick else 0
        return self._busy >= BUSY_LOOPS and now - self._moved_at < BUSY_SECONDS

    def _set_sleeping(self, sleeping: bool) -> None:
        if sleeping != self._sleeping:
            with db.forgettable() as tx:
                dispatch_store.beat(tx, self.id, sleeping=sleeping)
            self._sleeping = sleeping

    def _every(self, seconds: float, act: Callable[[], None]) -> None:
        now = time.monotonic()
        if now < self._due.get(act, 0.0):
            return
        self._due[act] = now + seconds
        try:
            act()
        except psycopg.OperationalError:
            raise
        except Exception:  # a fault in one domain's housekeeping must not stop everybody's jobs
            logger.exception("housekeeping failed", task=act.__name__)


def _span(queue: str, chosen: list[DueJob]) -> AbstractContextManager[None]:
    """In a trace of its own: its jobs are of many."""
    ids = [str(job.id) for job in chosen[:SPAN_JOBS]]
    facts: tracing.Facts = {"citegrid.jobs": len(chosen), "citegrid.job_ids": ids}
    return tracing.span(f"dispatch {queue}", "producer", None, facts)


def main(handlers: Sequence[str] = HANDLERS) -> None:
    settings = Settings.from_env()
    log.configure(settings.log_level)
    tracing.start(settings.tracing_url, "citegrid-dispatcher")
    schema.require(settings.session_url)
    role = roles.workers(settings.database_role)
    db.require_role(settings.session_url, role)
    db.open(
        settings.database_url,
        pooled=bool(settings.database_direct_url),
        role=role,
        size=connections.DISPATCHER.plain,
        wait_seconds=5.0,
        forgetful=connections.DISPATCHER.forgetful,
    )
    celery = create_worker(settings, handlers)
    celery.loader.import_default_modules()  # some handlers' modules define kinds
    wakeups.connect_notifier(settings.redis_url)
    server.serve(
        settings, "dispatcher", lambda: queue_metrics.current(settings.queue_target_seconds)
    )
    dispatcher = Dispatcher(settings)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: dispatcher.stopping.set())
    dispatcher.run()
    tracing.stop()
    db.close()


if __name__ == "__main__":
    main()
