"""Prometheus metrics of every process of this host, served together.

With PROMETHEUS_MULTIPROC_DIR set (the local run and the deployment files set it) processes write to
files there and any of them can serve the sum; without it each process has its own numbers.
"""

from collections.abc import Iterator
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Histogram,
    Metric,
    generate_latest,
    multiprocess,
    start_http_server,
    values,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
STAGES = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)

requests = Counter("citegrid_http_requests_total", "Answers.", ["method", "endpoint", "status"])
request_seconds = Histogram("citegrid_http_request_seconds", "Time to answer.", ["endpoint"])
claims = Counter("citegrid_job_claims_total", "Jobs taken by workers.", ["kind"])
outcomes = Counter("citegrid_job_outcomes_total", "How attempts ended.", ["kind", "outcome"])
job_seconds = Histogram("citegrid_job_seconds", "From claim to end.", ["kind"], buckets=STAGES)
stage_seconds = Histogram(
    "citegrid_stage_seconds", "Time per stage of a job.", ["kind", "stage"], buckets=STAGES
)
dispatched = Counter("citegrid_jobs_dispatched_total", "Jobs handed to Redis.", ["queue"])
swept = Counter("citegrid_jobs_swept_total", "Jobs ended by a sweeper.", ["kind", "code"])
pages_read = Counter(
    "citegrid_pages_read_total", "Pages of jobs by what came of them.", ["outcome"]
)
records_read = Counter("citegrid_records_read_total", "Records read from pages of jobs.")
index_passages = Counter(
    "citegrid_index_passages_total", "Changes of passages sent to INDEX_URL.", ["outcome"]
)
index_fallbacks = Counter(
    "citegrid_index_fallbacks_total", "Searches that Postgres answered instead of INDEX_URL."
)
redis_away = Counter("citegrid_redis_failures_total", "Calls done without Redis.", ["use"])


def answered(method: str, endpoint: str | None, status: int, seconds: float) -> None:
    """Count one answer. Labels are bounded: a caller may invent addresses and methods."""
    count, time = _of_request(method if method in METHODS else "other", endpoint or "none", status)
    count.inc()
    time.observe(seconds)


@cache
def _of_request(method: str, endpoint: str, status: int) -> tuple[Counter, Histogram]:
    """Kept: finding the labelled ones takes longer than counting."""
    return requests.labels(method, endpoint, status), request_seconds.labels(endpoint)


def exposition(
    depths: list[tuple[str, str, int, float]] | None, lag: tuple[int, float] | None = None
) -> bytes:
    """The text format, with (queue, state, jobs, oldest seconds) read from Postgres just now.

    None says that Postgres did not answer. `lag` is that of an index that follows, if one does:
    (passages, seconds).
    """
    database_up = GaugeMetricFamily(
        "citegrid_database_up", "Whether Postgres answers.", value=depths is not None
    )
    depth = GaugeMetricFamily("citegrid_jobs", "Unfinished jobs.", labels=["queue", "state"])
    oldest = GaugeMetricFamily(
        "citegrid_jobs_oldest_seconds",
        "Age of the oldest unfinished job.",
        labels=["queue", "state"],
    )
    for queue, state, jobs, seconds in depths or ():
        depth.add_metric([queue, state], jobs)
        oldest.add_metric([queue, state], max(0.0, seconds))
    gauges = CollectorRegistry()
    gauges.register(_Now([database_up, depth, oldest, *_lag(lag)]))
    return bytes(generate_latest(_registry()) + generate_latest(gauges))


def _lag(lag: tuple[int, float] | None) -> Iterator[Metric]:
    if lag is None:
        return
    waiting = "Passages added or removed that INDEX_URL has not heard of."
    yield GaugeMetricFamily("citegrid_index_lag_passages", waiting, value=lag[0])
    oldest = "How long INDEX_URL has not heard of the oldest of them."
    yield GaugeMetricFamily("citegrid_index_lag_seconds", oldest, value=lag[1])


class _Now(Collector):
    """What was read just now. A `Gauge` would be kept in this process's file, and outlive it."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def serve(port: int, host: str) -> None:
    """Serve this host's metrics from a worker or dispatcher process."""
    if port:
        start_http_server(port, addr=host, registry=_registry())


def _registry() -> CollectorRegistry:
    if values.ValueClass.__name__ != "MmapedValue":  # no directory was set when this was imported
        return REGISTRY
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return registry
