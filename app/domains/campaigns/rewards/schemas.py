"""Bodies and answers of rewards and payouts."""

import re
from typing import Any, Final

from marshmallow import Schema, ValidationError, validate

from app.core import ids
from app.core.http import fields
from app.core.http.fields import Amount, AnswerSchema, PositiveAmount, PublicId, Text, Time, Token
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun

_ROLES: Final = ("contributor", "validator", "provider")
_DESTINATION: Final = r"^[A-Za-z0-9][A-Za-z0-9 ._:@+-]{2,126}[A-Za-z0-9]$"


class _CampaignId(PublicId):
    """Deserialises to the UUID it represents."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if (id := ids.internal(self.noun, str(value))) is None:
            raise ValidationError("Not the id of a campaign.")
        return id


class EntriesIn(PageIn):
    role = fields.Str(validate=validate.OneOf(_ROLES))
    campaign_id = _CampaignId(Noun.CAMPAIGN)


class RewardBalanceSchema(AnswerSchema):
    token = Token()
    pending = Amount(example="0.7", description="Open to disputes, or frozen.")
    frozen = Amount(
        example="0", description="Part of `pending` that waits for a dispute or the operator."
    )
    available = Amount(example="4.25", description="Ready for payout.")
    payable = Amount(example="0", description="In open payouts.")
    paid = Amount(example="12", description="Total of settled payouts.")
    next_available_at = Time(
        allow_none=True,
        example="2026-11-24T09:00:00Z",
        description="Time of the next release of pending rewards.",
    )


class RewardsOut(AnswerSchema):
    rewards = fields.List(fields.Nested(RewardBalanceSchema))


class RewardEntrySchema(AnswerSchema):
    id = PublicId(Noun.REWARD)
    token = Token()
    amount = Amount(example="0.07")
    role = fields.Str(validate=validate.OneOf(_ROLES))
    campaign_id = PublicId(Noun.CAMPAIGN, allow_none=True)
    record_id = PublicId(Noun.CAMPAIGN_RECORD, allow_none=True)
    record_version = fields.Int(allow_none=True)
    chat_id = PublicId(Noun.CHAT, allow_none=True, example=None)
    verdict = fields.Str(
        allow_none=True,
        validate=validate.OneOf(("accept", "reject", None)),
        example=None,
        description="Vote of the validator.",
    )
    why = fields.Str(example="the record was accepted")
    state = fields.Str(
        validate=validate.OneOf(("pending", "frozen", "available", "returned")),
        description="`returned`: refunded after an upheld dispute.",
    )
    available_at = Time(
        allow_none=True,
        example="2026-11-24T09:00:00Z",
        description="Time of availability; null if frozen or returned.",
    )
    created_at = Time()


RewardEntriesOut = page_schema("RewardEntriesOut", entries=RewardEntrySchema)


class _Destination(Text):
    """A plain address or reference, such as an IBAN, an e-mail or the address of a wallet."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not re.fullmatch(_DESTINATION, text, re.ASCII):
            raise ValidationError("Must be 4 to 128 letters, digits, spaces and . _ : @ + -.")
        return text


class PayoutIn(Schema):
    token = Token(required=True)
    amount = PositiveAmount(required=True, example="4.25")
    destination = _Destination(
        required=True,
        least=4,
        most=128,
        example="DE02 1203 0000 0000 2020 51",
        pattern=_DESTINATION,
        description="Destination of the payout, as agreed with the operator.",
    )


class PayoutSchema(AnswerSchema):
    id = PublicId(Noun.PAYOUT)
    token = Token()
    amount = Amount(example="4.25")
    destination = fields.Str(example="DE02 1203 0000 0000 2020 51")
    status = fields.Str(
        validate=validate.OneOf(("requested", "settled", "refused")), example="requested"
    )
    reference = fields.Str(
        allow_none=True, description="Reference of the transfer after settlement."
    )
    reason = fields.Str(allow_none=True, description="Reason for the rejection.")
    created_at = Time()
    ended_at = Time(allow_none=True)


class PayoutOut(AnswerSchema):
    payout = fields.Nested(PayoutSchema)


PayoutsOut = page_schema("PayoutsOut", payouts=PayoutSchema)
