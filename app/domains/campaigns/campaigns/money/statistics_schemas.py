"""Schemas of a campaign's statistics, as its owner reads them."""

from marshmallow import Schema, fields

from app.core import amounts
from app.core.http.fields import Amount, Time


class RecordCountsSchema(Schema):
    """Records by state."""

    candidate = fields.Int(required=True)
    accepted = fields.Int(required=True)
    rejected = fields.Int(required=True)
    unresolved = fields.Int(required=True)
    duplicates = fields.Int(
        required=True, metadata={"description": "Rejected records that are duplicates."}
    )


class CampaignSpendingSchema(Schema):
    why = fields.Str(required=True, metadata={"example": "record accepted"})
    amount = Amount(
        required=True,
        metadata={
            "example": "1.4",
            "pattern": amounts.SIGNED_PATTERN,
            "description": "Negative amounts were returned.",
        },
    )


class BudgetPointSchema(Schema):
    at = Time(required=True)
    amount = Amount(required=True, metadata={"example": "3.6"})


class CampaignBurnDownSchema(Schema):
    """Unspent funds over time, with lines for comparison; oldest first."""

    left = fields.List(
        fields.Nested(BudgetPointSchema),
        required=True,
        metadata={"description": "After each transfer, up to now; about 200 points."},
    )
    top_ups = fields.List(fields.Nested(BudgetPointSchema), required=True)
    even_pace = fields.List(
        fields.Nested(BudgetPointSchema),
        required=True,
        metadata={
            "example": [],
            "description": "All funds, spent evenly until `ends_at`; empty without an end date.",
        },
    )
    forecast = fields.List(
        fields.Nested(BudgetPointSchema),
        required=True,
        metadata={
            "description": "Forecast if each run costs `usual_run`; empty before the first run "
            "or without"
            " a planned run."
        },
    )
    runs_out_at = Time(
        required=True,
        allow_none=True,
        metadata={"description": "When the forecast falls below the cost of a run."},
    )


class CampaignStatisticsSchema(Schema):
    records = fields.Nested(RecordCountsSchema, required=True)
    spending = fields.List(
        fields.Nested(CampaignSpendingSchema),
        required=True,
        metadata={"description": "By reason; adds up to `spent` of the campaign."},
    )
    usual_run = Amount(
        required=True,
        allow_none=True,
        metadata={"example": "0.7", "description": "Median cost of the last three runs."},
    )
    burn_down = fields.Nested(CampaignBurnDownSchema, required=True)
