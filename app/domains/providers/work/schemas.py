"""Bodies and answers of work."""

from typing import Any

from marshmallow import Schema, ValidationError, validate

from app.core.http import fields
from app.core.http.fields import (
    STORABLE,
    AnswerSchema,
    FullMatch,
    Integer,
    Items,
    PublicId,
    Seconds,
    Time,
)
from app.core.http.pagination import page_schema
from app.core.ids import Noun
from app.domains.providers.work.outcomes import REASONS

MOST_AT_ONCE = 8
LONGEST_WAIT_SECONDS = 25
MOST_FENCE = 2**31 - 1
KEY = r"^[\x21-\x7e]{1,100}$"


class ClaimQuerySchema(Schema):
    wait = Seconds(
        load_default=0.0,
        validate=validate.Range(0, LONGEST_WAIT_SECONDS),
        description="Maximum seconds to wait for work.",
    )


class ClaimIn(Schema):
    key = fields.Str(
        required=True,
        validate=FullMatch(KEY),
        pattern=KEY,
        description="Unique per claim. Repeat it if the response was lost. A key of ended "
        "work returns nothing.",
    )
    kinds = Items(
        fields.Str(validate=validate.Length(1, 60), pattern=STORABLE),
        least=1,
        most=10,
        required=True,
        description="Accepted kinds of work; unknown ones are ignored.",
    )
    most = Integer(load_default=1, validate=validate.Range(1, MOST_AT_ONCE))


class WorkItemSchema(AnswerSchema):
    id = PublicId(Noun.WORK)
    kind = fields.Str(example="nodes.extraction")
    fence = fields.Int(description="Send it with every request about this work.")
    lease_until = Time()
    deadline_at = Time()
    input = fields.Dict(
        example={
            "objective": "Lamps and their prices",
            "page": {"text": "Desk lamp\nPrice: $1,299.50 incl. VAT"},
        },
        description="As its kind describes it.",
    )


class ClaimOut(AnswerSchema):
    work = fields.List(fields.Nested(WorkItemSchema))


def _fence() -> Integer:
    return Integer(required=True, validate=validate.Range(1, MOST_FENCE))


class ExtendIn(Schema):
    fence = _fence()


class ExtendOut(AnswerSchema):
    cancelled = fields.Bool(description="If true, stop: the result is no longer needed.")
    lease_until = Time(allow_none=True)
    deadline_at = Time()


class Output(fields.Dict):
    """An object whose kind looks at what is in it. Its members are counted before."""

    MOST = 40

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict) and len(value) > self.MOST:
            raise ValidationError(f"Must have at most {self.MOST} members.")
        return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]


class ResultIn(Schema):
    fence = _fence()
    output = Output(
        required=True,
        example={"records": [{"data": {"name": "Desk lamp"}, "provenance": []}]},
        maxProperties=Output.MOST,
        description="As its kind describes it.",
    )


class ResultOut(AnswerSchema):
    id = PublicId(Noun.WORK)
    answer = fields.Dict(description="What its kind says to it.")


class DeclineIn(Schema):
    fence = _fence()
    reason = fields.Str(required=True, validate=validate.OneOf(REASONS))


class ContributedRecordSchema(AnswerSchema):
    """A record that the node found. If it is rejected or unresolved you can appeal."""

    id = PublicId(Noun.CAMPAIGN_RECORD)
    state = fields.Str(validate=validate.OneOf(("candidate", "accepted", "rejected", "unresolved")))
    reasons = fields.List(
        fields.Dict(keys=fields.Str(), values=fields.Str()),
        example=[{"category": "wrong_value", "reason": "The page gives another price."}],
        description="Why it was not accepted.",
    )
    duplicate_of = PublicId(Noun.CAMPAIGN_RECORD, allow_none=True, example=None)
    decided_at = Time(allow_none=True)


class TurnSchema(AnswerSchema):
    """A work item of a node."""

    id = PublicId(Noun.WORK)
    kind = fields.Str()
    state = fields.Str(
        validate=validate.OneOf(
            ("working", "done", "declined", "lost", "failed", "released", "withdrawn")
        ),
        description="`lost`: the lease expired. `failed`: declined with `cannot`, but "
        "another node succeeded. `released` and `withdrawn` are not caused by the node.",
    )
    reason = fields.Str(allow_none=True)
    claimed_at = Time()
    ended_at = Time(allow_none=True)
    records = fields.List(
        fields.Nested(ContributedRecordSchema), description="Records of an extraction that is done."
    )


TurnsOut = page_schema("TurnsOut", work=TurnSchema)
