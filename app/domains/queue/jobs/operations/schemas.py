"""Queries, bodies and answers of operations."""

from typing import Any, Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, Part, PublicId, Text, Time, example_id, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.queue.jobs.operations.listing_store import CONDITIONS
from app.domains.queue.jobs.operations.queues.queue_states import STATES
from app.domains.queue.jobs.operations.queues.samples import WINDOWS

ACTIONS: Final = ("retry", "cancel")
WORKER_STATUSES: Final = ("running", "idle", "draining", "drained", "silent", "gone")
_OPEN: Final = "`open`: not ended."


class WindowIn(Schema):
    window = fields.Str(load_default="1h", validate=validate.OneOf(tuple(WINDOWS)))


class FailuresIn(WindowIn):
    queue = Text(most=100)


def _filter() -> dict[str, Any]:
    return {
        "state": fields.Str(validate=validate.OneOf(tuple(CONDITIONS)), description=_OPEN),
        "kind": Text(most=100),
        "queue": Text(most=100),
        "account": fields.Str(pattern=id_pattern(Noun.ACCOUNT)),
        "error_code": Text(most=100),
        "since": Time(
            description="Only jobs that ended (or, if open, were created) at or after this time."
        ),
        "until": Time(
            description="Only jobs that ended (or, if open, were created) before this time."
        ),
    }


FilterIn = Schema.from_dict(_filter(), name="TaskFilterIn")


class TasksIn(PageIn, FilterIn):  # type: ignore[misc, valid-type]
    """A filter and a page."""


class BulkIn(Schema):
    action = fields.Str(required=True, validate=validate.OneOf(ACTIONS))
    filter = Part(FilterIn, required=True)


class QueueSchema(AnswerSchema):
    name = fields.Str()
    state = fields.Str(validate=validate.OneOf(STATES))
    waiting = fields.Int(
        description="Jobs ready to start. Counts up to 1,000 are live, up to 50,000 update every "
        "ten seconds, up to 1,000,000 every minute."
    )
    running = fields.Int()
    delayed = fields.Int(
        description="Jobs scheduled for later, including retries."
        " Counts up to 1,000 over all queues."
    )
    oldest_seconds = fields.Float(description="Age of the oldest waiting job.")
    workers = fields.Int(description="Active workers that are not draining.")
    places = fields.Int(description="Maximum parallel jobs of these workers over all their queues.")
    per_second = fields.Float(description="Recent rate of finished jobs per second.")
    growth_per_minute = fields.Float(
        allow_none=True, description="Growth of waiting jobs over five minutes; null if unknown."
    )
    drains_in_seconds = fields.Float(allow_none=True, description="null: never.")
    paused_at = Time(allow_none=True)
    paused_by = fields.Str(allow_none=True)


class QueuesOut(AnswerSchema):
    summary = fields.Str(description="State of the worst queue.")
    worst = fields.Str(allow_none=True, description="Name of the worst queue.")
    dispatchers = fields.Int(description="Active in the last 15 seconds.")
    target_seconds = fields.Float(description="QUEUE_TARGET_SECONDS.")
    queues = fields.List(fields.Nested(QueueSchema))


class SampleSchema(AnswerSchema):
    at = Time(description="End of the step.")
    waiting = fields.Int(allow_none=True, description="The most.")
    running = fields.Int(allow_none=True)
    oldest_seconds = fields.Float(allow_none=True)
    finished = fields.Int(allow_none=True, description="In the step.")
    failed = fields.Int(allow_none=True)
    workers = fields.Int(allow_none=True)


class QueueHistorySchema(AnswerSchema):
    queue = fields.Str()
    samples = fields.List(
        fields.Nested(SampleSchema), description="Oldest first; null without samples."
    )


class HistoriesOut(AnswerSchema):
    window = fields.Str()
    step_seconds = fields.Int()
    histories = fields.List(fields.Nested(QueueHistorySchema))


class QueueOut(AnswerSchema):
    queue = fields.Nested(QueueSchema)


class QueueDetailOut(QueueOut):
    window = fields.Str()
    step_seconds = fields.Int()
    samples = fields.List(fields.Nested(SampleSchema))


