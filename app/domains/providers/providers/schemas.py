"""Bodies and answers of the provider interface.

A missing or unknown field fails here, as `validation_failed`; a field with a bad value has a code
of its own and fails in the service. So bodies are taken as they come, and described in `metadata`.
"""

import re
from typing import Any, Final
from uuid import UUID

from marshmallow import Schema, ValidationError, missing, validate

from app.core.http import fields
from app.core.http.fields import STORABLE, AnswerSchema, Flag
from app.core.http.names import LINE, NAME
from app.domains.providers.providers import offer_pages, profile_rules
from app.domains.providers.providers.offer_rules import MOST_MODEL, RATE
from app.engine.images.data_url import MEDIA_TYPES, MOST_CHARACTERS

_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
# The smallest PNG there is.
_PIXEL: Final = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGMAAQAABQAB"
    "DQottAAAAABJRU5ErkJggg=="
)
_LONGEST: Final = len("data:image/jpeg;base64,") + MOST_CHARACTERS


def uuid(text: str) -> UUID | None:
    """The UUID in its usual spelling (RFC 9562, section 4), or None; Python knows five others."""
    return UUID(text) if _UUID.fullmatch(text) else None


class OfferId(fields.Str):
    """A UUID: offers have no prefix."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(format="uuid", **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if (id := uuid(super()._deserialize(value, attr, data, **kwargs))) is None:
            raise ValidationError("Not a UUID.")
        return id


class PageIn(Schema):
    cursor = OfferId(description="`next_cursor` of the previous page.")


class DiscoveryIn(PageIn):
    model = fields.Str(
        required=True,
        validate=validate.Length(1, MOST_MODEL),
        description="Exact model ID.",
        pattern=STORABLE,
    )


class AnyValue(fields.Raw):
    """Any value, null too, as long as there is one; which of them are good, the service says."""

    def _validate_missing(self, value: Any) -> None:
        if value is missing:
            raise self.make_error("required")


def _given(**described: Any) -> AnyValue:
    return AnyValue(required=True, **described)


class ProfileIn(Schema):
    """Requires all five fields; partial updates are not supported."""

    display_name = _given(
        type="string",
        minLength=1,
        maxLength=profile_rules.MOST_DISPLAY_NAME,
        pattern=NAME,
        description="Trimmed, without control or text direction characters.",
        examples=["Ada's computers"],
        example="Ada",
    )
    handle = _given(
        type="string",
        pattern=f"^{profile_rules.HANDLE}$",
        description="Unique; the address of the public profile.",
        examples=["ada"],
    )
    description = _given(
        type="string",
        maxLength=profile_rules.MOST_DESCRIPTION,
        pattern=LINE,
        description="Trimmed; may be empty.",
        example="Three computers in a cool cellar.",
    )
    website = _given(
        type=["string", "null"],
        format="uri",
        maxLength=profile_rules.MOST_WEBSITE,
        description="An https URL of a domain name, without credentials; null omits it.",
        examples=["https://example.org/"],
    )
    published = _given(type="boolean", description="True if the profile is public.")


class AvatarIn(Schema):
    data_url = _given(
        type=["string", "null"],
        maxLength=_LONGEST,
        pattern=r"^data:image/(png|jpeg|webp);base64,[A-Za-z0-9+/]+={0,2}$",
        description="Canonical base64 of at most 262144 bytes; null removes the avatar.",
        examples=[_PIXEL],
    )


class OfferIn(Schema):
    public_name = _given(
        type="string",
        minLength=1,
        maxLength=profile_rules.MOST_PUBLIC_NAME,
        pattern=NAME,
        description="Public name of the computer. Trimmed, without control characters.",
        example="Cellar",
    )
    published = Flag(required=True)


class ProfileSchema(AnswerSchema):
    display_name = fields.Str(example="Ada")
    handle = fields.Str()
    description = fields.Str(example="Three computers in a cool cellar.")
    website = fields.Str(allow_none=True, example="https://example.org/")
    published = fields.Bool()
    avatar_url = fields.Str(
        allow_none=True,
        example="/public/providers/ada/avatar",
        description="A path on this server.",
    )


class OwnProfileOut(AnswerSchema):
    profile = fields.Nested(ProfileSchema, allow_none=True)


class RatesSchema(AnswerSchema):
    """Decimal strings: USD per million tokens."""

    input = fields.Str(example="0.25", pattern=f"^{RATE}$")
    output = fields.Str(example="1.5", pattern=f"^{RATE}$")


class OfferSchema(AnswerSchema):
    """The public part of an offer."""

    offer_id = fields.Str(format="uuid")
    model = fields.Str()
    model_revision = fields.Str(example="r1")
    pricing_revision = fields.Int(validate=validate.Range(min=1))
    public_name = fields.Str(example="Cellar")
    rates = fields.Nested(RatesSchema)
    availability = fields.Str(
        validate=validate.OneOf(offer_pages.AVAILABILITY),
        description="An observation, not a reservation.",
    )


class PublicOfferSchema(OfferSchema):
    provider = fields.Nested(ProfileSchema)


class OwnOfferSchema(OfferSchema):
    device_id = fields.Str(example="cellar-1")
    published = fields.Bool()
    needs_review = fields.Bool(description="The operator has not enabled this model revision.")


class _Page(AnswerSchema):
    has_more = fields.Bool(example=False)
    next_cursor = fields.Str(allow_none=True, format="uuid")


class PublicOffersOut(_Page):
    offers = fields.List(
        fields.Nested(PublicOfferSchema), validate=validate.Length(max=offer_pages.MOST)
    )


class PublicProfileOut(PublicOffersOut):
    profile = fields.Nested(ProfileSchema)


class OwnOffersOut(_Page):
    offers = fields.List(
        fields.Nested(OwnOfferSchema), validate=validate.Length(max=offer_pages.MOST)
    )


PICTURE: Final[dict[str, Any]] = {"type": "string", "format": "binary"}
OWN_PICTURE: Final[dict[str, Any]] = {
    "responses": {
        "200": {
            "description": "The original upload.",
            "content": {name: {"schema": PICTURE} for name in MEDIA_TYPES},
        }
    }
}
