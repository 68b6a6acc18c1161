"""Paths, bodies and queries, read strictly: what Postgres cannot store never gets past here."""

import math
import re
from functools import cache, partial
from typing import Any, Final
from uuid import UUID

import flask_smorest
from flask import Request, Response, current_app, request
from marshmallow import RAISE, Schema
from webargs.flaskparser import FlaskParser
from werkzeug.routing import BaseConverter, Map

from app.core import ids, untrusted_json
from app.core.errors import (
    MOST_DETAILS,
    Invalid,
    MalformedJson,
    NotFound,
    PayloadTooLarge,
    UnsupportedMediaType,
)
from app.core.ids import Noun

MAX_NESTING = untrusted_json.MOST_NESTING
MAX_NUMBER_LENGTH = 40
STATUS_HEADER = "X-API-Status"
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def read_ids(urls: Map) -> None:
    """Let `<job:job_id>` in a rule give its view the UUID behind `job_...`: so for each prefix."""
    urls.converters |= {noun.value: _converter(noun) for noun in Noun}


@cache
def _converter(noun: Noun) -> type[BaseConverter]:
    class PublicId(BaseConverter):
        """A text that is no id is routed as well: who asks is checked before what is asked for."""

        def to_python(self, value: str) -> UUID:
            return ids.lookup(noun, value)

        def to_url(self, value: Any) -> str:
            """Of a row's id, or of an id as callers know it."""
            return super().to_url(ids.public(noun, value) if isinstance(value, UUID) else value)

    return PublicId


def loads(raw: bytes) -> Any:
    """Parse a JSON body (RFC 8259) that Postgres can store. Raises MalformedJson."""
    try:
        value = untrusted_json.loads(
            raw.decode("utf-8"),
            MAX_NESTING,
            object_pairs_hook=_object,
            parse_constant=_refuse,
            parse_int=_integer,
            parse_float=_number,
        )
        _check(value)
    except (RecursionError, ValueError) as error:
        raise MalformedJson(why=type(error).__name__) from None
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate key")
    return found


def _refuse(_word: str) -> Any:
    raise ValueError("NaN and Infinity are not JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_NUMBER_LENGTH:
        raise ValueError("number too long")
    return int(digits)


def _number(digits: str) -> float:
    if len(digits) > MAX_NUMBER_LENGTH or math.isinf(number := float(digits)):
        raise ValueError("number too large")
    return number


def _check(value: Any) -> None:
    if isinstance(value, str):
        if UNSTORABLE.search(value):
            raise ValueError("NUL or unpaired surrogate")
    elif isinstance(value, dict):
        for key, child in value.items():
            _check(key)
            _check(child)
    elif isinstance(value, list):
        for child in value:
            _check(child)


class Parser(FlaskParser):
    """webargs with our JSON reader, no unknown and no repeated query parameters."""

    DEFAULT_VALIDATION_STATUS = 400
    DEFAULT_UNKNOWN_BY_LOCATION = {  # noqa: RUF012 (as webargs declares it)
        **FlaskParser.DEFAULT_UNKNOWN_BY_LOCATION,
        "json": RAISE,
        "query": RAISE,
    }

    def load_json(self, req: Request, schema: Schema) -> Any:
        """Raises Invalid for more unknown fields than an error names.

        Marshmallow would store a message for each: with 80,000 that costs twice the parsing.
        """
        body = super().load_json(req, schema)
        if isinstance(body, dict):
            known = {field.data_key or name for name, field in schema.load_fields.items()}
            unknown = [name for name in body if name not in known]
            if len(unknown) > MOST_DETAILS:
                raise Invalid(details=map(_unknown, unknown))
        return body

    def _raw_load_json(self, req: Request) -> Any:
        if req.mimetype != "application/json":
            raise UnsupportedMediaType.at("", "Send the body as application/json.")
        raw = req.get_data(cache=True)
        if req.content_length is None and len(raw) >= (req.max_content_length or math.inf):
            raise PayloadTooLarge  # Werkzeug cuts a chunked body off at the limit
        return loads(raw)


class Blueprint(flask_smorest.Blueprint):  # type: ignore[misc]
    """A flask-smorest blueprint that reads strictly."""

    ARGUMENTS_PARSER = Parser()

    def arguments(self, schema: Any, **options: Any) -> Any:
        """As flask-smorest's, with one schema for all requests, since making one is slow."""
        return super().arguments(schema() if isinstance(schema, type) else schema, **options)

    def __init__(self, *args: Any, preview: bool = False, **kwargs: Any) -> None:
        """`preview` marks all of its routes as not settled yet, in each answer and in OpenAPI."""
        super().__init__(*args, **kwargs)
        self.preview = preview
        self.before_request(_check_query)
        if preview:
            self.after_request(_mark_preview)

    def route(self, rule: str, *, operation: str | None = None, **options: Any) -> Any:
        """As flask-smorest's; `operation` is the view's `operationId` in the document."""
        routed = super().route(rule, **options)
        return routed if operation is None else lambda view: routed(_named(view, operation))

    def register_views_in_doc(self, api: Any, *args: Any, **options: Any) -> None:
        """Later, when somebody wants the document: it takes longer than the rest of a start."""
        api.document_later(partial(super().register_views_in_doc, api, *args, **options))


def _named(view: Any, operation: str) -> Any:
    documented = getattr(view, "_apidoc", {})
    named = {"operationId": operation, **documented.get("manual_doc", {})}
    view._apidoc = {**documented, "manual_doc": named}
    return view


def _mark_preview(response: Response) -> Response:
    response.headers[STATUS_HEADER] = "preview"
    return response


def _check_query() -> None:
    """Before each view: no parameter twice or undecodable, and none where the view takes none.

    Where it takes some, its schema refuses the others.
    """
    for name, values in request.args.lists():
        if len(values) > 1:
            raise Invalid.at(pointer(name), "Given twice.")
        if UNSTORABLE.search(name + values[0]) or "\ufffd" in name + values[0]:
            raise Invalid.at("", "The query is not valid text.")
    if request.args and not _takes_query(request.endpoint or ""):
        raise Invalid(details=map(_unknown, request.args))


_CHOSEN: Final = frozenset({"persona_id", "name", "queue_name", "worker_id"})
"""The parts of the API's paths that are looked up as they are; others are read first."""


def check_path(*, of_page: bool) -> None:
    """Raises NotFound for a name that Postgres cannot store, so that nothing has it."""
    for part, name in (request.view_args or {}).items():
        if (of_page or part in _CHOSEN) and UNSTORABLE.search(str(name)):
            raise NotFound


def check_page() -> None:
    """Raises Invalid for a field of a form or a query that Postgres cannot store."""
    for name, values in (*request.form.lists(), *request.args.lists()):
        if UNSTORABLE.search(name + "".join(values)):
            raise Invalid.at(pointer(name), "Must be valid text.")


def _unknown(name: str) -> dict[str, str]:
    return {"field": pointer(name), "problem": "Unknown field."}


def pointer(name: str) -> str:
    """One step of a JSON pointer (RFC 6901); a long name is cut."""
    return "/" + name[:80].replace("~", "~0").replace("/", "~1")


def _takes_query(endpoint: str) -> bool:
    documented = getattr(current_app.view_functions[endpoint], "_apidoc", {})
    taken = documented.get("arguments", {}).get("parameters", [])
    return any(parameter["in"] == "query" for parameter in taken)
