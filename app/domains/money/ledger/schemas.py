"""Bodies and answers of credit."""

from marshmallow import Schema, validate

from app.core import amounts
from app.core.http import fields
from app.core.http.fields import Amount, AnswerSchema, PositiveAmount, PublicId, Time, Token
from app.core.http.pagination import page_schema
from app.core.ids import Noun
from app.domains.queue.jobs.statuses import STATUSES


class CreditIn(Schema):
    amount = PositiveAmount(required=True)


class BoughtCreditSchema(AnswerSchema):
    """Credit from a payment; `completed` when it is ready to spend."""

    id = PublicId(Noun.CREDIT)
    amount = Amount()
    token = Token()
    status = fields.Str(validate=validate.OneOf(STATUSES))


class BoughtCreditOut(AnswerSchema):
    credit = fields.Nested(BoughtCreditSchema)


class CreditBalanceSchema(AnswerSchema):
    """Credit of one token."""

    token = Token()
    available = Amount(example="4.25")
    held = Amount(description="Reserved for the maximum cost of running chats.")


class CreditEntrySchema(AnswerSchema):
    """A transfer of credit. Negative amounts were spent or reserved."""

    id = PublicId(Noun.LEDGER_ENTRY)
    token = Token()
    amount = Amount(pattern=amounts.SIGNED_PATTERN)
    why = fields.Str(example="reserved for a chat", description="The reason in words.")
    key = fields.Str(description="Unique key of the transfer.")
    posted_at = Time()


CreditsOut = page_schema("CreditsOut", balances=CreditBalanceSchema, entries=CreditEntrySchema)
