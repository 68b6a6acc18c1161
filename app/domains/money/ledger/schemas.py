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
    """What a payment buys; `completed` when it can be spent."""

    id = PublicId(Noun.CREDIT, required=True)
    amount = Amount(required=True)
    token = Token(required=True)
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))


class BoughtCreditOut(Schema):
    credit = fields.Nested(BoughtCreditSchema, required=True)


class CreditBalanceSchema(Schema):
    """What the account may spend of one token."""

    token = Token(required=True)
    available = Amount(required=True, metadata={"example": "4.25"})
    held = Amount(
        required=True, metadata={"description": "The most that running chats may cost, set aside."}
    )


class CreditEntrySchema(Schema):
    """One movement of the account's credit; a negative amount was spent or set aside."""

    id = PublicId(Noun.LEDGER_ENTRY, required=True)
    token = Token(required=True)
    amount = Amount(required=True, metadata={"pattern": amounts.SIGNED_PATTERN})
    why = fields.Str(required=True)
    key = fields.Str(
        required=True, metadata={"description": "Names the movement: it happens once, if ever."}
    )
    posted_at = Time(required=True)


CreditsOut = page_schema("CreditsOut", balances=CreditBalanceSchema, entries=CreditEntrySchema)
