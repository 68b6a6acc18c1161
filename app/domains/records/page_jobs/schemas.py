"""The bodies that a caller sends and gets back. The bodies of jobs are in `bodies`."""

from collections.abc import Mapping
from typing import Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, PublicId, Time
from app.core.http.pagination import PageIn, page_schema
from app.core.http.variants import VariantsSchema
from app.core.ids import Noun
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.runs import types

STATUSES: Final = ("queued", "running", "completed", "failed", "cancelled")
STOP_REASONS: Final = ("done", "page_limit", "budget_reached", "deadline", "cancelled", "error")
TYPES: Final = ("extraction", "monitoring", "workflow")


class JobIn(VariantsSchema):
    """A job of one of the supported types."""

    @classmethod
    def all(cls) -> Mapping[str, type[Schema]]:
        return {type.name: type.schema for type in types.TYPES if type.name in TYPES}


class JobProgressSchema(AnswerSchema):
    percent = fields.Int()
    stage = fields.Str()
    pages_found = fields.Int()
    pages_done = fields.Int(description="Finished pages, including failed ones.")
    pages_failed = fields.Int()
    records = fields.Int()


class JobFailureSchema(AnswerSchema):
    code = fields.Str()
    message = fields.Str()
    retryable = fields.Bool()


class FieldAgreementSchema(AnswerSchema):
    compared = fields.Int()
    agreed = fields.Int()


class ValidationSchema(AnswerSchema):
    """Agreement of a second extraction on a sample. Both extractions can be wrong."""

    sample_rate = fields.Float()
    sampled = fields.Int()
    compared = fields.Int()
    not_comparable = fields.Int()
    passed = fields.Int()
    failed = fields.Int()
    pass_rate = fields.Float(allow_none=True)
    interval_95 = fields.List(
        fields.Float(),
        allow_none=True,
        validate=validate.Length(equal=2),
        description="Wilson interval with continuity correction; null without comparable records.",
    )
    by = fields.Str(validate=validate.OneOf(["other_methods", "model"]))
    fields_ = fields.Dict(
        data_key="fields",
        attribute="fields",
        keys=fields.Str(),
        values=fields.Nested(FieldAgreementSchema),
        description="By pointer.",
    )
    failures = fields.List(fields.Dict(), description="Up to 50, with both values.")


class JobSourceSchema(AnswerSchema):
    """Summary of the source of a job."""

    type = fields.Str(example="crawl")
    url = fields.Str(
        allow_none=True, example="https://shop.example.org/lamps", description="The first one."
    )
    query = fields.Str(allow_none=True, description="Of a search.")
    count = fields.Int(description="Number of addresses.")


class JobScheduleSchema(AnswerSchema):
    """Schedule of a monitor: an interval, or a cron expression with a time zone."""

    every = fields.Str(allow_none=True)
    cron = fields.Str(allow_none=True)
    timezone = fields.Str(allow_none=True)


class JobListedSchema(AnswerSchema):
    """A job without results."""

    id = PublicId(Noun.JOB)
    type = fields.Str(validate=validate.OneOf(TYPES))
    status = fields.Str(validate=validate.OneOf(STATUSES))
    stop_reason = fields.Str(
        allow_none=True, validate=validate.OneOf([None, *STOP_REASONS]), example="done"
    )
    source = fields.Nested(JobSourceSchema, allow_none=True, description="Null for workflows.")
    schedule = fields.Nested(JobScheduleSchema, allow_none=True, example=None)
    created_at = Time()
    started_at = Time(allow_none=True)
    completed_at = Time(allow_none=True)
    expires_at = Time(
        allow_none=True, description="Time of deletion; known after the end of the job."
    )
    deadline_at = Time(allow_none=True)
    next_run_at = Time(allow_none=True, description="For active monitors.")
    paused = fields.Bool(example=False, description="True for a paused monitor.")
    rerun_of = PublicId(Noun.JOB, allow_none=True)
    progress = fields.Nested(JobProgressSchema)
    coverage = fields.Float(
        allow_none=True,
        example=0.94,
        description="Share of fields with a value in the records of the latest run; null "
        "until the run has ended.",
    )
    warnings = fields.List(fields.Str())
    error = fields.Nested(JobFailureSchema, allow_none=True, example=None)
    metadata = fields.Dict(keys=fields.Str(), values=fields.Str(), example={"team": "a"})


class JobWebhookSchema(Schema):
    id = fields.Str(required=True)
    secret = fields.Str(description="Only in the response that creates the webhook.")


class JobOut(JobListedSchema):
    rerun_of = PublicId(Noun.JOB, allow_none=True, example=None)
    stats = fields.Dict(example={"seconds": {"fetch": 0.4, "read": 0.1}})
    validation = fields.Nested(ValidationSchema, allow_none=True, example=None)
    steps = fields.List(
        fields.Dict(),
        allow_none=True,
        example=None,
        description="For workflows: the steps with their states.",
    )
    webhook = fields.Nested(JobWebhookSchema, allow_none=True, example=None)


class JobRequestSchema(AnswerSchema):
    """The request body of a job."""

    id = PublicId(Noun.JOB)
    request = fields.Dict(
        example={
            "type": "extraction",
            "source": {"type": "url", "url": "https://shop.example.org/lamps"},
            "schema": example_page.SCHEMA,
            "max_pages": 1000,
            "deadline": "3600s",
        },
        description="Body for `createJob`, with defaults and without `webhook`.",
    )


JobPageSchema = page_schema("JobPageSchema", jobs=JobListedSchema)


class JobsIn(PageIn):
    type = fields.Str(validate=validate.OneOf(TYPES), description="Filter by type.")
    status = fields.Str(validate=validate.OneOf(STATUSES), description="Filter by state.")
