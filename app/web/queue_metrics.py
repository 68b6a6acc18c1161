"""Metrics of the queues and the index, read from Postgres at each scrape."""

from typing import Final

import psycopg
from prometheus_client import Metric

from app.core import db, metrics
from app.domains.account.audit.store import last_of_operators
from app.domains.library.passages import changes
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.operations.queues import connections, queues
from app.domains.queue.jobs.operations.queues.queue_states import STATES

PATIENCE_SECONDS: Final = 5.0


def current(target_seconds: float) -> list[Metric]:
    """`target_seconds` is how soon the work of a queue should begin.

    Without a database Prometheus must hear of that before it gives up, which it does after 10 s.
    """
    with db.within(PATIENCE_SECONDS):
        depths = _depths()
        if depths is None:
            return metrics.gauges(None)
        return metrics.gauges(
            depths,
            _lag(),
            _queues(target_seconds),
            STATES,
            _backed_up_at(),
            _connections(),
        )


def _depths() -> list[tuple[str, str, int, float]] | None:
    try:
        with db.reading() as reader:
            return [(d.queue, d.state, d.jobs, d.oldest_seconds) for d in selection.depths(reader)]
    except psycopg.OperationalError:
        return None  # what the processes counted is wanted most of all now


def _queues(target_seconds: float) -> list[metrics.QueueNow]:
    try:
        with db.reading() as reader:
            return [_queue_now(queue) for queue in queues.overview(reader, target_seconds)]
    except psycopg.OperationalError:
        return []


def _queue_now(queue: queues.Queue) -> metrics.QueueNow:
    return metrics.QueueNow(
        queue.name,
        queue.state,
        queue.workers,
        queue.waiting,
        queue.oldest_seconds,
        queue.per_second,
        queue.places,
        queue.places_busy,
        queue.places_wanted,
    )


def _backed_up_at() -> float | None:
    try:
        with db.reading() as reader:
            event = last_of_operators(reader, "database.backed_up")
    except psycopg.OperationalError:
        return None
    return 0.0 if event is None else event.timestamp()


def _connections() -> tuple[int, int] | None:
    try:
        with db.reading() as reader:
            budget = connections.budget(reader)
    except psycopg.OperationalError:
        return None
    return budget.open, budget.allowed


def _lag() -> tuple[int, float] | None:
    try:
        with db.reading() as reader:
            lag = changes.lag(reader)
    except psycopg.OperationalError:
        return None
    return None if lag is None else (lag.passages, lag.seconds)
