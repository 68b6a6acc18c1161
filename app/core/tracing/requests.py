"""A span around each request, from its `traceparent` on."""

from collections.abc import Callable, Iterable
from typing import Any

from flask import Flask, Response, g, request

from app.core import tracing


def trace_requests(app: Flask) -> None:
    """Nothing is added while tracing is off."""
    if not tracing.is_on():
        return
    app.wsgi_app = _Traced(app.wsgi_app)  # type: ignore[method-assign]

    @app.after_request
    def note(response: Response) -> Response:
        rule = request.url_rule
        method = request.method if rule else "_OTHER"  # a caller may invent methods
        tracing.note(
            {
                "http.request.method": method,
                "http.route": rule.rule if rule else None,
                "http.response.status_code": response.status_code,
                "citegrid.request_id": g.get("request_id"),
            },
            # Never the path: addresses hold ids, and no two would have one name.
            name=f"{method} {rule.rule}" if rule else None,
            error=str(response.status_code) if response.status_code >= 500 else None,
        )
        return response


class _Traced:
    """The span ends when an answer begins: one that is streamed may go on for hours."""

    def __init__(self, app: Callable[..., Iterable[bytes]]) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        sent = {"traceparent": environ.get("HTTP_TRACEPARENT")}
        with tracing.span("request", "server", sent):
            return self._app(environ, start_response)
