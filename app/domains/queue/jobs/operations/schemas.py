"""Queries, bodies and answers of operations."""

from typing import Any, Final

from marshmallow import Schema, fields, validate

from app.core.http.fields import Part, PublicId, Text, Time, example_id, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.queue.jobs.operations.listing_store import CONDITIONS
from app.domains.queue.jobs.operations.queues.queue_states import STATES
from app.domains.queue.jobs.operations.queues.samples import WINDOWS

ACTIONS: Final = ("retry", "cancel")
WORKER_STATUSES: Final = ("running", "idle", "draining", "drained", "silent", "gone")
_OPEN: Final = "`open`: not ended."


def _number(text: str = "", **kwargs: Any) -> fields.Int:
    return fields.Int(required=True, metadata={"description": text} if text else {}, **kwargs)


class WindowIn(Schema):
    window = fields.Str(load_default="1h", validate=validate.OneOf(tuple(WINDOWS)))


class FailuresIn(WindowIn):
    queue = Text(most=100)


def _filter() -> dict[str, Any]:
    return {
        "state": fields.Str(
            validate=validate.OneOf(tuple(CONDITIONS)), metadata={"description": _OPEN}
        ),
        "kind": Text(most=100),
        "queue": Text(most=100),
        "account": fields.Str(metadata={"pattern": id_pattern(Noun.ACCOUNT)}),
        "error_code": Text(most=100),
        "since": Time(
            metadata={
                "description": "Only jobs that ended (or, if open, were created) at or after "
                "this time."
            }
        ),
        "until": Time(
            metadata={
                "description": "Only jobs that ended (or, if open, were created) before this time."
            }
        ),
    }


FilterIn = Schema.from_dict(_filter(), name="TaskFilterIn")


class TasksIn(PageIn, FilterIn):  # type: ignore[misc, valid-type]
    """A filter and a page."""


class BulkIn(Schema):
    action = fields.Str(required=True, validate=validate.OneOf(ACTIONS))
    filter = Part(FilterIn, required=True)


class QueueSchema(Schema):
    name = fields.Str(required=True)
    state = fields.Str(required=True, validate=validate.OneOf(STATES))
    waiting = _number(
        "Jobs ready to start. Counts up to 1,000 are live, up to 50,000 update every ten "
        "seconds, up to 1,000,000 every minute."
    )
    running = _number()
    delayed = _number(
        "Jobs scheduled for later, including retries. Counts up to 1,000 over all queues."
    )
    oldest_seconds = fields.Float(
        required=True, metadata={"description": "Age of the oldest waiting job."}
    )
    workers = _number("Active workers that are not draining.")
    places = _number("Maximum parallel jobs of these workers over all their queues.")
    per_second = fields.Float(
        required=True, metadata={"description": "Recent rate of finished jobs per second."}
    )
    growth_per_minute = fields.Float(
        required=True,
        allow_none=True,
        metadata={"description": "Growth of waiting jobs over five minutes; null if unknown."},
    )
    drains_in_seconds = fields.Float(
        required=True, allow_none=True, metadata={"description": "null: never."}
    )
    paused_at = Time(required=True, allow_none=True)
    paused_by = fields.Str(required=True, allow_none=True)


class QueuesOut(Schema):
    summary = fields.Str(
        required=True,
        metadata={"description": "State of the worst queue."},
    )
    worst = fields.Str(
        required=True, allow_none=True, metadata={"description": "Name of the worst queue."}
    )
    dispatchers = _number("Active in the last 15 seconds.")
    target_seconds = fields.Float(required=True, metadata={"description": "QUEUE_TARGET_SECONDS."})
    queues = fields.List(fields.Nested(QueueSchema), required=True)


class SampleSchema(Schema):
    at = Time(required=True, metadata={"description": "End of the step."})
    waiting = fields.Int(required=True, allow_none=True, metadata={"description": "The most."})
    running = fields.Int(required=True, allow_none=True)
    oldest_seconds = fields.Float(required=True, allow_none=True)
    finished = fields.Int(required=True, allow_none=True, metadata={"description": "In the step."})
    failed = fields.Int(required=True, allow_none=True)
    workers = fields.Int(required=True, allow_none=True)


class QueueHistorySchema(Schema):
    queue = fields.Str(required=True)
    samples = fields.List(
        fields.Nested(SampleSchema),
        required=True,
        metadata={"description": "Oldest first; null without samples."},
    )


class HistoriesOut(Schema):
    window = fields.Str(required=True)
    step_seconds = _number()
    histories = fields.List(fields.Nested(QueueHistorySchema), required=True)


class QueueOut(Schema):
    queue = fields.Nested(QueueSchema, required=True)


class QueueDetailOut(QueueOut):
    window = fields.Str(required=True)
    step_seconds = _number()
    samples = fields.List(fields.Nested(SampleSchema), required=True)


