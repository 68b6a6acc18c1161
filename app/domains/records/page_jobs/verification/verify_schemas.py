"""The request to check a quote, and its answer."""

from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from app.core.http.fields import STORABLE, Flag, Integer, PublicId, Time, id_pattern
from app.core.ids import Noun
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.bodies import WebUrl
from app.domains.records.page_jobs.verification.quote_check import (
    CHANGED,
    FOUND,
    GONE,
    MOST_QUOTE,
    MOVED,
)


class VerifyIn(Schema):
    """A quote, and the snapshot or the address of the page that it is from."""

    snapshot = fields.Str(metadata={"pattern": id_pattern(Noun.SNAPSHOT)})
    url = WebUrl(metadata={"example": example_page.URL})
    quote = fields.Str(
        required=True,
        validate=validate.Length(1, MOST_QUOTE),
        metadata={"pattern": STORABLE, "examples": ["$1,299.50"]},
    )
    start = Integer(
        validate=validate.Range(0, 100_000_000),
        metadata={"description": "Where it stands in the stored text."},
    )
    live = Flag(
        load_default=True, metadata={"description": "Whether the page itself is looked at, too."}
    )

    @validates_schema(skip_on_field_errors=True)
    def one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        if ("snapshot" in data) == ("url" in data):
            raise ValidationError("Takes either snapshot or url.")
        if not data["quote"].strip():
            raise ValidationError("Takes more than white space.", "quote")


class VerifiedSchema(Schema):
    """Found where it stood, moved elsewhere, changed into something alike, or gone."""

    result = fields.Str(required=True, validate=validate.OneOf([FOUND, MOVED, CHANGED, GONE]))
    start = fields.Int()
    end = fields.Int()
    match = fields.Str(
        validate=validate.OneOf(["exact", "normalised"]),
        metadata={"description": "Normalised: but for white space, quotation marks and dashes."},
    )
    nearest = fields.Str(metadata={"description": "What stands there instead."})
    similarity = fields.Float()
    difference = fields.Str()
    moved_to = fields.Str(metadata={"description": "Where a permanent redirect leads."})
    fetched_at = Time()


class VerificationSchema(Schema):
    id = PublicId(Noun.VERIFICATION, required=True, allow_none=True)
    status = fields.Str(required=True, validate=validate.OneOf(["running", "completed"]))
    stored = fields.Nested(
        VerifiedSchema,
        required=True,
        allow_none=True,
        metadata={"example": {"result": "found", "start": 17, "end": 26, "match": "exact"}},
    )
    live = fields.Nested(VerifiedSchema, required=True, allow_none=True, metadata={"example": None})
    live_error = fields.Str(
        required=True,
        allow_none=True,
        metadata={"description": "Why the page could not be read, which is not `gone`."},
    )
