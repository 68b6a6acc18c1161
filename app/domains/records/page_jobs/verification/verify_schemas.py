"""The request to check a quote, and its answer."""

from typing import Any

from marshmallow import Schema, ValidationError, validate, validates_schema

from app.core.http import fields
from app.core.http.fields import STORABLE, AnswerSchema, Flag, Integer, PublicId, Time, id_pattern
from app.core.ids import Noun
from app.domains.library.pages.addresses import WebUrl
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.verification.quote_check import (
    CHANGED,
    FOUND,
    GONE,
    MOST_QUOTE,
    MOVED,
)


class VerifyIn(Schema):
    """A quote with its snapshot or page address."""

    snapshot = fields.Str(pattern=id_pattern(Noun.SNAPSHOT))
    url = WebUrl(example=example_page.URL)
    quote = fields.Str(
        required=True,
        validate=validate.Length(1, MOST_QUOTE),
        pattern=STORABLE,
        examples=["$1,299.50"],
    )
    start = Integer(
        validate=validate.Range(0, 100_000_000), description="Position in the stored text."
    )
    live = Flag(load_default=True, description="Also check the live page.")

    @validates_schema(skip_on_field_errors=True)
    def one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        if ("snapshot" in data) == ("url" in data):
            raise ValidationError("Give either snapshot or url.")
        if not data["quote"].strip():
            raise ValidationError("Must not be blank.", "quote")


class VerifiedSchema(Schema):
    """`found` in its place, `moved` to another place, `changed` to a similar text, or `gone`."""

    result = fields.Str(required=True, validate=validate.OneOf([FOUND, MOVED, CHANGED, GONE]))
    start = fields.Int()
    end = fields.Int()
    match = fields.Str(
        validate=validate.OneOf(["exact", "normalised"]),
        description="`normalised` ignores white space, quotation marks and dashes.",
    )
    nearest = fields.Str(description="Closest text on the page.")
    similarity = fields.Float()
    difference = fields.Str()
    moved_to = fields.Str(description="Target of a permanent redirect.")
    fetched_at = Time()


class VerificationSchema(AnswerSchema):
    id = PublicId(Noun.VERIFICATION, allow_none=True)
    status = fields.Str(validate=validate.OneOf(["running", "completed"]))
    stored = fields.Nested(
        VerifiedSchema,
        allow_none=True,
        example={"result": "found", "start": 17, "end": 26, "match": "exact"},
    )
    live = fields.Nested(VerifiedSchema, allow_none=True, example=None)
    live_error = fields.Str(
        allow_none=True, description="Why the page could not be read; not the same as `gone`."
    )