class WorkerSchema(Schema):
    id = fields.Str(required=True, metadata={"example": "3"})
    name = fields.Str(required=True)
    status = fields.Str(
        required=True,
        validate=validate.OneOf(WORKER_STATUSES),
        metadata={
            "example": "running",
            "description": "`silent`: no heartbeat for 15 seconds; `gone`: for 5 minutes.",
        },
    )
    queues = fields.List(fields.Str(), required=True)
    places = _number()
    busy = _number("Number of busy places.")
    version = fields.Str(required=True)
    memory_bytes = fields.Int(required=True, allow_none=True)
    started_at = Time(required=True)
    seen_at = Time(required=True)
    silent_seconds = fields.Float(required=True)
    drain_at = Time(required=True, allow_none=True)
    stopped_at = Time(
        required=True, allow_none=True, metadata={"description": "Start of the drain."}
    )


class WorkersOut(Schema):
    workers = fields.List(fields.Nested(WorkerSchema), required=True)


class WorkerOut(Schema):
    worker = fields.Nested(WorkerSchema, required=True)


class TaskErrorSchema(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)


class TaskListedSchema(Schema):
    id = PublicId(Noun.TASK, required=True)
    account = fields.Str(
        required=True, allow_none=True, metadata={"description": "null for maintenance jobs."}
    )
    queue = fields.Str(required=True)
    kind = fields.Str(required=True)
    state = fields.Str(required=True)
    attempt = _number()
    max_attempts = _number()
    worker = fields.Str(required=True, allow_none=True)
    error = fields.Nested(TaskErrorSchema, required=True, allow_none=True)
    created_at = Time(required=True)
    run_at = Time(required=True, metadata={"description": "Earliest start."})
    started_at = Time(required=True, allow_none=True)
    finished_at = Time(required=True, allow_none=True)
    parent = PublicId(Noun.TASK, required=True, allow_none=True)


class TaskAttemptSchema(Schema):
    attempt = _number()
    worker = fields.Str(required=True, allow_none=True, metadata={"example": "host1:searches"})
    started_at = Time(required=True, allow_none=True)
    ended_at = Time(required=True, metadata={"example": "2026-11-21T09:00:40Z"})
    outcome = fields.Str(required=True, metadata={"example": "lost"})
    error = fields.Nested(
        TaskErrorSchema,
        required=True,
        allow_none=True,
        metadata={
            "example": {"code": "worker_lost", "message": "The worker ended without a result."}
        },
    )


class TaskSchema(TaskListedSchema):
    input = fields.Dict(
        required=True,
        metadata={
            "example": {"search_id": example_id("srch")},
            "description": "Ids and options.",
        },
    )
    progress = fields.Dict(required=True)
    deadline_at = Time(required=True)
    request = fields.Str(
        required=True, allow_none=True, metadata={"description": "`X-Request-Id` of the request."}
    )
    worked_seconds = fields.Float(required=True, allow_none=True)
    attempts = fields.List(
        fields.Nested(TaskAttemptSchema),
        required=True,
        metadata={"description": "Attempts without success."},
    )
    parts = fields.List(
        fields.Nested(TaskListedSchema), required=True, metadata={"description": "At most 100."}
    )
    can_be_retried = fields.Bool(required=True)
    can_be_cancelled = fields.Bool(required=True)


TasksOut = page_schema("TasksOut", tasks=TaskListedSchema)


class TaskOut(Schema):
    task = fields.Nested(TaskSchema, required=True)


class CountsOut(Schema):
    """Slow counts are cached for fifty times their duration."""

    by_state = fields.Dict(keys=fields.Str(), values=fields.Int(), required=True)
    total = _number()
    retriable = _number("Number of jobs a bulk `retry` would retry.")
    cancellable = _number("Number of jobs a bulk `cancel` would cancel.")


class BulkSchema(Schema):
    id = PublicId(Noun.BULK_ACTION, required=True)
    action = fields.Str(required=True, validate=validate.OneOf(ACTIONS))
    filter = fields.Dict(keys=fields.Str(), values=fields.Str(), required=True)
    requested_by = fields.Str(required=True)
    state = fields.Str(required=True, metadata={"description": "State of its job."})
    expected = _number("Number of matching jobs at the time of the request.")
    done = _number()
    remaining = fields.Int(
        required=True,
        allow_none=True,
        metadata={"description": "Jobs that still match at the end: locked or rejected."},
    )
    created_at = Time(required=True)
    finished_at = Time(required=True, allow_none=True)


class BulkOut(Schema):
    bulk = fields.Nested(BulkSchema, required=True)


BulksOut = page_schema("BulksOut", bulk_actions=BulkSchema)


class CauseSchema(Schema):
    kind = fields.Str(required=True)
    queue = fields.Str(required=True)
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    jobs = _number()
    retriable = _number()
    last_at = Time(required=True)


class FailuresOut(Schema):
    since = Time(required=True, metadata={"example": "2026-11-21T00:00:00Z"})
    failures = fields.List(fields.Nested(CauseSchema), required=True)


class ActionSchema(Schema):
    at = Time(required=True)
    by = fields.Str(required=True)
    action = fields.Str(required=True)
    target = fields.Str(required=True)
    jobs = fields.Int(
        required=True, allow_none=True, metadata={"description": "Number of jobs to change."}
    )


ActionsOut = page_schema("ActionsOut", actions=ActionSchema)
