"""Queries and answers of usage."""

from typing import Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import Amount, AnswerSchema, PublicId, Token, Whole
from app.core.ids import Noun

GROUPS: Final = ("day", "key", "kind")
MOST_DAYS: Final = 90


class UsageIn(Schema):
    group = fields.Str(load_default="day", validate=validate.OneOf(GROUPS))
    days = Whole(
        load_default=30,
        validate=validate.Range(1, MOST_DAYS),
        description="Today and the previous days.",
    )


class UsageSpentSchema(AnswerSchema):
    """Spending minus refunds; negative if refunds exceed spending."""

    token = Token()
    amount = Amount(example="0.25", pattern=r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,9})?$")


class UsageKeySchema(AnswerSchema):
    id = PublicId(Noun.API_KEY)
    name = fields.Str()
    prefix = fields.Str()
    last_four = fields.Str()


class UsageTotalSchema(AnswerSchema):
    counts = fields.Dict(
        keys=fields.Str(),
        values=fields.Int(),
        example={"requests": 412, "searches": 87},
        description="Of `requests`, `searches`, `extractions`, `pages`, `chats`; "
        "empty for days whose work was deleted.",
    )
    spent = fields.List(fields.Nested(UsageSpentSchema))


class UsageLineSchema(UsageTotalSchema):
    name = fields.Str(
        example="2026-11-22", description="A UTC day, a key id, `signed_in` or a kind."
    )
    api_key = fields.Nested(UsageKeySchema, allow_none=True, example=None)


class RateLimitSchema(AnswerSchema):
    """Requests per time window, for each API key or session."""

    requests = fields.Int(example=1800)
    seconds = fields.Int(example=60)


class WaitingJobsSchema(AnswerSchema):
    """In the busiest queue of the account."""

    now = fields.Int(example=2)
    most = fields.Int(example=5000)


class DocumentsLimitSchema(AnswerSchema):
    """In all corpora of the account."""

    now = fields.Int(example=12)
    most = fields.Int(example=10000)


class UsageLimitsSchema(AnswerSchema):
    read = fields.Nested(RateLimitSchema)
    write = fields.Nested(RateLimitSchema)
    waiting_jobs = fields.Nested(WaitingJobsSchema)
    documents = fields.Nested(DocumentsLimitSchema)
    document_bytes = fields.Nested(DocumentsLimitSchema)
    passages = fields.Nested(DocumentsLimitSchema)
    uploads_per_hour = fields.Nested(DocumentsLimitSchema)


class UsageReportOut(AnswerSchema):
    group = fields.Str(validate=validate.OneOf(GROUPS))
    first_day = fields.Date()
    last_day = fields.Date()
    lines = fields.List(fields.Nested(UsageLineSchema))
    total = fields.Nested(UsageTotalSchema)
    embedding_seconds = fields.Float(
        example=12.5,
        description="CPU seconds that embedding the documents in your corpora has taken.",
    )
    limits = fields.Nested(UsageLimitsSchema)
