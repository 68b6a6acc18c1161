"""Bodies and answers of credit."""

from marshmallow import Schema, fields, validate

from app.core import amounts
from app.core.http.fields import Amount, PositiveAmount, PublicId, Time, Token
from app.core.http.pagination import page_schema
from app.core.ids import Noun
from app.domains.queue.jobs.statuses import STATUSES


class CreditIn(Schema):
    amount = PositiveAmount(required=True)


class BoughtCreditSchema(Schema):
    """Credit from a payment; `completed` when it is ready to spend."""

    id = PublicId(Noun.CREDIT, required=True)
    amount = Amount(required=True)
    token = Token(required=True)
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))


class BoughtCreditOut(Schema):
    credit = fields.Nested(BoughtCreditSchema, required=True)


class CreditBalanceSchema(Schema):
    """Credit of one token."""

    token = Token(required=True)
    available = Amount(required=True, metadata={"example": "4.25"})
    held = Amount(
        required=True, metadata={"description": "Reserved for the maximum cost of running chats."}
    )


class CreditEntrySchema(Schema):
    """A transfer of credit. Negative amounts were spent or reserved."""

    id = PublicId(Noun.LEDGER_ENTRY, required=True)
    token = Token(required=True)
    amount = Amount(required=True, metadata={"pattern": amounts.SIGNED_PATTERN})
    why = fields.Str(required=True)
    key = fields.Str(required=True, metadata={"description": "Unique key of the transfer."})
    posted_at = Time(required=True)


CreditsOut = page_schema("CreditsOut", balances=CreditBalanceSchema, entries=CreditEntrySchema)
