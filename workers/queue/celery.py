"""The worker process. create_worker() is its table of contents.

Celery and Redis only carry job ids: messages are acknowledged when taken, nothing is prefetched, no
result is kept. What a lost message or a dead worker leaves behind, the job's row repairs.
"""

import os
import signal
import threading
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from billiard.process import active_children
from celery import Celery
from celery.app.amqp import AMQP
from celery.signals import (
    setup_logging,
    worker_process_init,
    worker_shutdown,
    worker_shutting_down,
)
from kombu.connection import Connection

from app.core import db, events, log
from app.core.config import Settings
from app.domains.jobs import sweeping
from workers.queue.leases import host_name, worker_name
from workers.queue.runner import Runner

RECONNECT_SECONDS = 2.0
HANDLERS = (
    "workers.searches.handler",
    "workers.corpora",
    "workers.embedding",
    "workers.extractions.erasing",
    "workers.extractions.lane",
    "workers.extractions.learning",
    "workers.extractions.run",
    "workers.extractions.verifying",
    "workers.extractions.sampling",
    "workers.index_building",
    "workers.index_changes",
    "workers.monitors",
    "workers.payments",
    "workers.rebuilding",
    "workers.retention",
    "workers.webhooks",
    "workers.workflow_steps",
    "workers.workflows",
)
RUN = "jobs.run"


class Broker(Connection):
    """Looks for a lost Redis every two seconds; Celery would wait up to 30 between two looks."""

    def ensure_connection(self, *args: Any, **kwargs: Any) -> Any:
        pauses = {"interval_start": 0.5, "interval_step": 0.5, "interval_max": RECONNECT_SECONDS}
        return super().ensure_connection(*args, **{**pauses, **kwargs})  # type: ignore[no-untyped-call]


class Amqp(AMQP):  # type: ignore[misc]
    Connection = Broker

    def TaskConsumer(self, channel: Any, **options: Any) -> Any:  # noqa: N802 (Celery's name)
        """Redis need not remember who took which message: a message is only a hint.

        Celery dies of the books it keeps about them when Redis vanishes while it takes one.
        """
        return super().TaskConsumer(channel, no_ack=True, **options)


def create_worker(settings: Settings, handlers: Sequence[str] = HANDLERS) -> Celery:
    """The Celery application: one task, whatever the kind of work.

    `handlers` are the modules that hold the handlers and register the kinds.
    """
    celery = Celery("citegrid", amqp=Amqp, broker=settings.redis_url, include=handlers)
    celery.conf.update(
        task_ignore_result=True,
        task_publish_retry=False,
        task_default_queue="searches",
        task_create_missing_queues=True,
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        worker_hijack_root_logger=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_send_task_events=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options={
            "socket_timeout": 5,
            "socket_connect_timeout": 2,
            "socket_keepalive": True,
            "health_check_interval": 10,
            "polling_interval": 1,
        },
    )
    runners: list[Runner] = []

    @celery.task(name=RUN)
    def run(ids: list[str]) -> None:
        runners[0].run([UUID(id) for id in ids])

    @setup_logging.connect(weak=False)
    def logs(**_: object) -> None:
        log.configure(settings.log_level)

    @worker_process_init.connect(weak=False)
    def begin(**_: object) -> None:
        db.open(
            settings.database_url,
            size=4,
            wait_seconds=5.0,
            statement_timeout_seconds=settings.worker_statement_timeout_seconds,
            forgetful=2,
        )
        publisher = events.Publisher(events.connect(settings.redis_url))
        runners[:] = [Runner(settings, worker_name(), publisher)]

    @worker_shutting_down.connect(weak=False)
    def hurry(**_: object) -> None:
        """A stopping worker ends with its last job, but waits for it no longer than the grace.

        Celery's own soft shutdown always waits the whole time, and then says nothing at the end.
        """
        limit = threading.Timer(settings.worker_grace_seconds, end_children)
        limit.daemon = True
        limit.start()

    @worker_shutdown.connect(weak=False)
    def give_back(**_: object) -> None:
        """The children are gone: what they still held goes to other workers at once."""
        with db.connect(settings.database_url) as connection, connection.transaction():
            sweeping.release(connection, host_name(os.getpid()))  # type: ignore[arg-type]

    return celery


def end_children() -> None:
    """Kill the processes that still work; the worker then ends by itself."""
    for child in active_children():
        os.kill(child.pid, signal.SIGKILL)
