"""The results of reading jobs: their state, runs, pages, changes, and records with provenance."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import Any, Final

from citegrid.nouns.failure import Failure
from citegrid.transport.codec import ApiObject

FINISHED: Final = frozenset({"completed", "failed", "cancelled"})


class JobProgress(ApiObject):
    """`pages_done` counts finished pages, including failed ones."""

    percent: int
    stage: str
    pages_found: int
    pages_done: int
    pages_failed: int
    records: int


class SampleValidation(ApiObject):
    """The agreement of a second, independent extraction of a sample. Agreement is not truth."""

    sample_rate: float
    sampled: int
    compared: int
    not_comparable: int
    passed: int
    failed: int
    pass_rate: float | None
    interval_95: tuple[float, ...] | None
    by: str
    fields: Mapping[str, Any]
    failures: tuple[Mapping[str, Any], ...]


class JobSource(ApiObject):
    """The source of a job's pages: `url` is the first of `count` addresses, `query` that of a
    search.
    """

    type: str
    url: str | None
    query: str | None
    count: int


class JobSchedule(ApiObject):
    """When a monitor runs: `every`, or `cron` in a time zone."""

    every: str | None
    cron: str | None
    timezone: str | None


class JobRequest(ApiObject):
    """The request body of a job, to create it again."""

    id: str
    request: Mapping[str, Any]


class JobSummary(ApiObject):
    """A job without its results."""

    id: str
    type: str
    status: str
    stop_reason: str | None
    source: JobSource | None
    schedule: JobSchedule | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    expires_at: datetime | None
    deadline_at: datetime | None
    next_run_at: datetime | None
    paused: bool
    rerun_of: str | None
    progress: JobProgress
    coverage: float | None
    warnings: tuple[str, ...]
    error: Failure | None
    metadata: Mapping[str, str]


class JobWebhook(ApiObject):
    """The endpoint of a job; `secret` is there once, when the endpoint was made."""

    id: str
    secret: str | None = field(default=None, repr=False)


class Job(JobSummary):
    """A job; `validation` is there when a sample was extracted twice."""

    stats: Mapping[str, Any]
    validation: SampleValidation | None
    steps: tuple[Mapping[str, Any], ...] | None
    webhook: JobWebhook | None

    @property
    def finished(self) -> bool:
        """True if it will never change again."""
        return self.status in FINISHED


class JobEvent(ApiObject):
    """One event of a stream: `status`, `progress` or, with the job, `completed`."""

    name: str
    id: str | None
    status: str
    progress: JobProgress | None = None
    job: Job | None = None


class RunPages(ApiObject):
    found: int
    done: int
    failed: int
    same: int
    new: int
    changed: int
    removed: int
    error: int


class Run(ApiObject):
    id: str
    n: int
    tick: datetime | None
    status: str
    stop_reason: str | None
    pages: RunPages
    records: int
    stats: Mapping[str, Any]
    validation: SampleValidation | None
    error: Failure | None
    started_at: datetime | None
    completed_at: datetime | None


class ReadPage(ApiObject):
    """A page of a run. An outcome other than `read` says why it was not read."""

    url: str
    outcome: str | None
    verdict: str | None
    records: int
    snapshot: str | None
    fetched_at: datetime | None


class Change(ApiObject):
    """The difference that a monitor found on a page."""

    id: str
    run: str
    url: str
    verdict: str
    record: str | None
    fields: tuple[Mapping[str, Any], ...]
    difference: str | None
    snapshot: str | None
    previous_snapshot: str | None
    moved_to: str | None
    returned: bool
    created_at: datetime | None


class Unsatisfied(ApiObject):
    """A place where a record does not match its schema."""

    pointer: str
    keyword: str
    expected: Any
    actual: Any


class Provenance(ApiObject):
    """`quote` is `text[start:end]` of the snapshot, in Unicode code points."""

    pointer: str
    kind: str
    source_url: str
    snapshot: str
    content_hash: str
    fetched_at: datetime
    quote: str
    start: int
    end: int
    prefix: str
    suffix: str
    selector: str | None
    json_pointer: str | None
    method: str
    transform: str
    match: str
    confidence: float


class Record(ApiObject):
    """A record with the source of each value.

    `unsure` points to values that are only probable; `candidates` are values that are more probably
    wrong.
    """

    id: str
    url: str
    final: bool
    confidence: float
    data: Mapping[str, Any]
    unsatisfied: tuple[Unsatisfied, ...]
    candidates: Mapping[str, Any]
    provenance: tuple[Provenance, ...]
    unsure: tuple[str, ...] = ()


class PageText(ApiObject):
    """The text read at an address: `text[:visible_end]` is visible, the rest structured data."""

    id: str
    url: str
    text: str
    visible_end: int
    content_hash: str
    fetched_at: datetime


class QuoteComparison(ApiObject):
    """`found`, `moved`, `changed` (into `nearest`) or `gone`."""

    result: str
    start: int | None = None
    end: int | None = None
    match: str | None = None
    nearest: str | None = None
    similarity: float | None = None
    difference: str | None = None
    moved_to: str | None = None
    fetched_at: datetime | None = None


class Verification(ApiObject):
    """A quote, checked in the stored text and, unless `live_error` says why not, on the page."""

    id: str | None
    status: str
    stored: QuoteComparison | None
    live: QuoteComparison | None
    live_error: str | None
