"""The metrics of the queues and the index at `/metrics` and METRICS_PORT, read from Postgres just
now.
"""

import psycopg
from prometheus_client import Metric

from app.core import db, metrics
from app.domains.library.passages import changes
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.operations.queues import queues
from app.domains.queue.jobs.operations.queues.queue_states import STATES


def current(target_seconds: float) -> list[Metric]:
    """`target_seconds` is how soon the work of a queue should begin."""
    return metrics.gauges(_depths(), _lag(), _queues(target_seconds), STATES)


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


def _lag() -> tuple[int, float] | None:
    try:
        with db.reading() as reader:
            lag = changes.lag(reader)
    except psycopg.OperationalError:
        return None
    return None if lag is None else (lag.passages, lag.seconds)
