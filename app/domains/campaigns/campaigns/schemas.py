"""Schemas of campaigns: what a caller sends and gets back."""

from datetime import UTC, datetime
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from app.core.http.fields import (
    Amount,
    Flag,
    Integer,
    Items,
    Part,
    PositiveAmount,
    PublicId,
    Text,
    Time,
    Token,
)
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.bodies import Duration, RecordSchema

STATES: Final = (
    "awaiting_funds",
    "active",
    "paused",
    "completed",
    "exhausted",
    "ended",
    "cancelled",
)
RUN_STATES: Final = ("planned", "collecting", "reviewing", "closing", "closed", "skipped")
LEAST_SECONDS: Final = 300
MOST_SECONDS: Final = 366 * 86_400
DEFAULT_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "summary": {"type": "string"},
        "url": {"type": "string", "format": "uri"},
        "published_at": {"type": "string", "format": "date"},
    },
    "required": ["title"],
}


class RequirementsIn(Schema):
    """Which records are wanted, from where, and how fresh."""

    sources = Items(
        fields.Str(
            validate=validate.Regexp("^[a-z][a-z0-9_]{0,39}$"), metadata={"examples": ["web"]}
        ),
        least=1,
        most=10,
        required=True,
        metadata={
            "description": "`web`: the index and the web engines that are configured."
            " `company_sites`: of those, only pages whose publisher is the owner of their domain."
            " Kinds that nothing serves, such as `social`, are in the report of each run."
        },
    )
    freshness_seconds = Duration(
        data_key="freshness",
        least=LEAST_SECONDS,
        most=MOST_SECONDS,
        required=True,
        metadata={
            "example": "7d",
            "description": "How long a record counts without being looked at again: `7d`.",
        },
    )
    records_target = Integer(required=True, validate=validate.Range(1, 1_000_000))


class RewardBudgetIn(Schema):
    """What is paid for all records together; each gets an equal part of it."""

    token = Token(required=True)
    amount = PositiveAmount(required=True, metadata={"example": "5"})


class JudgingIn(Schema):
    """How a record is judged."""

    min_validators = Integer(
        required=True,
        validate=validate.Range(1, 7),
        metadata={"description": "The lead of independent votes that decides; 2 or 3 are advised."},
    )
    require_citations = Flag(
        required=True,
        metadata={"description": "Take no value whose quote does not stand on its page."},
    )


class CampaignIn(Schema):
    """Records that are wanted, and what they are worth."""

    name = Text(most=200, required=True)
    objective = Text(
        most=2_000,
        lines=True,
        required=True,
        metadata={"description": "What the records are about; it is what is searched for."},
    )
    data_requirements = Part(RequirementsIn, required=True)
    reward_budget = Part(RewardBudgetIn, required=True)
    validation = Part(JudgingIn, required=True)
    schema = RecordSchema(load_default=lambda: dict(DEFAULT_SCHEMA))
    cadence_seconds = Duration(
        data_key="cadence",
        least=LEAST_SECONDS,
        most=MOST_SECONDS,
        metadata={"description": "A run begins so often; without it, as often as `freshness`."},
    )
    starts_at = Time()
    ends_at = Time()

    @validates_schema
    def _check(self, data: dict[str, Any], **_: Any) -> None:
        ends_at = data.get("ends_at")
        if ends_at is None:
            return
        if ends_at <= max(
            data.get("starts_at", ends_at.min.replace(tzinfo=UTC)), datetime.now(UTC)
        ):
            raise ValidationError("Has to lie behind `starts_at`, and ahead.", "ends_at")


class FundIn(Schema):
    amount = PositiveAmount(required=True, metadata={"example": "5"})


class CampaignsIn(PageIn):
    state = fields.Str(
        validate=validate.OneOf(STATES), metadata={"description": "Only campaigns in this state."}
    )


class CampaignForecastSchema(Schema):
    runs_left = fields.Int(
        required=True,
        allow_none=True,
        metadata={"description": "If each costs what runs usually do; null before the first."},
    )
    records_left = fields.Int(required=True)


class RequirementsOut(Schema):
    sources = fields.List(fields.Str(), required=True, metadata={"example": ["web"]})
    freshness = fields.Str(required=True, metadata={"example": "7d"})
    records_target = fields.Int(required=True)


