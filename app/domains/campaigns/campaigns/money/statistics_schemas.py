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
        required=True, metadata={"description": "Of the rejected ones: copies of others."}
    )


class CampaignSpendingSchema(Schema):
    why = fields.Str(required=True, metadata={"example": "record accepted"})
    amount = Amount(
        required=True,
        metadata={
            "example": "1.4",
            "pattern": amounts.SIGNED_PATTERN,
            "description": "Negative: it came back.",
        },
    )


class BudgetPointSchema(Schema):
    at = Time(required=True)
    amount = Amount(required=True, metadata={"example": "3.6"})


class CampaignBurnDownSchema(Schema):
    """What was not spent, and lines to compare it with; all oldest first."""

    left = fields.List(
        fields.Nested(BudgetPointSchema),
        required=True,
        metadata={"description": "After each movement, up to now; about 200 times are told apart."},
    )
    top_ups = fields.List(fields.Nested(BudgetPointSchema), required=True)
    even_pace = fields.List(
        fields.Nested(BudgetPointSchema),
        required=True,
        metadata={
            "example": [],
            "description": "All that came in, spent evenly until `ends_at`; empty without it.",
        },
    )
    forecast = fields.List(
        fields.Nested(BudgetPointSchema),
        required=True,
        metadata={
            "description": "From now on, if each run costs `usual_run`; empty before the first run,"
            " and while none is going to begin."
        },
    )
    runs_out_at = Time(
        required=True,
        allow_none=True,
        metadata={"description": "When, at this pace, less is left than a run costs."},
    )


class CampaignStatisticsSchema(Schema):
    records = fields.Nested(RecordCountsSchema, required=True)
    spending = fields.List(
        fields.Nested(CampaignSpendingSchema),
        required=True,
        metadata={"description": "By reason; it adds up to `spent` of the campaign."},
    )
    usual_run = Amount(
        required=True,
        allow_none=True,
        metadata={"example": "0.7", "description": "The median of what the last three runs cost."},
    )
    burn_down = fields.Nested(CampaignBurnDownSchema, required=True)
