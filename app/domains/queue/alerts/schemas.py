"""Bodies and answers of alerts."""

import math
from typing import Any, Final

from marshmallow import Schema, ValidationError, validate, validates_schema

from app.core.http import fields
from app.core.http.fields import AnswerSchema, PublicId, Text, Time, example_id
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.account.accounts import emails
from app.domains.queue.alerts.conditions import ABOUT, CONDITIONS

_STATES: Final = ("active", "unconfirmed", "stopped", "refused")
_CHANNELS: Final = ("email", "webhook")


class Threshold(fields.Float):
    """A finite number of a JSON body; a text is none."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValidationError("Must be a number.")
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ValidationError("Must be a finite number.")
        return number


class AlertEmail(fields.Str):
    """An address that a mail can be sent to."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        try:
            return emails.normalise(super()._deserialize(value, attr, data, **kwargs))
        except ValueError as error:
            raise ValidationError(str(error)) from None


class AlertIn(Schema):
    monitor = PublicId(Noun.JOB, example=example_id(Noun.JOB), description="The monitor to watch.")
    campaign = PublicId(Noun.CAMPAIGN, description="The campaign to watch.")
    queue = Text(most=100, description="The queue to watch. For operators only.")
    condition = fields.Str(
        required=True,
        validate=validate.OneOf(CONDITIONS),
        example="changed",
        description="Of a monitor: `changed`, or `failing` for runs in a row that could read"
        " nothing. Of a campaign: `ended` or `budget_spent`. Of a queue: `waiting` jobs, or"
        " seconds that the `oldest` has waited.",
    )
    threshold = Threshold(
        example=5,
        description="Percent (`budget_spent`; `changed`: of a number, optional), runs, jobs"
        " or seconds.",
    )
    email = AlertEmail(
        example="ada@example.org",
        format="email",
        maxLength=emails.MOST_CHARACTERS,
        description="Receives nothing but a request to confirm until it is confirmed.",
    )
    webhook = PublicId(Noun.WEBHOOK, description="Receives `alert.raised`, whatever its events.")

    @validates_schema(skip_on_field_errors=True)
    def one_of_each(self, data: dict[str, Any], **_: Any) -> None:
        if sum(name in data for name in ABOUT) != 1:
            raise ValidationError("Give one of monitor, campaign and queue.")
        if sum(name in data for name in _CHANNELS) != 1:
            raise ValidationError("Give either email or webhook.")


class AlertsIn(PageIn):
    monitor = PublicId(Noun.JOB)
    campaign = PublicId(Noun.CAMPAIGN)
    queue = Text(most=100)


class AlertSchema(AnswerSchema):
    id = PublicId(Noun.ALERT)
    monitor = fields.Str(allow_none=True)
    campaign = fields.Str(allow_none=True, example=None)
    queue = fields.Str(allow_none=True, example=None)
    condition = fields.Str(validate=validate.OneOf(CONDITIONS), example="changed")
    threshold = fields.Float(allow_none=True, example=5)
    email = fields.Str(allow_none=True, example="ada@example.org")
    webhook = PublicId(Noun.WEBHOOK, allow_none=True, example=None)
    state = fields.Str(
        validate=validate.OneOf(_STATES),
        example="active",
        description="`unconfirmed`: the address was asked and has not answered. `stopped`:"
        " by a link in a mail. `refused`: the owner of the address wants no alerts.",
    )
    told_at = Time(allow_none=True, description="When the last message was sent.")
    created_at = Time()


class AlertOut(AnswerSchema):
    alert = fields.Nested(AlertSchema)


AlertsOut = page_schema("AlertsOut", alerts=AlertSchema)
