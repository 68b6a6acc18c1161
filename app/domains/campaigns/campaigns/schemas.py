"""Schemas of campaigns: what a caller sends and gets back."""

from datetime import UTC, datetime
from typing import Any, Final

from marshmallow import Schema, ValidationError, validate, validates_schema

from app.core.http import fields
from app.core.http.fields import (
    Amount,
    AnswerSchema,
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
from app.core.http.names import Name
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
        fields.Str(validate=FullMatch("^[a-z][a-z0-9_]{0,39}$"), examples=["web"]),
        least=1,
        most=10,
        required=True,
        description="`web`: the index and configured web engines. `company_sites`: only "
        "pages published by the owner of the domain. The report of each run lists unavailable "
        "kinds, such as `social`.",
    )
    freshness_seconds = Duration(
        data_key="freshness",
        least=LEAST_SECONDS,
        most=MOST_SECONDS,
        required=True,
        example="7d",
        description="How long a record counts before it is checked again, such as `7d`.",
    )
    records_target = Integer(required=True, validate=validate.Range(1, 1_000_000))


class RewardBudgetIn(Schema):
    """Budget for all records, divided equally among them."""

    token = Token(required=True)
    amount = PositiveAmount(required=True, example="5")


class JudgingIn(Schema):
    """Rules for judging records."""

    min_validators = Integer(
        required=True,
        validate=validate.Range(1, 7),
        description="Required margin of independent votes. We recommend 2 or 3.",
    )
    require_citations = Flag(
        required=True, description="Require a matching quote on the page for every value."
    )


class CampaignIn(Schema):
    """The records to collect and their budget."""

    name = Name(most=200, required=True)
    objective = Text(
        most=2_000,
        lines=True,
        required=True,
        description="Topic of the records, used as the search query.",
    )
    data_requirements = Part(RequirementsIn, required=True)
    reward_budget = Part(RewardBudgetIn, required=True)
    validation = Part(JudgingIn, required=True)
    schema = RecordSchema(load_default=lambda: dict(DEFAULT_SCHEMA))
    cadence_seconds = Duration(
        data_key="cadence",
        least=LEAST_SECONDS,
        most=MOST_SECONDS,
        description="Time between runs. Defaults to `freshness`.",
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
    amount = PositiveAmount(required=True, example="5")


class CampaignsIn(PageIn):
    state = fields.Str(validate=validate.OneOf(STATES), description="Filter by state.")


class CampaignForecastSchema(AnswerSchema):
    runs_left = fields.Int(
        allow_none=True,
        description="Estimated from the usual cost of runs; null before the first run.",
    )
    records_left = fields.Int()


class RequirementsOut(AnswerSchema):
    sources = fields.List(fields.Str(), example=["web"])
    freshness = fields.Str(example="7d")
    records_target = fields.Int()


class RewardBudgetSchema(AnswerSchema):
    token = fields.Str(example="USD")
    amount = Amount(example="5")


class JudgingOut(AnswerSchema):
    min_validators = fields.Int()
    require_citations = fields.Bool()


class CampaignOut(AnswerSchema):
    id = PublicId(Noun.CAMPAIGN)
    name = fields.Str()
    objective = fields.Str()
    data_requirements = fields.Nested(RequirementsOut)
    reward_budget = fields.Nested(RewardBudgetSchema)
    validation = fields.Nested(JudgingOut)
    schema = fields.Dict(example=example_page.SCHEMA)
    cadence = fields.Str()
    starts_at = Time(allow_none=True)
    ends_at = Time(allow_none=True)
    state = fields.Str(validate=validate.OneOf(STATES), example="active")
    reward_per_record = Amount(
        example="0.1", description="Fixed. Additional funds buy more records at the same reward."
    )
    created_at = Time()
    ended_at = Time(allow_none=True)
    fresh_accepted = fields.Int()
    funded = Amount(example="5")
    available = Amount(example="1.6", description="Remaining funds that no run has reserved.")
    reserved = Amount(example="2", description="Funds reserved for open runs and appeals.")
    spent = Amount(example="1.4")
    refunded = Amount(example="0")
    forecast = fields.Nested(CampaignForecastSchema)
    next_run_at = Time(allow_none=True)


CampaignPageSchema = page_schema("CampaignPageSchema", campaigns=CampaignOut)


class SourceAskedSchema(AnswerSchema):
    kind = fields.Str()
    results = fields.Int()
    unread = fields.Int(description="Not recently read by a run.")


class BuiltInShareSchema(AnswerSchema):
    """Work done by the server instead of nodes."""

    extracted = fields.Int(description="Pages.")
    validated = fields.Int(description="Records.")


class CampaignReportSchema(AnswerSchema):
    """Report of a run; preliminary while the run is open."""

    asked = fields.List(fields.Nested(SourceAskedSchema))
    unserved_kinds = fields.List(fields.Str(), example=[])
    pages = fields.Int()
    outcomes = fields.Dict(keys=fields.Str(), values=fields.Int(), example={"read": 8})
    candidates = fields.Int()
    accepted = fields.Int()
    rejected = fields.Int()
    unresolved = fields.Int()
    duplicates = fields.Int()
    left_over = fields.Int(description="Records left for the next run because of missing funds.")
    built_in = fields.Nested(BuiltInShareSchema)
    skipped = fields.Str(allow_none=True, validate=validate.OneOf([None, "paused", "overlapping"]))
    error = fields.Str(allow_none=True)


class CampaignRunSchema(AnswerSchema):
    id = PublicId(Noun.CAMPAIGN_RUN)
    tick = Time()
    state = fields.Str(validate=validate.OneOf(RUN_STATES))
    report = fields.Nested(CampaignReportSchema)
    reserved = Amount(example="2")
    spent = Amount(example="1.4")
    deadline_at = Time()
    created_at = Time()
    ended_at = Time(allow_none=True)


CampaignRunPageSchema = page_schema("CampaignRunPageSchema", runs=CampaignRunSchema)
