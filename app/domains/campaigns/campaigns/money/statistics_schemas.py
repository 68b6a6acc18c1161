"""Schemas of a campaign's statistics, as its owner reads them."""

from app.core import amounts
from app.core.http import fields
from app.core.http.fields import Amount, AnswerSchema, Time


class RecordCountsSchema(AnswerSchema):
    """Records by state."""

    candidate = fields.Int()
    accepted = fields.Int()
    rejected = fields.Int()
    unresolved = fields.Int()
    duplicates = fields.Int(description="Rejected records that are duplicates.")


class CampaignSpendingSchema(AnswerSchema):
    why = fields.Str(example="record accepted")
    amount = Amount(
        example="1.4", pattern=amounts.SIGNED_PATTERN, description="Negative amounts were returned."
    )


class BudgetPointSchema(AnswerSchema):
    at = Time()
    amount = Amount(example="3.6")


class CampaignBurnDownSchema(AnswerSchema):
    """Unspent funds over time, with lines for comparison; oldest first."""

    left = fields.List(
        fields.Nested(BudgetPointSchema),
        description="After each transfer, up to now; about 200 points.",
    )
    top_ups = fields.List(fields.Nested(BudgetPointSchema))
    even_pace = fields.List(
        fields.Nested(BudgetPointSchema),
        example=[],
        description="All funds, spent evenly until `ends_at`; empty without an end date.",
    )
    forecast = fields.List(
        fields.Nested(BudgetPointSchema),
        description="Forecast if each run costs `usual_run`; empty before the first run or "
        "without a planned run.",
    )
    runs_out_at = Time(
        allow_none=True, description="When the forecast falls below the cost of a run."
    )


class CampaignStatisticsSchema(AnswerSchema):
    records = fields.Nested(RecordCountsSchema)
    spending = fields.List(
        fields.Nested(CampaignSpendingSchema),
        description="By reason; adds up to `spent` of the campaign.",
    )
    usual_run = Amount(
        allow_none=True, example="0.7", description="Median cost of the last three runs."
    )
    burn_down = fields.Nested(CampaignBurnDownSchema)
