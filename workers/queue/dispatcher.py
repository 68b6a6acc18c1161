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
from typing import Any
from uuid import UUID

import kombu.exceptions
import psycopg
import redis
from celery import Celery

from app.core import db, events, ids, log, metrics
from app.core.config import Settings
from app.domains.jobs import dispatching, kinds, schedules
from workers.queue.celery import HANDLERS, RUN, create_worker

logger = log.get(__name__)

FULL_PAUSE_SECONDS = 0.005  # Redis holds enough: look again when workers may have taken some,
FULL_PAUSE_LIMIT_SECONDS = 0.1  # and less often while they are at long jobs
IDLE_SECONDS = 0.25  # how long a missed wake-up may cost
SWEEP_SECONDS = 0.5
ESTABLISH_SECONDS = 600.0
BEAT_SECONDS = 5.0
MEASURE_SECONDS = 0.5
RECENT_JOBS = 400
BUSY_LOOPS = 8  # so many times in a row that work came within
BUSY_SECONDS = 0.005  # of the work before: submits need not ring for a while
BUSY_PAUSE_SECONDS = 0.002
HANG_SECONDS = 60.0  # a process still busy so long after the last deadline of a message is killed
GENERATION = "citegrid:generation"
AWAY = (redis.RedisError, kombu.exceptions.KombuError, OSError)


