"""Queries and answers of usage."""

from typing import Final

from marshmallow import Schema, fields, validate

from app.core.http.fields import Amount, PublicId, Token, Whole
from app.core.ids import Noun

GROUPS: Final = ("day", "key", "kind")
MOST_DAYS: Final = 90


class UsageIn(Schema):
    group = fields.Str(load_default="day", validate=validate.OneOf(GROUPS))
    days = Whole(
        load_default=30,
        validate=validate.Range(1, MOST_DAYS),
        metadata={"description": "Today and the previous days, as far as stored."},
    )


class UsageSpentSchema(Schema):
    """Spending minus refunds; negative if refunds exceed spending."""

    token = Token(required=True)
    amount = Amount(
        required=True,
        metadata={"example": "0.25", "pattern": r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,9})?$"},
    )


class UsageKeySchema(Schema):
    id = PublicId(Noun.API_KEY, required=True)
    name = fields.Str(required=True)
    prefix = fields.Str(required=True)
    last_four = fields.Str(required=True)


class UsageTotalSchema(Schema):
    counts = fields.Dict(
        keys=fields.Str(),
        values=fields.Int(),
        required=True,
        metadata={
            "example": {"requests": 412, "searches": 87},
            "description": "Of `requests`, `searches`, `extractions`, `pages`, `chats`.",
        },
    )
    spent = fields.List(fields.Nested(UsageSpentSchema), required=True)


class UsageLineSchema(UsageTotalSchema):
    name = fields.Str(
        required=True,
        metadata={
            "example": "2026-11-22",
            "description": "A UTC day, a key id, `signed_in` or a kind.",
        },
    )
    api_key = fields.Nested(
        UsageKeySchema, required=True, allow_none=True, metadata={"example": None}
    )


class RateLimitSchema(Schema):
    """Requests per time window, for each API key or session."""

    requests = fields.Int(required=True, metadata={"example": 1800})
    seconds = fields.Int(required=True, metadata={"example": 60})


class WaitingJobsSchema(Schema):
    """In the busiest queue of the account."""

    now = fields.Int(required=True, metadata={"example": 2})
    most = fields.Int(required=True, metadata={"example": 5000})


class DocumentsLimitSchema(Schema):
    """In all corpora of the account."""

    now = fields.Int(required=True, metadata={"example": 12})
    most = fields.Int(required=True, metadata={"example": 10000})


class UsageLimitsSchema(Schema):
    read = fields.Nested(RateLimitSchema, required=True)
    write = fields.Nested(RateLimitSchema, required=True)
    waiting_jobs = fields.Nested(WaitingJobsSchema, required=True)
    documents = fields.Nested(DocumentsLimitSchema, required=True)
    document_bytes = fields.Nested(DocumentsLimitSchema, required=True)
    passages = fields.Nested(DocumentsLimitSchema, required=True)
    uploads_per_hour = fields.Nested(DocumentsLimitSchema, required=True)


class UsageReportOut(Schema):
    group = fields.Str(required=True, validate=validate.OneOf(GROUPS))
    first_day = fields.Date(required=True)
    last_day = fields.Date(required=True)
    lines = fields.List(fields.Nested(UsageLineSchema), required=True)
    total = fields.Nested(UsageTotalSchema, required=True)
    embedding_seconds = fields.Float(
        required=True,
        metadata={
            "example": 12.5,
            "description": "CPU seconds that embedding the documents in your corpora has taken.",
        },
    )
    limits = fields.Nested(UsageLimitsSchema, required=True)
