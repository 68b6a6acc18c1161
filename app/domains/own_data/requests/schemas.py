"""Queries and answers of requests."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, validate

from app.core import ids
from app.core.http import fields
from app.core.http.api import DetailSchema
from app.core.http.fields import Amount, AnswerSchema, PublicId, Time, Token, example_id, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD")
STATUSES: Final = ("2xx", "3xx", "4xx", "5xx")
SOURCES: Final = ("key", "token", "page")


class KeyId(fields.Str):
    """The id of an API key; deserialises to its UUID."""

    def __init__(self) -> None:
        super().__init__(pattern=id_pattern(Noun.API_KEY))

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if (id := ids.internal(Noun.API_KEY, text)) is None:
            raise ValidationError("Not the id of an API key.")
        return id


class RequestsIn(PageIn):
    status = fields.Str(validate=validate.OneOf(STATUSES), description="Response status.")
    method = fields.Str(validate=validate.OneOf(METHODS))
    api_key = KeyId()


class RequestCostSchema(AnswerSchema):
    """Charge for the request."""

    token = Token()
    amount = Amount()


class RequestKeySchema(AnswerSchema):
    id = fields.Str(pattern=id_pattern(Noun.API_KEY))
    name = fields.Str(example="laptop")
    prefix = fields.Str(example="cgk_live_")
    last_four = fields.Str(example="w7Qk")


class RequestListedSchema(AnswerSchema):
    id = PublicId(Noun.REQUEST)
    at = Time()
    method = fields.Str(example="POST")
    path = fields.Str(example="/external/v1/search", description="Without the query string.")
    operation = fields.Str(
        allow_none=True, example="createSearch", description="null for the dashboard."
    )
    status = fields.Int(example=202)
    code = fields.Str(allow_none=True, description="Error code, if any.")
    milliseconds = fields.Float(example=8.4, description="Time to the start of the response.")
    source = fields.Str(
        validate=validate.OneOf(SOURCES), description="API key, access token or dashboard."
    )
    api_key = fields.Nested(RequestKeySchema, allow_none=True)
    cost = fields.Nested(RequestCostSchema, allow_none=True, example=None)
    replayed = fields.Bool(description="Repeated response because of its Idempotency-Key.")


RequestsOut = page_schema("RequestsOut", requests=RequestListedSchema)


class RequestErrorSchema(Schema):
    """The error of the response."""

    code = fields.Str(required=True)
    message = fields.Str(required=True)
    details = fields.List(fields.Nested(DetailSchema))
    details_omitted = fields.Int()


class RequestWholeSchema(RequestListedSchema):
    route = fields.Str(example="/external/v1/search", description="Path template.")
    headers = fields.Dict(
        keys=fields.Str(),
        values=fields.Str(),
        example={"User-Agent": "citegrid/0.1.0"},
        description="Request headers without secrets.",
    )
    error = fields.Nested(RequestErrorSchema, allow_none=True, example=None)
    made = fields.Str(
        allow_none=True, example=example_id("srch"), description="Id of the created object."
    )


class RequestOut(AnswerSchema):
    request = fields.Nested(RequestWholeSchema)
