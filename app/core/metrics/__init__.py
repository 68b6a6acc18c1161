"""Prometheus metrics of every process of this host, served together.

With PROMETHEUS_MULTIPROC_DIR set (the local run and the deployment files set it) processes write to
files there and any of them can serve the sum; without it each process has its own numbers.
"""

from collections.abc import Callable, Iterable
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_PLAIN_0_0_4,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    generate_latest,
)
from prometheus_client.registry import Collector

from app.core.metrics import files

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
campaign_pages = Counter(
    "citegrid_campaign_pages_total", "Pages of campaigns by what came of them.", ["outcome"]
)
campaign_runs = Counter("citegrid_campaign_runs_total", "Runs of campaigns that closed.", ["state"])
records_read = Counter("citegrid_records_read_total", "Records read from pages of jobs.")
index_passages = Counter(
    "citegrid_index_passages_total", "Changes of passages sent to INDEX_URL.", ["outcome"]
)
index_fallbacks = Counter(
    "citegrid_index_fallbacks_total", "Searches that Postgres answered instead of INDEX_URL."
)
rewards_matured = Counter(
    "citegrid_rewards_matured_total", "Rewards that became available after their window."
)
ledger_audits = Counter("citegrid_ledger_audits_total", "Looks at the books.", ["outcome"])
ledger_violations = Counter(
    "citegrid_ledger_violations_total", "Rows that broke a rule of the books.", ["rule"]
)
votes = Counter("citegrid_votes_total", "Votes on records.", ["use"])
reviews_decided = Counter(
    "citegrid_reviews_decided_total", "Records judged, by votes or by our checks.", ["state", "by"]
)
accounts_suspended = Counter(
    "citegrid_accounts_suspended_total", "Accounts whose answers were wrong too often."
)
unconfined = Counter(
    "citegrid_reading_unconfined_total",
    "Processes that read documents of strangers without a wall that the system refused.",
    ["wall"],
)
claims_waiting = Gauge(
    "citegrid_claims_waiting", "Claims of nodes that wait for work.", multiprocess_mode="livesum"
)
work_given = Counter("citegrid_work_given_total", "Items handed to nodes.", ["kind"])
work_ended = Counter("citegrid_work_ended_total", "How nodes left items.", ["kind", "outcome"])
chats = Counter("citegrid_chats_total", "Chats by how they ended.", ["ended"])
disputes_decided = Counter(
    "citegrid_disputes_decided_total", "Disputes and appeals.", ["kind", "state", "by"]
)
requests_unrecorded = Counter(
    "citegrid_requests_unrecorded_total", "Requests that were answered and not kept."
)
rights_refused = Counter(
    "citegrid_rights_refused_total", "Statements that the database refused a role.", ["role"]
)
deliveries = Counter(
    "citegrid_webhook_deliveries_total", "Messages sent to receivers of webhooks.", ["outcome"]
)
alert_mails = Counter(
    "citegrid_alert_mails_total", "Attempts to hand alerts to the mail server.", ["outcome"]
)
redis_away = Counter("citegrid_redis_failures_total", "Calls done without Redis.", ["use"])


def count_answer(method: str, endpoint: str | None, status: int, seconds: float) -> None:
    """Count one answer. Labels are bounded: a caller may invent addresses and methods."""
    count, time = _of_request(method if method in METHODS else "other", endpoint or "none", status)
    count.inc()
    time.observe(seconds)


@cache
def _of_request(method: str, endpoint: str, status: int) -> tuple[Counter, Histogram]:
    """Kept: finding the labelled ones takes longer than counting."""
    return requests.labels(method, endpoint, status), request_seconds.labels(endpoint)


def exposition(current: Iterable[Metric] = ()) -> bytes:
    """The text format: what processes counted, and `current` gauges, read just now."""
    gauges = CollectorRegistry()
    gauges.register(Now(lambda: current))
    return bytes(generate_latest(files.registry()) + generate_latest(gauges))


class Now(Collector):
    """A collector that reads its figures at each scrape: a `Gauge` would outlive its process."""

    def __init__(self, read: Callable[[], Iterable[Metric]]) -> None:
        self._read = read

    def describe(self) -> Iterable[Metric]:
        """Nothing: whoever registers this would read once for it."""
        return ()

    def collect(self) -> Iterable[Metric]:
        return self._read()
