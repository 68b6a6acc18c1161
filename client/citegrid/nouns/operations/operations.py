"""Operations: queues, workers and jobs of all accounts, for operators; and the server's health."""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal, TypedDict, Unpack

from citegrid.calls import Call, json_of, nothing
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.operations.operation_results import (
    BulkAction,
    Failures,
    OperatorAction,
    Queue,
    QueueDetail,
    QueueHistories,
    Queues,
    Task,
    TaskCounts,
    TaskSummary,
    Worker,
)
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject

Window = Literal["1h", "6h", "24h", "7d", "30d"]
BulkVerb = Literal["retry", "cancel"]


class TaskFilter(TypedDict, total=False):
    """A filter of jobs: those for which all of this holds."""

    state: str | None
    kind: str | None
    queue: str | None
    account: str | None
    error_code: str | None
    since: datetime | None
    until: datetime | None


class Operations(Noun[M]):
    """`client.operations` (preview): for operators; to others there is nothing."""

    @operation("GET", "/v1/operations/queues", Access.ACCOUNT)
    def queues(self) -> Call[Queues]:
        """Preview. Every queue with its state, what waits, and when it would be empty."""
        return Call(json_of(Queues))

    @operation("GET", "/v1/operations/samples", Access.ACCOUNT)
    def samples(self, *, window: Window | None = None) -> Call[QueueHistories]:
        """Preview. All queues over a window, in at most 90 steps."""
        return Call(json_of(QueueHistories))

    @operation("GET", "/v1/operations/queues/{queue_name}", Access.ACCOUNT)
    def queue(self, queue_name: str, *, window: Window | None = None) -> Call[QueueDetail]:
        """Preview. A queue, and its samples over a window in at most 360 steps."""
        return Call(json_of(QueueDetail))

    @operation("POST", "/v1/operations/queues/{queue_name}/pause", Access.ACCOUNT)
    def pause(self, queue_name: str) -> Call[Queue]:
        """Preview. Begin no more jobs of a queue; those that run go on."""
        return Call(json_of(Queue, inside="queue"))

    @operation("POST", "/v1/operations/queues/{queue_name}/resume", Access.ACCOUNT)
    def resume(self, queue_name: str) -> Call[Queue]:
        """Preview. Begin jobs of a queue again."""
        return Call(json_of(Queue, inside="queue"))

    @operation("GET", "/v1/operations/workers", Access.ACCOUNT)
    def workers(self) -> Call[tuple[Worker, ...]]:
        """Preview. Who takes jobs of which queues, and how busy each is."""
        return Call(json_of(tuple[Worker, ...], inside="workers"))

    @operation("POST", "/v1/operations/workers/{worker_id}/drain", Access.ACCOUNT)
    def drain(self, worker_id: str) -> Call[Worker]:
        """Preview. Let a worker end what it has and take nothing new."""
        return Call(json_of(Worker, inside="worker"))

    @operation("DELETE", "/v1/operations/workers/{worker_id}", Access.ACCOUNT)
    def forget(self, worker_id: str) -> Call[None]:
        """Preview. Take a worker off the list that was not seen for five minutes."""
        return Call(nothing)

    @operation("GET", "/v1/operations/actions", Access.ACCOUNT)
    def actions(self, **page: Unpack[PageOptions]) -> Call[Page[OperatorAction]]:
        """Preview. What operators did in the last year, newest first."""
        return Call(page_of("actions", OperatorAction))

    @operation("GET", "/v1/operations/jobs", Access.ACCOUNT)
    def tasks(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **which: Unpack[TaskFilter],
    ) -> Call[Page[TaskSummary]]:
        """Preview. One page of the jobs of any account that a filter matches, newest first."""
        return Call(page_of("tasks", TaskSummary))

    iterate_tasks = every(
        tasks, "Preview. All jobs that a filter matches, newest first, page after page."
    )

    @operation("GET", "/v1/operations/jobs/counts", Access.ACCOUNT)
    def count_tasks(self, **which: Unpack[TaskFilter]) -> Call[TaskCounts]:
        """Preview. How many jobs a filter matches, and on how many a bulk action would act."""
        return Call(json_of(TaskCounts))

    @operation("GET", "/v1/operations/jobs/{task_id}", Access.ACCOUNT)
    def task(self, task_id: str) -> Call[Task]:
        """Preview. A job, by its id or by that of what it works on, as a search."""
        return Call(json_of(Task, inside="task"))

    @operation("POST", "/v1/operations/jobs/{task_id}/retry", Access.ACCOUNT)
    def retry(self, task_id: str) -> Call[Task]:
        """Preview. Do a failed job again, with fresh attempts and a fresh deadline."""
        return Call(json_of(Task, inside="task"))

    @operation("POST", "/v1/operations/jobs/{task_id}/cancel", Access.ACCOUNT)
    def cancel(self, task_id: str) -> Call[Task]:
        """Preview. End an open job at once; its worker stops at its next step."""
        return Call(json_of(Task, inside="task"))

    @operation("GET", "/v1/operations/bulk", Access.ACCOUNT)
    def bulk_actions(self, **page: Unpack[PageOptions]) -> Call[Page[BulkAction]]:
        """Preview. One page of the actions on many jobs, newest first."""
        return Call(page_of("bulk_actions", BulkAction))

    @operation("POST", "/v1/operations/bulk", Access.ACCOUNT, makes=True)
    def start_bulk(
        self, action: BulkVerb, filter: Mapping[str, str], *, idempotency_key: str | None = None
    ) -> Call[BulkAction]:
        """Preview. Retry or cancel all that a filter matches now; `filter` as `tasks` takes it."""
        return Call(json_of(BulkAction, inside="bulk"))

    @operation("GET", "/v1/operations/bulk/{bulk_id}", Access.ACCOUNT)
    def bulk(self, bulk_id: str) -> Call[BulkAction]:
        """Preview. How far an action on many jobs got."""
        return Call(json_of(BulkAction, inside="bulk"))

    @operation("GET", "/v1/operations/failures", Access.ACCOUNT)
    def failures(self, *, window: Window | None = None, queue: str | None = None) -> Call[Failures]:
        """Preview. Why jobs failed in a window, most frequent cause first."""
        return Call(json_of(Failures))


class Readiness(ApiObject):
    """Each part is `ok` or says what it is."""

    status: str
    database: str
    redis: str
    dispatchers: str


class Health(Noun[M]):
    """`client.health`"""

    @operation("GET", "/readyz", Access.NONE)
    def get(self) -> Call[Readiness]:
        """Returns the readiness to serve requests. Raises Unavailable when they cannot be
        served.
        """
        return Call(json_of(Readiness))
