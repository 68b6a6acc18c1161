"""Flask-smorest with one shape for every error: ours."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import flask_smorest
import psycopg
from flask import Flask, g
from marshmallow import Schema, ValidationError, validate
from werkzeug.exceptions import HTTPException
from werkzeug.routing import BaseConverter

from app.core import log
from app.core.errors import (
    MOST_DETAILS,
    AppError,
    Invalid,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    StorageUnavailable,
    UnsupportedMediaType,
)
from app.core.http import fields, request_parser, variants
from app.core.http.fields import id_pattern
from app.core.ids import Noun

Reply = tuple[dict[str, Any], int, Mapping[str, str]]

logger = log.get(__name__)

BY_STATUS: dict[int, type[AppError]] = {
    404: NotFound,
    405: MethodNotAllowed,
    413: PayloadTooLarge,
    415: UnsupportedMediaType,
}


class DetailSchema(Schema):
    field = fields.Str(required=True, description="JSON pointer")
    problem = fields.Str(required=True)


class ErrorBodySchema(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    request_id = fields.Str(required=True, pattern=id_pattern(Noun.REQUEST))
    details = fields.List(fields.Nested(DetailSchema), validate=validate.Length(max=MOST_DETAILS))
    details_omitted = fields.Int(
        validate=validate.Range(1), description="Number of further details."
    )


class ErrorSchema(Schema):
    """The error object of every interface."""

    error = fields.Nested(ErrorBodySchema, required=True)


class Api(flask_smorest.Api):  # type: ignore[misc]
    ERROR_SCHEMA = ErrorSchema

    def init_app(self, app: Flask, **options: Any) -> None:
        self._undocumented: list[Callable[[], None]] = []
        super().init_app(app, **options)
        request_parser.read_ids(app.url_map)
        for noun in Noun:
            converter = app.url_map.converters[noun.value]
            self.register_converter(converter, partial(_schema_in_paths, noun))
        for kind in (AppError, psycopg.OperationalError, Exception):
            app.register_error_handler(kind, _failed)

    def document_later(self, write: Callable[[], None]) -> None:
        """`write` is called when the document is wanted."""
        self._undocumented.append(write)

    def document(self) -> dict[str, Any]:
        while self._undocumented:
            self._undocumented.pop(0)()
        variants.document(self)
        document: dict[str, Any] = self.spec.to_dict()
        return document

    def handle_http_exception(self, error: HTTPException) -> Reply:
        return reply(of_http(error))


def _schema_in_paths(noun: Noun, _converter: BaseConverter) -> dict[str, Any]:
    return {"type": "string", "pattern": id_pattern(noun)}


def of_http(error: HTTPException) -> AppError:
    """Turns what the frameworks refuse into an error of our catalogue."""
    data = getattr(error, "data", None) or {}
    if messages := data.get("messages"):
        return Invalid(details=_details(messages))
    kind = BY_STATUS.get(error.code or 500, Invalid if (error.code or 500) < 500 else AppError)
    kept = {n: v for n, v in error.get_headers() if n in ("Allow", "WWW-Authenticate")}
    return kind(headers=kept)


def reply(error: AppError) -> Reply:
    note(error)
    headers = {"Cache-Control": "no-store", **error.headers}
    return error.body(g.get("request_id", "")), error.status, headers


def note(error: AppError) -> None:
    """Write to the log what callers are not told; the request is kept with its error."""
    g.error = error
    if error.status >= 500 or error.why:
        write = logger.error if error.status == 500 else logger.info
        write("request failed", code=error.code, why=error.why)


def of_any(error: Exception) -> AppError:
    """Turns whatever a view raised into an error of our catalogue; a mistake of ours is logged."""
    if isinstance(error, AppError):
        return error
    if isinstance(error, HTTPException):
        return of_http(error)
    if isinstance(error, psycopg.OperationalError):
        return StorageUnavailable(retry_after=2, why=f"{type(error).__name__}: {error}")
    logger.error("unexpected", exc_info=error)
    return AppError()


def _failed(error: Exception) -> Reply:
    return reply(of_any(error))


def of_validation(error: ValidationError) -> Invalid:
    """A refusal of marshmallow as the error of a caller."""
    return Invalid(details=_walk("", error.messages))


def _details(messages: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Marshmallow's nested messages, by location, as pointers and sentences."""
    for found in messages.values():
        yield from _walk("", found)


def _walk(pointer: str, found: Any) -> Iterator[dict[str, str]]:
    if isinstance(found, Mapping):
        for key, child in found.items():
            step = "" if key == "_schema" else request_parser.pointer(str(key))
            yield from _walk(pointer + step, child)
    else:
        texts = found if isinstance(found, list) else [found]
        yield {"field": pointer, "problem": " ".join(str(text) for text in texts)}
