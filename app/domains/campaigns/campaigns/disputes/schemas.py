"""Bodies and answers of disputes and appeals."""

from typing import Final

from marshmallow import Schema, fields, validate

from app.core.http.fields import PublicId, Text, Time
from app.core.http.pagination import page_schema
from app.domains.campaigns.campaigns.disputes.service import CATEGORIES, PREFIX
from app.domains.campaigns.campaigns.runs.run_end import PREFIX as CAMPAIGN_PREFIX
from app.domains.campaigns.campaigns.service import RECORD_PREFIX

_STATUSES: Final = ("open", "upheld", "refused")
_LEAST_REASON, _MOST_REASON = 20, 1_000


def _reason() -> Text:
    description = "What is wrong, so that somebody else can check it."
    metadata = {"description": description}
    return Text(
        least=_LEAST_REASON, most=_MOST_REASON, lines=True, required=True, metadata=metadata
    )


class DisputeIn(Schema):
    category = fields.Str(required=True, validate=validate.OneOf(CATEGORIES))
    reason = _reason()


class AppealIn(Schema):
    reason = _reason()


class DisputeSchema(Schema):
    id = PublicId(PREFIX, required=True)
    kind = fields.Str(
        required=True,
        validate=validate.OneOf(("dispute", "appeal")),
        metadata={"description": "The funder disputes, the contributor appeals."},
    )
    campaign_id = PublicId(CAMPAIGN_PREFIX, required=True)
    record_id = PublicId(RECORD_PREFIX, required=True)
    record_version = fields.Int(required=True)
    category = fields.Str(
        required=True, allow_none=True, validate=validate.OneOf((*CATEGORIES, None))
    )
    reason = fields.Str(required=True)
    status = fields.Str(
        required=True,
        validate=validate.OneOf(_STATUSES),
        metadata={"description": "`upheld`: the decision was wrong, and is turned round."},
    )
    decided_by = fields.Str(
        required=True,
        allow_none=True,
        validate=validate.OneOf(("votes", "operator", "time", None)),
        metadata={"description": "`time`: nobody decided it in time, so it is refused."},
    )
    opened_at = Time(required=True)
    ends_at = Time(required=True, metadata={"description": "By then it is decided, or refused."})
    decided_at = Time(required=True, allow_none=True)


class DisputeOut(Schema):
    dispute = fields.Nested(DisputeSchema, required=True)


DisputesOut = page_schema("DisputesOut", disputes=DisputeSchema)
