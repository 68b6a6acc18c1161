"""Queries and answers of requests."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, fields, validate

from app.core import ids
from app.core.http.api import DetailSchema
from app.core.http.fields import Amount, PublicId, Time, Token, example_id, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
STATUSES: Final = ("2xx", "3xx", "4xx", "5xx")
SOURCES: Final = ("key", "token", "page")


class KeyId(fields.Str):
    """The id of an API key; deserialises to its UUID."""

    def __init__(self) -> None:
        super().__init__(metadata={"pattern": id_pattern(Noun.API_KEY)})

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if (id := ids.internal(Noun.API_KEY, text)) is None:
            raise ValidationError("Not the id of an API key.")
        return id


class RequestsIn(PageIn):
    status = fields.Str(
        validate=validate.OneOf(STATUSES), metadata={"description": "Response status."}
    )
    method = fields.Str(validate=validate.OneOf(METHODS))
    api_key = KeyId()


class RequestCostSchema(Schema):
    """Charge for the request."""

    token = Token(required=True)
    amount = Amount(required=True)


class RequestKeySchema(Schema):
    id = fields.Str(required=True, metadata={"pattern": id_pattern(Noun.API_KEY)})
    name = fields.Str(required=True, metadata={"example": "laptop"})
    prefix = fields.Str(required=True, metadata={"example": "cgk_live_"})
    last_four = fields.Str(required=True, metadata={"example": "w7Qk"})


class RequestListedSchema(Schema):
    id = PublicId(Noun.REQUEST, required=True)
    at = Time(required=True)
    method = fields.Str(required=True, metadata={"example": "POST"})
    path = fields.Str(
        required=True,
        metadata={"example": "/external/v1/search", "description": "Without the query string."},
    )
    operation = fields.Str(
        required=True,
        allow_none=True,
        metadata={"example": "createSearch", "description": "null for the dashboard."},
    )
    status = fields.Int(required=True, metadata={"example": 202})
    code = fields.Str(
        required=True, allow_none=True, metadata={"description": "Error code, if any."}
    )
    milliseconds = fields.Float(
        required=True,
        metadata={"example": 8.4, "description": "Time to the start of the response."},
    )
    source = fields.Str(
        required=True,
        validate=validate.OneOf(SOURCES),
        metadata={"description": "API key, access token or dashboard."},
    )
    api_key = fields.Nested(RequestKeySchema, required=True, allow_none=True)
    cost = fields.Nested(
        RequestCostSchema, required=True, allow_none=True, metadata={"example": None}
    )
    replayed = fields.Bool(
        required=True,
        metadata={"description": "Repeated response because of its Idempotency-Key."},
    )


RequestsOut = page_schema("RequestsOut", requests=RequestListedSchema)


class RequestErrorSchema(Schema):
    """The error of the response."""

    code = fields.Str(required=True)
    message = fields.Str(required=True)
    details = fields.List(fields.Nested(DetailSchema))
    details_omitted = fields.Int()


class RequestWholeSchema(RequestListedSchema):
    route = fields.Str(
        required=True,
        metadata={"example": "/external/v1/search", "description": "Path template."},
    )
    headers = fields.Dict(
        keys=fields.Str(),
        values=fields.Str(),
        required=True,
        metadata={
            "example": {"User-Agent": "citegrid/0.1.0"},
            "description": "Request headers without secrets.",
        },
    )
    error = fields.Nested(
        RequestErrorSchema, required=True, allow_none=True, metadata={"example": None}
    )
    made = fields.Str(
        required=True,
        allow_none=True,
        metadata={"example": example_id("srch"), "description": "Id of the created object."},
    )


class RequestOut(Schema):
    request = fields.Nested(RequestWholeSchema, required=True)
