"""A page is a client of the API inside the process: it calls operations by their id.

So pages have no rules, no validation and no shapes of their own. The call passes through routing,
the schemas and the view, and skips the network, the credential and the rate limit, which the
page's own request has passed already.
"""

import io
import json
from collections.abc import Iterator
from functools import cache
from time import sleep
from typing import Any, Final
from urllib.parse import urlencode

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException

from app.core.errors import NotFound
from app.core.http.access import caller_or_none
from app.core.http.api import of_http
from app.core.http.idempotency import IdempotencyInProgress
from app.web.frame.rendering import viewer
from app.web.interface.operations import template

_AT_ONCE: Final = 200
_PAUSES: Final = (0.1, 0.2, 0.4, 0.8, 1.5)  # seconds
# What concerns the page and not the operation; conditions would be answered without a body.
_NOT_PASSED_ON: Final = frozenset(
    (
        "CONTENT_LENGTH",
        "CONTENT_TYPE",
        "RAW_URI",
        "REQUEST_URI",
        "HTTP_ACCEPT",
        "HTTP_AUTHORIZATION",
        "HTTP_COOKIE",
        "HTTP_IDEMPOTENCY_KEY",
        "HTTP_IF_MODIFIED_SINCE",
        "HTTP_IF_NONE_MATCH",
        "HTTP_LAST_EVENT_ID",
        "HTTP_PREFER",
        "HTTP_RANGE",
        "HTTP_X_API_KEY",
    )
)


def publish(app: Flask) -> None:
    app.extensions["operations"] = {
        name: (template(rule.rule), min((rule.methods or set()) - {"HEAD", "OPTIONS"}))
        for rule in app.url_map.iter_rules()
        if (name := operation_of(app.view_functions[rule.endpoint])) is not None
    }


@cache
def operation_of(view: Any) -> str | None:
    documented = getattr(view, "_apidoc", {})
    name: str | None = documented.get("manual_doc", {}).get("operationId")
    return name


def call(
    operation_id: str,
    body: dict[str, Any] | bytes | None = None,
    *,
    once: str | None = None,
    **how: Any,
) -> Any:
    """As `respond`: the answer as JSON types; None for an empty one."""
    pauses = iter(_PAUSES if once else ())
    while True:
        try:
            answer = respond(operation_id, body, once=once, **how)
        except IdempotencyInProgress:  # of a double click: its first answer is on its way
            if (pause := next(pauses, None)) is None:
                raise
            sleep(pause)
        else:
            text = answer.get_data()
            return json.loads(text) if text else None


def page_of(operation_id: str, query: dict[str, Any] | None = None, **path: Any) -> Any:
    """The page of a list that this address names, as long as the viewer wants pages to be."""
    asked = {"cursor": request.args.get("cursor"), "limit": viewer().page_size}
    return call(operation_id, query={**asked, **(query or {})}, **path)


def every(
    operation_id: str, noun: str, query: dict[str, Any] | None = None, **path: Any
) -> Iterator[dict[str, Any]]:
    """Each item of a list operation, read page after page. The first page is read at once: what is
    wrong with the query is an error, and no broken file.
    """
    asked = {**(query or {}), "limit": _AT_ONCE}
    first = call(operation_id, query=asked, **path)

    def items() -> Iterator[dict[str, Any]]:
        envelope = first
        yield from envelope[noun]
        while (cursor := envelope["next_cursor"]) is not None:
            envelope = call(operation_id, query={**asked, "cursor": cursor}, **path)
            yield from envelope[noun]

    return items()


def respond(
    operation_id: str,
    body: dict[str, Any] | bytes | None = None,
    *,
    content_type: str = "application/json",
    query: dict[str, Any] | None = None,
    once: str | None = None,
    **path: str,
) -> Response:
    """The operation's answer to whoever is signed in, as it is; it may be a stream.

    A `body` of bytes is sent as it is. `query` may hold None for what is left out; `once` is the
    Idempotency-Key. Raises the AppError that the API would answer with.
    """
    template, method = current_app.extensions["operations"][operation_id]
    # Keys of documents are paths themselves.
    if any("/" in value for name, value in path.items() if name != "key"):
        raise NotFound
    address = template.format_map(path)
    given = {name: value for name, value in (query or {}).items() if value not in (None, "")}
    sent = json.dumps(body).encode() if isinstance(body, dict) else body
    environ = _environ(method, address, urlencode(given, doseq=True))
    if sent is not None:
        environ |= {
            "wsgi.input": io.BytesIO(sent),
            "CONTENT_LENGTH": str(len(sent)),
            "CONTENT_TYPE": content_type,
        }
    if once:
        environ["HTTP_IDEMPOTENCY_KEY"] = once
    caller, request_id = caller_or_none(), g.request_id
    with current_app.app_context(), current_app.request_context(environ):
        g.request_id = request_id
        if caller is not None:
            g.caller = caller
        try:
            for name in request.blueprints:
                for check in current_app.before_request_funcs.get(name, ()):
                    check()
            return current_app.make_response(current_app.dispatch_request())
        except HTTPException as error:
            raise of_http(error) from None


def _environ(method: str, path: str, query: str) -> dict[str, Any]:
    """As if the peer had sent it to the API itself: its address and its proxies stay known."""
    environ = {
        name: value
        for name, value in request.environ.items()
        if name not in _NOT_PASSED_ON and not name.startswith(("werkzeug.", "flask."))
    }
    return environ | {
        "REQUEST_METHOD": method,
        "PATH_INFO": path.encode().decode("latin-1"),  # PEP 3333
        "QUERY_STRING": query,
        "wsgi.input": io.BytesIO(),
    }
