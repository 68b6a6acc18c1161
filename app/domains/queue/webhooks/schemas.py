"""Bodies and answers of webhooks."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, validate, validates_schema

from app.core.http import fields
from app.core.http.fields import AnswerSchema, Flag, Integer, Items, PublicId, QueryFlag, Time
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.queue.webhooks import events

_CHOICES: Final = (events.EVERY, *events.TYPES)
_STATUSES: Final = ("waiting", "delivered", "failed")
MOST_OVERLAP_HOURS: Final = 24


def _url(**kwargs: Any) -> fields.Str:
    return fields.Str(
        validate=validate.Length(1, 2048),
        format="uri",
        maxLength=2048,
        examples=["https://example.org/hooks/citegrid"],
        description="Must use https unless the operator allows the host.",
        **kwargs,
    )


def _events(**kwargs: Any) -> Items:
    description = "`*` means all events, including future ones."
    one = fields.Str(validate=validate.OneOf(_CHOICES))
    return Items(one, least=1, most=len(_CHOICES), description=description, **kwargs)


class WebhooksIn(PageIn):
    of_jobs = QueryFlag(
        load_default=True, description="`false` leaves out webhooks that are limited to one job."
    )


class WebhookIn(Schema):
    url = _url(required=True)
    events = _events(load_default=[events.EVERY])


class WebhookChangeSchema(Schema):
    url = _url()
    events = _events()
    enabled = Flag(
        description="`false` fails pending deliveries; `true` enables the webhook again."
    )


class JobWebhookIn(Schema):
    """A new webhook for this job only, or the id of an existing one."""

    url = _url()
    events = _events()
    id = PublicId(Noun.WEBHOOK)

    @validates_schema(skip_on_field_errors=True)
    def one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        if ("id" in data) == ("url" in data) or ("id" in data and "events" in data):
            raise ValidationError("Give either url and events, or id.")


class RollSecretIn(Schema):
    overlap_hours = Integer(
        load_default=MOST_OVERLAP_HOURS,
        validate=validate.Range(0, MOST_OVERLAP_HOURS),
        description="Time until the previous secret expires.",
    )


class RedeliverIn(Schema):
    since = Time(
        required=True,
        example="2026-11-21T00:00:00Z",
        description="Start of the failures to redeliver.",
    )


class DeliveriesIn(PageIn):
    status = fields.Str(validate=validate.OneOf(_STATUSES))


class WebhookSchema(AnswerSchema):
    id = PublicId(Noun.WEBHOOK)
    url = fields.Str(example="https://example.org/hooks/citegrid")
    events = fields.List(fields.Str(validate=validate.OneOf(_CHOICES)))
    job = fields.Str(allow_none=True, description="Job of the webhook, if it is limited to one.")
    enabled = fields.Bool()
    disabled_at = Time(allow_none=True)
    disabled_reason = fields.Str(
        allow_none=True,
        description="`gone`: the address answered 410. `failing`: no successful delivery "
        "for three days. `owner`: disabled by you.",
    )
    failing_since = Time(allow_none=True)
    paused_until = Time(allow_none=True, description="After three timeouts in a row.")
    former_secret_until = Time(allow_none=True)
    created_at = Time()


class WebhookOut(AnswerSchema):
    webhook = fields.Nested(WebhookSchema)


class NewWebhookOut(WebhookOut):
    secret = fields.Str(example="whsec_...", description="Only in this response.")


WebhooksOut = page_schema("WebhooksOut", webhooks=WebhookSchema)


class DeliveryAttemptSchema(AnswerSchema):
    at = Time(example="2026-11-21T09:00:00Z")
    status = fields.Int(allow_none=True, example=200, description="Status of the response, if any.")
    error = fields.Str(allow_none=True, description="null if accepted.")
    milliseconds = fields.Int(example=84)
    answer = fields.Str(
        allow_none=True, example="ok", description="First 1,024 bytes of the response."
    )


class DeliveryListedSchema(AnswerSchema):
    id = PublicId(Noun.DELIVERY)
    event = PublicId(Noun.MESSAGE, description="The header `webhook-id`.")
    type = fields.Str(example="job.completed")
    status = fields.Str(validate=validate.OneOf(_STATUSES), example="delivered")
    error = fields.Str(allow_none=True, description="Why delivery stopped.")
    redelivery_of = PublicId(Noun.DELIVERY, allow_none=True, example=None)
    created_at = Time()
    next_at = Time(allow_none=True)
    attempts = fields.List(fields.Nested(DeliveryAttemptSchema))


class DeliverySchema(DeliveryListedSchema):
    body = fields.Str(
        example='{"type":"job.completed","timestamp":"2026-11-21T09:00:00Z",'
        '"data":{"id":"job_...","version":1795251600000}}',
        description="The exact signed body.",
    )


class DeliveryOut(AnswerSchema):
    delivery = fields.Nested(DeliverySchema)


DeliveriesOut = page_schema("DeliveriesOut", deliveries=DeliveryListedSchema)


class RedeliveredOut(AnswerSchema):
    redelivered = fields.Int()
    has_more = fields.Bool(
        example=False, description="More than 1,000 failures matched; call again."
    )
