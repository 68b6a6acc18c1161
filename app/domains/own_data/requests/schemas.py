"""Queries and answers of requests."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from app.core import ids
from app.core.http.api import DetailSchema
from app.core.http.fields import Amount, PublicId, Time, Token, id_pattern
from app.core.http.pagination import PageIn, page_schema

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
STATUSES: Final = ("2xx", "3xx", "4xx", "5xx")
SOURCES: Final = ("key", "token", "page")


class KeyId(fields.Str):
    """The id of an API key; deserialises to its UUID."""

    def __init__(self) -> None:
        super().__init__(metadata={"pattern": id_pattern("key")})

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if (id := ids.internal("key", text)) is None:
            raise ValidationError("Not the id of an API key.")
        return id


class RequestsIn(PageIn):
    status = fields.Str(
        validate=validate.OneOf(STATUSES), metadata={"description": "How it was answered."}
    )
    method = fields.Str(validate=validate.OneOf(METHODS))
    api_key = KeyId()


class RequestCostSchema(Schema):
    """What the account was charged for it."""

    token = Token(required=True)
    amount = Amount(required=True)


class RequestKeySchema(Schema):
    id = fields.Str(required=True, metadata={"pattern": id_pattern("key")})
    name = fields.Str(required=True)
    prefix = fields.Str(required=True)
    last_four = fields.Str(required=True)


class RequestListedSchema(Schema):
    id = PublicId("req", required=True)
    at = Time(required=True)
    method = fields.Str(required=True)
    path = fields.Str(required=True, metadata={"description": "Without its query."})
    operation = fields.Str(
        required=True, allow_none=True, metadata={"description": "null: a page of the dashboard."}
    )
    status = fields.Int(required=True)
    code = fields.Str(
        required=True, allow_none=True, metadata={"description": "Of the error, if it was one."}
    )
    milliseconds = fields.Float(required=True, metadata={"description": "Until the answer began."})
    source = fields.Str(
        required=True,
        validate=validate.OneOf(SOURCES),
        metadata={"description": "An API key, an access token, or a page of the dashboard."},
    )
    api_key = fields.Nested(RequestKeySchema, required=True, allow_none=True)
    cost = fields.Nested(RequestCostSchema, required=True, allow_none=True)
    replayed = fields.Bool(
        required=True,
        metadata={"description": "Answered as before, for its Idempotency-Key."},
    )


RequestsOut = page_schema("RequestsOut", requests=RequestListedSchema)


class RequestErrorSchema(Schema):
    """As it was answered."""

    code = fields.Str(required=True)
    message = fields.Str(required=True)
    details = fields.List(fields.Nested(DetailSchema))
    details_omitted = fields.Int()


class RequestWholeSchema(RequestListedSchema):
    route = fields.Str(required=True, metadata={"description": "The template of its path."})
    headers = fields.Dict(
        keys=fields.Str(),
        values=fields.Str(),
        required=True,
        metadata={"description": "Of what was sent, those that are no secret."},
    )
    error = fields.Nested(RequestErrorSchema, required=True, allow_none=True)
    made = fields.Str(
        required=True, allow_none=True, metadata={"description": "The id of what it started."}
    )


class RequestOut(Schema):
    request = fields.Nested(RequestWholeSchema, required=True)
