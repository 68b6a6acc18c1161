"""Schemas of campaigns: what a caller sends and gets back."""

from datetime import UTC, datetime
from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from app.core.http.fields import (
    Amount,
    Flag,
    FullMatch,
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
    """Number, sources and freshness of the records."""

    sources = Items(
        fields.Str(validate=FullMatch("^[a-z][a-z0-9_]{0,39}$"), metadata={"examples": ["web"]}),
        least=1,
        most=10,
        required=True,
        metadata={
            "description": "`web`: the index and configured web engines. `company_sites`: only "
            "pages "
            "published by the owner of the domain. The report of each run lists "
            "unavailable kinds, such as `social`."
        },
    )
    freshness_seconds = Duration(
        data_key="freshness",
        least=LEAST_SECONDS,
        most=MOST_SECONDS,
        required=True,
        metadata={
            "example": "7d",
            "description": "How long a record counts before it is checked again, such as `7d`.",
        },
    )
    records_target = Integer(required=True, validate=validate.Range(1, 1_000_000))


class RewardBudgetIn(Schema):
    """Budget for all records, divided equally among them."""

    token = Token(required=True)
    amount = PositiveAmount(required=True, metadata={"example": "5"})


class JudgingIn(Schema):
    """Rules for judging records."""

    min_validators = Integer(
        required=True,
        validate=validate.Range(1, 7),
        metadata={"description": "Required margin of independent votes. We recommend 2 or 3."},
    )
    require_citations = Flag(
        required=True,
        metadata={"description": "Require a matching quote on the page for every value."},
    )


class CampaignIn(Schema):
    """The records to collect and their budget."""

    name = Text(most=200, required=True)
    objective = Text(
        most=2_000,
        lines=True,
        required=True,
        metadata={"description": "Topic of the records, used as the search query."},
    )
    data_requirements = Part(RequirementsIn, required=True)
    reward_budget = Part(RewardBudgetIn, required=True)
    validation = Part(JudgingIn, required=True)
    schema = RecordSchema(load_default=lambda: dict(DEFAULT_SCHEMA))
    cadence_seconds = Duration(
        data_key="cadence",
        least=LEAST_SECONDS,
        most=MOST_SECONDS,
        metadata={"description": "Time between runs. Defaults to `freshness`."},
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
            raise ValidationError("Must be after `starts_at` and in the future.", "ends_at")


class FundIn(Schema):
    amount = PositiveAmount(required=True, metadata={"example": "5"})


class CampaignsIn(PageIn):
    state = fields.Str(
        validate=validate.OneOf(STATES), metadata={"description": "Filter by state."}
    )


class CampaignForecastSchema(Schema):
    runs_left = fields.Int(
        required=True,
        allow_none=True,
        metadata={
            "description": "Estimated from the usual cost of runs; null before the first run."
        },
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
            "description": "Fixed. Additional funds buy more records at the same reward.",
        },
    )
    created_at = Time(required=True)
    ended_at = Time(required=True, allow_none=True)
    fresh_accepted = fields.Int(required=True)
    funded = Amount(required=True, metadata={"example": "5"})
    available = Amount(
        required=True,
        metadata={"example": "1.6", "description": "Remaining funds that no run has reserved."},
    )
    reserved = Amount(
        required=True,
        metadata={
            "example": "2",
            "description": "Funds reserved by open runs.",
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
    unread = fields.Int(required=True, metadata={"description": "Not recently read by a run."})


class BuiltInShareSchema(Schema):
    """Work done by the server instead of nodes."""

    extracted = fields.Int(required=True, metadata={"description": "Pages."})
    validated = fields.Int(required=True, metadata={"description": "Records."})


class CampaignReportSchema(Schema):
    """Report of a run; preliminary while the run is open."""

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
        metadata={"description": "Records left for the next run because of missing funds."},
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
