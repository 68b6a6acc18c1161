"""Metrics of the queues and the index, read from Postgres at each scrape."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final

import psycopg
from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily

from app.core import db
from app.core.db import Reader
from app.domains.account.audit.store import last_of_operators
from app.domains.library.passages import changes
from app.domains.library.passages.change_store import Lag
from app.domains.queue.jobs.dispatch import selection
from app.domains.queue.jobs.dispatch.selection import Depth
from app.domains.queue.jobs.operations.queues import connections, queues
from app.domains.queue.jobs.operations.queues.connections import Budget
from app.domains.queue.jobs.operations.queues.queue_states import STATES
from app.domains.queue.jobs.operations.queues.queues import Queue

PATIENCE_SECONDS: Final = 5.0


def current(target_seconds: float) -> list[Metric]:
    """`target_seconds` is how soon the work of a queue should begin.

    Without a database Prometheus must hear of that before it gives up, which it does after 10 s.
    """
    with db.within(PATIENCE_SECONDS):
        jobs = _read(lambda reader: of_jobs(selection.depths(reader)))
        if not jobs:
            return [database(up=False)]
        return [
            database(up=True),
            *jobs,
            *_read(lambda reader: of_backup(last_of_operators(reader, "database.backed_up"))),
            *_read(lambda reader: of_connections(connections.budget(reader))),
            *_read(lambda reader: of_lag(changes.lag(reader))),
            *_read(lambda reader: of_queues(queues.overview(reader, target_seconds))),
        ]


def _read(metrics: Callable[[Reader], Iterable[Metric]]) -> list[Metric]:
    """None without a database: what the processes counted is wanted most of all then."""
    try:
        with db.reading() as reader:
            return list(metrics(reader))
    except psycopg.OperationalError:
        return []


def database(*, up: bool) -> Metric:
    return GaugeMetricFamily("citegrid_database_up", "Whether Postgres answers.", value=up)


def of_jobs(depths: Iterable[Depth]) -> list[Metric]:
    labels = ["queue", "state"]
    unfinished = GaugeMetricFamily("citegrid_jobs", "Unfinished jobs.", labels=labels)
    oldest = GaugeMetricFamily(
        "citegrid_jobs_oldest_seconds", "Age of the oldest unfinished job.", labels=labels
    )
    for depth in depths:
        unfinished.add_metric([depth.queue, depth.state], depth.jobs)
        oldest.add_metric([depth.queue, depth.state], max(0.0, depth.oldest_seconds))
    return [unfinished, oldest]


def of_backup(succeeded_at: datetime | None) -> Iterator[Metric]:
    yield GaugeMetricFamily(
        "citegrid_backup_success_timestamp_seconds",
        "When the last backup succeeded; 0: never.",
        value=0.0 if succeeded_at is None else succeeded_at.timestamp(),
    )


def of_connections(budget: Budget) -> Iterator[Metric]:
    text = "Connections to Postgres, whoever holds them."
    yield GaugeMetricFamily("citegrid_database_connections_open", text, value=budget.open)
    text = "Connections that Postgres allows."
    yield GaugeMetricFamily("citegrid_database_connections_allowed", text, value=budget.allowed)


def of_lag(lag: Lag | None) -> Iterator[Metric]:
    """Of an index that follows, if one does."""
    if lag is None:
        return
    waiting = "Passages added or removed that INDEX_URL has not heard of."
    yield GaugeMetricFamily("citegrid_index_lag_passages", waiting, value=lag.passages)
    oldest = "How long INDEX_URL has not heard of the oldest of them."
    yield GaugeMetricFamily("citegrid_index_lag_seconds", oldest, value=lag.seconds)


# The attributes of a queue, and what is said of each.
_OF_QUEUES: Final = {
    "workers": "Workers that take jobs of a queue.",
    "waiting": "Jobs that could begin now.",
    "oldest_seconds": "How long the oldest job that could begin has waited.",
    "per_second": "Jobs that ended a second, lately.",
    "places": "How many jobs the workers of a queue hold at once, of all their queues.",
    "places_busy": "How many they hold now.",
    "places_wanted": "How many places the queue needs, so that work begins in time.",
}
_NAMES: Final = {"per_second": "ended_per_second"}


def of_queues(found: Sequence[Queue]) -> list[Metric]:
    """Of the states of a queue one is 1, the others are 0: alerts name the one they are about."""
    state_now = GaugeMetricFamily(
        "citegrid_queue_state", "Whether a queue is in this state.", labels=["queue", "state"]
    )
    for queue in found:
        for state in STATES:
            state_now.add_metric([queue.name, state], float(state == queue.state))
    gauges = []
    for attribute, text in _OF_QUEUES.items():
        name = f"citegrid_queue_{_NAMES.get(attribute, attribute)}"
        gauge = GaugeMetricFamily(name, text, labels=["queue"])
        for queue in found:
            gauge.add_metric([queue.name], getattr(queue, attribute))
        gauges.append(gauge)
    return [state_now, *gauges]
