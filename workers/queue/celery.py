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
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from kombu.connection import Connection

from app import __version__, wiring
from app.core import db, log, tracing
from app.core.config.settings import Settings
from app.core.db import refusals, roles
from app.core.metrics import server
from app.core.redis import clients, events, limits
from app.core.redis.refused_rights import RefusedRights
from app.domains.providers.work import wakeups
from app.domains.queue.jobs.dispatch import sweep_store
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues import connections
from workers.queue import shared
from workers.queue.heartbeat import Heartbeat
from workers.queue.leases import host_name, worker_name
from workers.queue.runner import Runner

RECONNECT_SECONDS = 2.0
HANDLERS = (
    "workers.searches.handler",
    "workers.campaigns.run_end",
    "workers.campaigns.disputes",
    "workers.campaigns.run",
    "workers.index.corpora",
    "workers.index.documents",
    "workers.index.embeddings",
    "workers.records.erasure",
    "workers.records.lanes.lane",
    "workers.records.runs.templates",
    "workers.records.runs.run",
    "workers.records.verification",
    "workers.records.runs.samples",
    "workers.index.build",
    "workers.index.changes",
    "workers.housekeeping.alert_mails",
    "workers.housekeeping.ledger",
    "workers.records.monitors",
    "workers.housekeeping.operations",
    "workers.housekeeping.payments",
    "workers.housekeeping.personal_data",
    "workers.index.rebuild",
    "workers.index.sites",
    "workers.housekeeping.retention",
    "workers.campaigns.rewards",
    "workers.campaigns.reviews",
    "workers.housekeeping.webhooks",
    "workers.records.workflow_steps",
    "workers.records.workflows",
)
RUN = "jobs.run"
TRANSPORT: dict[str, Any] = {
    "socket_timeout": 5,  # a Redis that says nothing is away
    "socket_connect_timeout": 2,
    "health_check_interval": 10,  # and so is one that a firewall forgot
    "polling_interval": 1,  # how long one look for messages may block
}


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
    """The Celery application: one task for all work; `handlers` are modules of handlers."""
    wiring.connect()
    refusals.tell(RefusedRights(limits.connect(settings.redis_url)).add)
    broker = clients.broker(settings.redis_url, **TRANSPORT)
    celery = Celery("citegrid", amqp=Amqp, broker=broker.url, include=handlers)
    celery.conf.update(
        # A job's row says what became of it: Celery keeps no results and sends no events.
        task_ignore_result=True,
        worker_send_task_events=False,
        task_publish_retry=False,  # the dispatcher sends messages, past Celery's publisher
        task_default_queue="searches",  # of a worker without -Q
        task_create_missing_queues=True,  # those of -Q are declared nowhere else
        # A process takes a message when it is free for it: one taken earlier would wait behind a
        # long job while another worker idles, and would be lost with this one.
        worker_prefetch_multiplier=1,
        worker_disable_prefetch=True,
        # No limits of time and no recycling of processes: a handler keeps its deadline by itself, a
        # killed one would be a lost lease, and pages are read in processes that end after use.
        worker_hijack_root_logger=False,  # app.core.log writes all lines
        # Jobs live in Postgres: those that run go on while Redis is away, however long that is.
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=broker.options,
        broker_use_ssl=broker.tls,
    )
    shared.prepare(settings)
    runners: list[Runner] = []
    heartbeats: list[Heartbeat] = []

    @celery.task(name=RUN)
    def run(ids: list[str]) -> None:
        runners[0].run([UUID(id) for id in ids])

    @setup_logging.connect(weak=False)
    def logs(**_: object) -> None:
        log.configure(settings.log_level)

    @worker_process_init.connect(weak=False)
    def begin(**_: object) -> None:
        tracing.start(settings.tracing_url, "citegrid-worker")
        db.open(
            settings.database_url,
            pooled=bool(settings.database_direct_url),
            role=roles.workers(settings.database_role),
            size=connections.WORKER.plain,
            wait_seconds=5.0,
            statement_timeout_seconds=settings.worker_statement_timeout_seconds,
            forgetful=connections.WORKER.forgetful,
        )
        wakeups.connect_notifier(settings.redis_url)
        publisher = events.Publisher(events.connect(settings.redis_url))
        runners[:] = [Runner(settings, worker_name(), publisher)]

    worker_process_shutdown.connect(_end)

    @worker_ready.connect(weak=False)
    def register(sender: Any, **_: object) -> None:
        server.serve(settings, f"worker-{sender.hostname.partition('@')[0]}")
        said = worker_store.Beat(
            id=host_name(os.getpid()).rstrip(":"),
            name=_shown(sender.hostname),
            queues=sorted(sender.app.amqp.queues.consume_from),
            places=sender.pool.num_processes,
            version=__version__,
        )
        heartbeats.append(Heartbeat(settings, said, sender, _child_pids))
        heartbeats[0].start()

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
        url, role = settings.session_url, roles.workers(settings.database_role)
        patience = db.SILENCE_SECONDS
        with (
            db.connect(url, role=role, patience_seconds=patience) as connection,
            connection.transaction(),
        ):
            sweep_store.release(connection, host_name(os.getpid()))  # type: ignore[arg-type]
        for heartbeat in heartbeats:
            heartbeat.stop()

    return celery


def _end(**_: object) -> None:
    tracing.stop()


def _child_pids() -> list[int]:
    return [child.pid for child in active_children()]


def _shown(node: str) -> str:
    """Celery's `name@host` as `host:name`."""
    name, _, host = node.partition("@")
    return f"{host}:{name}"


def end_children() -> None:
    """Kill the processes that still work; the worker then ends by itself."""
    for child in active_children():
        os.kill(child.pid, signal.SIGKILL)
