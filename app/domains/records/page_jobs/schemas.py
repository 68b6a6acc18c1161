"""What a caller sends and gets back. The bodies of jobs are in `bodies`."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema, fields, validate

from app.core.http.fields import STORABLE, PublicId, Time, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.http.variants import VariantsSchema
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.runs import types

JOB, RUN, RECORD, SNAPSHOT, CHANGE = "job", "run", "rec", "snap", "chg"
STATUSES: Final = ("queued", "running", "completed", "failed", "cancelled")
STOP_REASONS: Final = ("done", "page_limit", "budget_reached", "deadline", "cancelled", "error")
RUN_STATUSES: Final = ("running", "completed", "failed", "cancelled", "skipped_overlap")
TYPES: Final = ("extraction", "monitoring", "workflow")
VERDICTS: Final = ("same", "new", "changed", "removed", "error")


class JobIn(VariantsSchema):
    """One of the types of jobs, as whoever knows it registered it."""

    @classmethod
    def all(cls) -> Mapping[str, type[Schema]]:
        return {type.name: type.schema for type in types.every() if type.name in TYPES}


class JobProgressSchema(Schema):
    percent = fields.Int(required=True)
    stage = fields.Str(required=True)
    pages_found = fields.Int(required=True)
    pages_done = fields.Int(
        required=True, metadata={"description": "Pages that are over, the failed among them."}
    )
    pages_failed = fields.Int(required=True)
    records = fields.Int(required=True)


class JobFailureSchema(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    retryable = fields.Bool(required=True)


class FieldAgreementSchema(Schema):
    compared = fields.Int(required=True)
    agreed = fields.Int(required=True)


class ValidationSchema(Schema):
    """How far a second, independent extraction of a sample agrees. Agreement is not truth."""

    sample_rate = fields.Float(required=True)
    sampled = fields.Int(required=True)
    compared = fields.Int(required=True)
    not_comparable = fields.Int(required=True)
    passed = fields.Int(required=True)
    failed = fields.Int(required=True)
    pass_rate = fields.Float(required=True, allow_none=True)
    interval_95 = fields.List(
        fields.Float(),
        required=True,
        allow_none=True,
        validate=validate.Length(equal=2),
        metadata={
            "description": "Wilson's interval with continuity correction; null: none was compared."
        },
    )
    by = fields.Str(required=True, validate=validate.OneOf(["other_methods", "model"]))
    fields_ = fields.Dict(
        data_key="fields",
        attribute="fields",
        keys=fields.Str(),
        values=fields.Nested(FieldAgreementSchema),
        required=True,
        metadata={"description": "By pointer."},
    )
    failures = fields.List(
        fields.Dict(), required=True, metadata={"description": "Up to 50, with both values."}
    )


class JobSourceSchema(Schema):
    """Which pages a job reads, in short."""

    type = fields.Str(required=True, metadata={"example": "crawl"})
    url = fields.Str(
        required=True,
        allow_none=True,
        metadata={"example": "https://shop.example.org/lamps", "description": "The first one."},
    )
    query = fields.Str(required=True, allow_none=True, metadata={"description": "Of a search."})
    count = fields.Int(required=True, metadata={"description": "How many addresses were given."})


class JobScheduleSchema(Schema):
    """When a monitor runs: every so often, or by a cron expression in a zone."""

    every = fields.Str(required=True, allow_none=True)
    cron = fields.Str(required=True, allow_none=True)
    timezone = fields.Str(required=True, allow_none=True)


class JobListedSchema(Schema):
    """A job without what it came to."""

    id = PublicId(JOB, required=True)
    type = fields.Str(required=True, validate=validate.OneOf(TYPES))
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))
    stop_reason = fields.Str(
        required=True,
        allow_none=True,
        validate=validate.OneOf([None, *STOP_REASONS]),
        metadata={"example": "done"},
    )
    source = fields.Nested(
        JobSourceSchema,
        required=True,
        allow_none=True,
        metadata={"description": "Null: a workflow."},
    )
    schedule = fields.Nested(
        JobScheduleSchema, required=True, allow_none=True, metadata={"example": None}
    )
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    completed_at = Time(required=True, allow_none=True)
    expires_at = Time(
        required=True,
        allow_none=True,
        metadata={"description": "When it is erased; known once it has ended."},
    )
    deadline_at = Time(required=True, allow_none=True)
    next_run_at = Time(
        required=True, allow_none=True, metadata={"description": "Of a monitor that goes on."}
    )
    paused = fields.Bool(
        required=True,
        metadata={"example": False, "description": "A monitor that begins no run until resumed."},
    )
    rerun_of = PublicId(JOB, required=True, allow_none=True)
    progress = fields.Nested(JobProgressSchema, required=True)
    coverage = fields.Float(
        required=True,
        allow_none=True,
        metadata={
            "example": 0.94,
            "description": "The share of the schema's fields that have a value, over all"
            " records of the latest run; null until it has ended.",
        },
    )
    warnings = fields.List(fields.Str(), required=True)
    error = fields.Nested(
        JobFailureSchema, required=True, allow_none=True, metadata={"example": None}
    )
    metadata = fields.Dict(
        keys=fields.Str(), values=fields.Str(), required=True, metadata={"example": {"team": "a"}}
    )


class JobWebhookSchema(Schema):
    id = fields.Str(required=True)
    secret = fields.Str(metadata={"description": "Only in the answer that made the endpoint."})


class JobOut(JobListedSchema):
    rerun_of = PublicId(JOB, required=True, allow_none=True, metadata={"example": None})
    stats = fields.Dict(
        required=True, metadata={"example": {"seconds": {"fetch": 0.4, "read": 0.1}}}
    )
    validation = fields.Nested(
        ValidationSchema, required=True, allow_none=True, metadata={"example": None}
    )
    steps = fields.List(
        fields.Dict(),
        required=True,
        allow_none=True,
        metadata={"example": None, "description": "Of a workflow: each step with its state."},
    )
    webhook = fields.Nested(
        JobWebhookSchema, required=True, allow_none=True, metadata={"example": None}
    )


class JobRequestSchema(Schema):
    """The body that makes such a job again."""

    id = PublicId(JOB, required=True)
    request = fields.Dict(
        required=True,
        metadata={
            "example": {
                "type": "extraction",
                "source": {"type": "url", "url": "https://shop.example.org/lamps"},
                "schema": example_page.SCHEMA,
                "max_pages": 1000,
                "deadline": "3600s",
            },
            "description": "As `createJob` takes it, with defaults and without `webhook`.",
        },
    )


JobPageSchema = page_schema("JobPageSchema", jobs=JobListedSchema)


class JobsIn(PageIn):
    type = fields.Str(
        validate=validate.OneOf(TYPES), metadata={"description": "Only of this type."}
    )
    status = fields.Str(
        validate=validate.OneOf(STATUSES), metadata={"description": "Only jobs in this state."}
    )


class RunPagesSchema(Schema):
    """How many pages; the last five compare with the run before, where there is anything to."""

    found = fields.Int(required=True)
    done = fields.Int(required=True)
    failed = fields.Int(required=True)
    same = fields.Int(required=True)
    new = fields.Int(required=True)
    changed = fields.Int(required=True)
    removed = fields.Int(required=True)
    error = fields.Int(required=True)


class RunOut(Schema):
    id = PublicId(RUN, required=True)
    n = fields.Int(required=True)
    tick = Time(
        required=True, allow_none=True, metadata={"description": "Of the schedule, if it had one."}
    )
    status = fields.Str(required=True, validate=validate.OneOf(RUN_STATUSES))
    stop_reason = fields.Str(
        required=True,
        allow_none=True,
        validate=validate.OneOf([None, *STOP_REASONS]),
        metadata={"example": "done"},
    )
    pages = fields.Nested(RunPagesSchema, required=True)
    records = fields.Int(required=True)
    stats = fields.Dict(required=True)
    validation = fields.Nested(
        ValidationSchema, required=True, allow_none=True, metadata={"example": None}
    )
    error = fields.Nested(
        JobFailureSchema, required=True, allow_none=True, metadata={"example": None}
    )
    started_at = Time(required=True, allow_none=True)
    completed_at = Time(required=True, allow_none=True)


RunPageSchema = page_schema("RunPageSchema", runs=RunOut)


class OfRunIn(PageIn):
    run = fields.Str(
        metadata={"pattern": id_pattern(RUN), "description": "Of this run, not of the latest."}
    )


class PagesIn(OfRunIn):
    outcome = fields.Str(
        validate=validate.Length(1, 60),
        metadata={"pattern": STORABLE, "description": "Only pages with this outcome: `read`."},
    )


class PageOut(Schema):
    """One page of a run. An outcome other than `read` and `unchanged` says why it was not read."""

    url = fields.Str(required=True)
    outcome = fields.Str(required=True, allow_none=True, metadata={"example": "read"})
    verdict = fields.Str(required=True, allow_none=True)
    records = fields.Int(required=True)
    snapshot = PublicId(SNAPSHOT, required=True, allow_none=True)
    fetched_at = Time(required=True, allow_none=True)


PagePageSchema = page_schema("PagePageSchema", pages=PageOut)


class ChangesIn(PageIn):
    run = fields.Str(
        metadata={"pattern": id_pattern(RUN), "description": "Of this run, not of all."}
    )
    verdict = fields.Str(
        validate=validate.OneOf(VERDICTS), metadata={"description": "Only with this verdict."}
    )


class ChangeOut(Schema):
    """What a run found different from what was known of a page."""

    id = PublicId(CHANGE, required=True)
    run = PublicId(RUN, required=True)
    url = fields.Str(required=True)
    verdict = fields.Str(required=True, validate=validate.OneOf(VERDICTS))
    record = PublicId(RECORD, required=True, allow_none=True)
    fields_ = fields.List(
        fields.Dict(),
        data_key="fields",
        attribute="fields",
        required=True,
        metadata={"description": "Each `{pointer, previous, current}` with both provenances."},
    )
    difference = fields.Str(required=True, allow_none=True)
    snapshot = PublicId(SNAPSHOT, required=True, allow_none=True)
    previous_snapshot = PublicId(SNAPSHOT, required=True, allow_none=True)
    moved_to = fields.Str(required=True, allow_none=True)
    returned = fields.Bool(required=True)
    created_at = Time(required=True, allow_none=True)


ChangePageSchema = page_schema("ChangePageSchema", changes=ChangeOut)


class PageTextSchema(Schema):
    """What was read at an address: `text[:visible_end]` is visible, the rest structured data."""

    id = PublicId(SNAPSHOT, required=True)
    url = fields.Str(required=True)
    text = fields.Str(required=True, metadata={"example": example_page.TEXT})
    visible_end = fields.Int(required=True, metadata={"example": len(example_page.TEXT)})
    content_hash = fields.Str(required=True, metadata={"example": example_page.TEXT_HASH})
    fetched_at = Time(required=True)