class WorkerSchema(AnswerSchema):
    id = fields.Str(example="3")
    name = fields.Str()
    status = fields.Str(
        validate=validate.OneOf(WORKER_STATUSES),
        example="running",
        description="`silent`: no heartbeat for 15 seconds; `gone`: for 5 minutes.",
    )
    queues = fields.List(fields.Str())
    places = fields.Int()
    busy = fields.Int(description="Number of busy places.")
    version = fields.Str()
    memory_bytes = fields.Int(allow_none=True)
    started_at = Time()
    seen_at = Time()
    silent_seconds = fields.Float()
    drain_at = Time(allow_none=True)
    stopped_at = Time(allow_none=True, description="Start of the drain.")


class WorkersOut(AnswerSchema):
    workers = fields.List(fields.Nested(WorkerSchema))


class WorkerOut(AnswerSchema):
    worker = fields.Nested(WorkerSchema)


class TaskErrorSchema(AnswerSchema):
    code = fields.Str()
    message = fields.Str()


class TaskListedSchema(AnswerSchema):
    id = PublicId(Noun.TASK)
    account = fields.Str(allow_none=True, description="null for maintenance jobs.")
    queue = fields.Str()
    kind = fields.Str()
    state = fields.Str()
    attempt = fields.Int()
    max_attempts = fields.Int()
    worker = fields.Str(allow_none=True)
    error = fields.Nested(TaskErrorSchema, allow_none=True)
    created_at = Time()
    run_at = Time(description="Earliest start.")
    started_at = Time(allow_none=True)
    finished_at = Time(allow_none=True)
    parent = PublicId(Noun.TASK, allow_none=True)


class TaskAttemptSchema(AnswerSchema):
    attempt = fields.Int()
    worker = fields.Str(allow_none=True, example="host1:searches")
    started_at = Time(allow_none=True)
    ended_at = Time(example="2026-11-21T09:00:40Z")
    outcome = fields.Str(example="lost")
    error = fields.Nested(
        TaskErrorSchema,
        allow_none=True,
        example={"code": "worker_lost", "message": "The worker ended without a result."},
    )


class TaskSchema(TaskListedSchema):
    input = fields.Dict(example={"search_id": example_id("srch")}, description="Ids and options.")
    progress = fields.Dict()
    deadline_at = Time()
    request = fields.Str(allow_none=True, description="`X-Request-Id` of the request.")
    worked_seconds = fields.Float(allow_none=True)
    attempts = fields.List(
        fields.Nested(TaskAttemptSchema), description="Attempts without success."
    )
    parts = fields.List(fields.Nested(TaskListedSchema), description="At most 100.")
    can_be_retried = fields.Bool()
    can_be_cancelled = fields.Bool()


TasksOut = page_schema("TasksOut", tasks=TaskListedSchema)


class TaskOut(AnswerSchema):
    task = fields.Nested(TaskSchema)


class CountsOut(AnswerSchema):
    """Slow counts are cached for fifty times their duration."""

    by_state = fields.Dict(keys=fields.Str(), values=fields.Int())
    total = fields.Int()
    retriable = fields.Int(description="Number of jobs a bulk `retry` would retry.")
    cancellable = fields.Int(description="Number of jobs a bulk `cancel` would cancel.")


class BulkSchema(AnswerSchema):
    id = PublicId(Noun.BULK_ACTION)
    action = fields.Str(validate=validate.OneOf(ACTIONS))
    filter = fields.Dict(keys=fields.Str(), values=fields.Str())
    requested_by = fields.Str()
    state = fields.Str(description="State of its job.")
    expected = fields.Int(description="Number of matching jobs at the time of the request.")
    done = fields.Int()
    remaining = fields.Int(
        allow_none=True, description="Jobs that still match at the end: locked or rejected."
    )
    created_at = Time()
    finished_at = Time(allow_none=True)


class BulkOut(AnswerSchema):
    bulk = fields.Nested(BulkSchema)


BulksOut = page_schema("BulksOut", bulk_actions=BulkSchema)


class CauseSchema(AnswerSchema):
    kind = fields.Str()
    queue = fields.Str()
    code = fields.Str()
    message = fields.Str()
    jobs = fields.Int()
    retriable = fields.Int()
    last_at = Time()


class FailuresOut(AnswerSchema):
    since = Time(example="2026-11-21T00:00:00Z")
    failures = fields.List(fields.Nested(CauseSchema))


class ActionSchema(AnswerSchema):
    at = Time()
    by = fields.Str()
    action = fields.Str()
    target = fields.Str()
    jobs = fields.Int(allow_none=True, description="Number of jobs to change.")


ActionsOut = page_schema("ActionsOut", actions=ActionSchema)