class Dispatcher:
    def __init__(self, settings: Settings, celery: Celery) -> None:
        self.settings, self.celery = settings, celery
        self.id = f"{socket.gethostname()}:{os.getpid()}"
        self.redis = events.connect(settings.redis_url)
        self.publisher = events.Publisher(self.redis)
        self.stopping = threading.Event()
        self._due: dict[Callable[[], None], float] = {}
        self._sleeping: bool | None = None
        self._pause = FULL_PAUSE_SECONDS
        self._busy, self._moved_at = 0, 0.0
        self._rung: list[str] = []
        self._short: dict[str, int] = {}
        self._recent: deque[UUID] = deque(maxlen=RECENT_JOBS)
        self._bell: psycopg.Connection | None = None

    def run(self) -> None:
        """Until `stopping` is set. A database that is away is waited for."""
        while not self.stopping.is_set():
            try:
                self._every(SWEEP_SECONDS, self.sweep)
                self._every(BEAT_SECONDS, self.beat)
                self._every(MEASURE_SECONDS, self.measure)
                self._every(ESTABLISH_SECONDS, self.establish)
                self._rest(*self.dispatch())
            except psycopg.OperationalError as error:
                logger.warning("database away", error=type(error).__name__)
                self._bell = None
                self.stopping.wait(0.5)

    def dispatch(self) -> tuple[int, bool]:
        """Fill every queue up to its depth: how many jobs moved, and whether a queue is full."""
        moved, any_full = 0, False
        for queue in self._rung or kinds.queues():
            with db.forgettable() as tx:
                chosen, full = dispatching.choose(
                    tx, queue, self.settings.dispatch_depth, self.settings.dispatch_lost_seconds
                )
            if chosen:
                self._publish(queue, chosen)
            moved, any_full = moved + len(chosen), any_full or full
        self._rung = []
        return moved, any_full

    def sweep(self) -> None:
        """Lost messages, dead workers, deadlines, due schedules, and a Redis that forgot."""
        with db.transaction() as tx:
            over = dispatching.sweep(tx)
        for job in over:
            metrics.swept.labels(job.kind, (job.error or {}).get("code", "")).inc()
        self.publisher.moved([job.id for job in over])
        with db.transaction() as tx:
            schedules.tick(tx)
        try:
            # The key is gone when Redis was flushed or restarted empty: so are all messages.
            if not self.redis.exists(GENERATION):
                with db.transaction() as tx:
                    dispatching.put_all_back(tx)
                self.redis.set(GENERATION, self.id)  # only now: Postgres may be away as well
        except redis.RedisError:
            metrics.redis_away.labels("dispatch").inc()

    def beat(self) -> None:
        with db.transaction() as tx:
            dispatching.beat(tx, self.id, sleeping=bool(self._sleeping))
            dispatching.forget_dead(tx)

    def measure(self) -> None:
        """Learn which kinds are so short that a message should carry several."""
        with db.reading() as tx:
            self._short = dispatching.short_kinds(tx, list(self._recent))

    def establish(self) -> None:
        """The service's own schedules: there from the first start of a new version on."""
        with db.transaction() as tx:
            schedules.establish(tx)

    def _publish(self, queue: str, chosen: list[dispatching.Chosen]) -> None:
        try:
            with (
                self.celery.producer_pool.acquire(block=True, timeout=2) as producer,
                producer.batch(max_size=500),
            ):
                for message in dispatching.messages(chosen, self._short):
                    self._send(producer, queue, message)
            metrics.dispatched.labels(queue).inc(len(chosen))
            self._recent.extend(job.id for job in chosen)
        except AWAY as error:
            logger.warning("redis away", error=type(error).__name__, jobs=len(chosen))
            metrics.redis_away.labels("dispatch").inc()
            with db.transaction() as tx:
                dispatching.put_back(tx, [job.id for job in chosen])
            self.stopping.wait(0.3)

    def _send(self, producer: Any, queue: str, message: list[dispatching.Chosen]) -> None:
        id = str(ids.new())
        limit = max(job.seconds_left for job in message) + HANG_SECONDS
        # Celery's message protocol 2, without what only Celery's own features ask for.
        producer.publish(
            ([[str(job.id) for job in message]], {}, {}),
            exchange="",
            routing_key=queue,
            serializer="json",
            correlation_id=id,
            headers={
                "lang": "py",
                "task": RUN,
                "id": id,
                "root_id": id,
                "argsrepr": "",
                "kwargsrepr": "",
                "timelimit": [limit, None],
            },
        )

    def _rest(self, moved: int, full: bool) -> None:
        """Wait for work: briefly while Redis is full, else until a submit rings."""
        if full:
            self._set_sleeping(False)
            slower = min(FULL_PAUSE_LIMIT_SECONDS, self._pause * 1.5)
            self._pause = FULL_PAUSE_SECONDS if moved else slower
            self.stopping.wait(self._pause)
            return
        if self._is_busy(moved):
            self._set_sleeping(False)
            self.stopping.wait(BUSY_PAUSE_SECONDS)
            return
        if not self._sleeping:
            self._set_sleeping(True)
            return  # look once more: a submit may have come before the flag was seen
        if self._bell is None or self._bell.closed:
            self._bell = db.connect(self.settings.database_url)
            self._bell.execute("listen jobs_ready")
            return
        rung = self._bell.notifies(timeout=IDLE_SECONDS, stop_after=1)
        self._rung = sorted({notify.payload for notify in rung} & set(kinds.queues()))

    def _is_busy(self, moved: int) -> bool:
        """Whether work has come so thick of late that every submit would ring."""
        now = time.monotonic()
        if moved:
            thick = now - self._moved_at < BUSY_SECONDS
            self._moved_at, self._busy = now, self._busy + 1 if thick else 0
        return self._busy >= BUSY_LOOPS and now - self._moved_at < BUSY_SECONDS

    def _set_sleeping(self, sleeping: bool) -> None:
        if sleeping != self._sleeping:
            with db.forgettable() as tx:
                dispatching.beat(tx, self.id, sleeping=sleeping)
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


def main(handlers: Sequence[str] = HANDLERS) -> None:
    settings = Settings.from_env()
    log.configure(settings.log_level)
    metrics.serve(settings.metrics_port)
    db.open(settings.database_url, size=4, wait_seconds=5.0, forgetful=1)
    celery = create_worker(settings, handlers)
    celery.loader.import_default_modules()  # the handlers' modules register their kinds
    dispatcher = Dispatcher(settings, celery)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: dispatcher.stopping.set())
    dispatcher.run()
    db.close()


if __name__ == "__main__":
    main()