class RewardBudgetSchema(Schema):
    token = fields.Str(required=True, metadata={"example": "USD"})
    amount = Amount(required=True, metadata={"example": "5"})


class JudgingOut(Schema):
    min_validators = fields.Int(required=True)
    require_citations = fields.Bool(required=True)


class CampaignOut(Schema):
    id = PublicId(Noun.CAMPAIGN, required=True)
    name = fields.Str(required=True)
    objective = fields.Str(required=True)
    data_requirements = fields.Nested(RequirementsOut, required=True)
    reward_budget = fields.Nested(RewardBudgetSchema, required=True)
    validation = fields.Nested(JudgingOut, required=True)
    schema = fields.Dict(required=True, metadata={"example": example_page.SCHEMA})
    cadence = fields.Str(required=True)
    starts_at = Time(required=True, allow_none=True)
    ends_at = Time(required=True, allow_none=True)
    state = fields.Str(
        required=True, validate=validate.OneOf(STATES), metadata={"example": "active"}
    )
    reward_per_record = Amount(
        required=True,
        metadata={
            "example": "0.1",
            "description": "Fixed: a top-up buys more records at the same.",
        },
    )
    created_at = Time(required=True)
    ended_at = Time(required=True, allow_none=True)
    fresh_accepted = fields.Int(required=True)
    funded = Amount(required=True, metadata={"example": "5"})
    available = Amount(
        required=True,
        metadata={"example": "1.6", "description": "What is left and no run has reserved."},
    )
    reserved = Amount(
        required=True,
        metadata={
            "example": "2",
            "description": "What open runs have set aside for what they find.",
        },
    )
    spent = Amount(required=True, metadata={"example": "1.4"})
    refunded = Amount(required=True, metadata={"example": "0"})
    forecast = fields.Nested(CampaignForecastSchema, required=True)
    next_run_at = Time(required=True, allow_none=True)


CampaignPageSchema = page_schema("CampaignPageSchema", campaigns=CampaignOut)


class SourceAskedSchema(Schema):
    kind = fields.Str(required=True)
    results = fields.Int(required=True)
    unread = fields.Int(required=True, metadata={"description": "Not read by a run lately."})


class BuiltInShareSchema(Schema):
    """What nodes did not do."""

    extracted = fields.Int(required=True, metadata={"description": "Pages."})
    validated = fields.Int(required=True, metadata={"description": "Records."})


class CampaignReportSchema(Schema):
    """What a run came to; while it is open, what is known of it."""

    asked = fields.List(fields.Nested(SourceAskedSchema), required=True)
    unserved_kinds = fields.List(fields.Str(), required=True, metadata={"example": []})
    pages = fields.Int(required=True)
    outcomes = fields.Dict(
        keys=fields.Str(), values=fields.Int(), required=True, metadata={"example": {"read": 8}}
    )
    candidates = fields.Int(required=True)
    accepted = fields.Int(required=True)
    rejected = fields.Int(required=True)
    unresolved = fields.Int(required=True)
    duplicates = fields.Int(required=True)
    left_over = fields.Int(
        required=True,
        metadata={"description": "Records for which it had no money: the next run's."},
    )
    built_in = fields.Nested(BuiltInShareSchema, required=True)
    skipped = fields.Str(
        required=True, allow_none=True, validate=validate.OneOf([None, "paused", "overlapping"])
    )
    error = fields.Str(required=True, allow_none=True)


class CampaignRunSchema(Schema):
    id = PublicId(Noun.CAMPAIGN_RUN, required=True)
    tick = Time(required=True)
    state = fields.Str(required=True, validate=validate.OneOf(RUN_STATES))
    report = fields.Nested(CampaignReportSchema, required=True)
    reserved = Amount(required=True, metadata={"example": "2"})
    spent = Amount(required=True, metadata={"example": "1.4"})
    deadline_at = Time(required=True)
    created_at = Time(required=True)
    ended_at = Time(required=True, allow_none=True)


CampaignRunPageSchema = page_schema("CampaignRunPageSchema", runs=CampaignRunSchema)
