"""The answers of operations: queues, samples, workers, jobs of all accounts."""

from datetime import datetime
from typing import Any

from citegrid.transport.codec import ApiObject


class Queue(ApiObject):
    """The state of a queue; `drains_in_seconds` is None if it does not drain."""

    name: str
    state: str
    waiting: int
    running: int
    delayed: int
    oldest_seconds: float
    workers: int
    places: int
    per_second: float
    growth_per_minute: float | None
    drains_in_seconds: float | None
    paused_at: datetime | None
    paused_by: str | None


class Queues(ApiObject):
    """All queues; `summary` is a sentence about `worst`, the one in the worst state."""

    summary: str
    worst: str | None
    dispatchers: int
    target_seconds: float
    queues: tuple[Queue, ...]


class QueueSample(ApiObject):
    """A step of a window, named by its end; None where nothing was sampled."""

    at: datetime
    waiting: int | None
    running: int | None
    oldest_seconds: float | None
    finished: int | None
    failed: int | None
    workers: int | None


class QueueHistory(ApiObject):
    """The samples of one queue, oldest first."""

    queue: str
    samples: tuple[QueueSample, ...]


class QueueHistories(ApiObject):
    """The samples of all queues."""

    window: str
    step_seconds: int
    histories: tuple[QueueHistory, ...]


class QueueDetail(ApiObject):
    """A queue with its samples, oldest first."""

    queue: Queue
    window: str
    step_seconds: int
    samples: tuple[QueueSample, ...]


class Worker(ApiObject):
    """A worker that takes jobs; `busy` of its `places` hold one."""

    id: str
    name: str
    status: str
    queues: tuple[str, ...]
    places: int
    busy: int
    version: str
    memory_bytes: int | None
    started_at: datetime
    seen_at: datetime
    silent_seconds: float
    drain_at: datetime | None
    stopped_at: datetime | None


class TaskError(ApiObject):
    """Why a job or an attempt failed."""

    code: str
    message: str


class TaskSummary(ApiObject):
    """A job of any account; `account` is None for the service's own work."""

    id: str
    account: str | None
    queue: str
    kind: str
    state: str
    attempt: int
    max_attempts: int
    worker: str | None
    error: TaskError | None
    created_at: datetime
    run_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    parent: str | None


class TaskAttempt(ApiObject):
    """A failed attempt."""

    attempt: int
    worker: str | None
    started_at: datetime | None
    ended_at: datetime
    outcome: str
    error: TaskError | None


class Task(TaskSummary):
    """A job with its input, its attempts and its parts."""

    input: dict[str, Any]
    progress: dict[str, Any]
    deadline_at: datetime
    request: str | None
    worked_seconds: float | None
    attempts: tuple[TaskAttempt, ...]
    parts: tuple[TaskSummary, ...]
    can_be_retried: bool
    can_be_cancelled: bool


class TaskCounts(ApiObject):
    """The number of jobs that a filter matches, and of those on which a bulk action would act."""

    by_state: dict[str, int]
    total: int
    retriable: int
    cancellable: int


class BulkAction(ApiObject):
    """Retrying or cancelling all that a filter matched, and how far it got."""

    id: str
    action: str
    filter: dict[str, str]
    requested_by: str
    state: str
    expected: int
    done: int
    remaining: int | None
    created_at: datetime
    finished_at: datetime | None


class FailureCause(ApiObject):
    """Failures of one kind of work for one reason."""

    kind: str
    queue: str
    code: str
    message: str
    jobs: int
    retriable: int
    last_at: datetime


class Failures(ApiObject):
    """Why jobs failed since a time, most frequent cause first."""

    since: datetime
    failures: tuple[FailureCause, ...]


class OperatorAction(ApiObject):
    """An action of an operator; `jobs` is how many a bulk action was to act on."""

    at: datetime
    by: str
    action: str
    target: str
    jobs: int | None
