"""Bodies and answers of disputes and appeals."""

from typing import Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, PublicId, Text, Time
from app.core.http.pagination import page_schema
from app.core.ids import Noun
from app.domains.campaigns.reviews.vote_items import CATEGORIES

_STATUSES: Final = ("open", "upheld", "refused")
_WRONG_PRICE: Final = "The price is that of the former model."
_LEAST_REASON, _MOST_REASON = 20, 1_000


def _reason(example: str) -> Text:
    return Text(
        least=_LEAST_REASON,
        most=_MOST_REASON,
        lines=True,
        required=True,
        example=example,
        description="Explanation that others can check.",
    )


class DisputeIn(Schema):
    category = fields.Str(required=True, validate=validate.OneOf(CATEGORIES), example="wrong_value")
    reason = _reason(_WRONG_PRICE)


class AppealIn(Schema):
    reason = _reason("The quote stands in the third paragraph, word for word.")


class DisputeSchema(AnswerSchema):
    id = PublicId(Noun.DISPUTE)
    kind = fields.Str(
        validate=validate.OneOf(("dispute", "appeal")),
        description="`dispute` by the campaign owner or `appeal` by the contributor.",
    )
    campaign_id = PublicId(Noun.CAMPAIGN)
    record_id = PublicId(Noun.CAMPAIGN_RECORD)
    record_version = fields.Int()
    category = fields.Str(
        allow_none=True, validate=validate.OneOf((*CATEGORIES, None)), example="wrong_value"
    )
    reason = fields.Str(example=_WRONG_PRICE)
    duplicate_of = PublicId(
        Noun.CAMPAIGN_RECORD,
        allow_none=True,
        example=None,
        description="The record is rejected because it says the same as this one.",
    )
    status = fields.Str(
        validate=validate.OneOf(_STATUSES),
        example="open",
        description="`upheld`: the decision was wrong and is reversed.",
    )
    decided_by = fields.Str(
        allow_none=True,
        validate=validate.OneOf(("votes", "operator", "time", None)),
        example=None,
        description="`time`: rejected because the time limit passed without a decision.",
    )
    opened_at = Time(example="2026-11-22T09:00:00Z")
    ends_at = Time(example="2026-11-29T09:00:00Z", description="Time limit of the decision.")
    decided_at = Time(allow_none=True)


class DisputeOut(AnswerSchema):
    dispute = fields.Nested(DisputeSchema)


DisputesOut = page_schema("DisputesOut", disputes=DisputeSchema)
