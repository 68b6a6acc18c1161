"""The record of each request: who made it and how it was answered; never its body."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from flask import Response, current_app, g, request

from app.core.errors import AppError, Unauthenticated
from app.core.http import access
from app.core.http.access import Caller
from app.domains.own_data.requests.recorder import Recorder, RequestEntry
from app.web.frame.operations import operation_of
from app.web.interface.operations import template

KEPT_HEADERS: Final = {
    "HTTP_ACCEPT": "Accept",
    "CONTENT_LENGTH": "Content-Length",
    "CONTENT_TYPE": "Content-Type",
    "HTTP_IDEMPOTENCY_KEY": "Idempotency-Key",
    "HTTP_USER_AGENT": "User-Agent",
}
"""By their names in WSGI (PEP 3333)."""

Who = tuple[UUID, UUID, str]
"""Account, credential, source."""


def note(response: Response, seconds: float) -> None:
    """Have the request kept, if its caller is known; not what nodes and open pages poll."""
    recorder: Recorder | None = current_app.extensions["request_recorder"]
    if recorder is None or (who := _who()) is None or _is_poll(response):
        return
    error: AppError | None = g.get("error")
    rule, environ = request.url_rule, request.environ
    recorder.note(
        RequestEntry(
            g.request_id,
            *who,
            at=datetime.now(UTC) - timedelta(seconds=seconds),
            method=environ["REQUEST_METHOD"],
            route="" if rule is None else rule.rule,
            path=path(),
            operation=None if rule is None else _operation(rule.endpoint),
            status=response.status_code,
            seconds=seconds,
            error=None if error is None else _kept(error),
            headers={
                name: text for key, name in KEPT_HEADERS.items() if (text := environ.get(key))
            },
            replayed=g.get("replayed", False),
            location=response.headers.get("Location"),
            made_id=g.get("made_id"),
        )
    )


def _who() -> Who | None:
    """None for nobody we know, and for the token of a node."""
    caller: Caller | None = g.get("caller")
    if caller is not None:
        if caller.node_id is not None:
            return None
        return caller.account_id, caller.credential_id, _source(caller)
    error = g.get("error")
    if isinstance(error, Unauthenticated) and (ended := error.ended):
        return ended.account_id, ended.id, "key" if ended.is_key else "token"
    return None


def _source(caller: Caller) -> str:
    if caller.scopes is not None:
        return "key"
    if request.endpoint is None:
        return "page"  # an unknown one, or another method: shown to who is signed in
    declared = access.of_endpoint(request.endpoint)
    return "page" if declared is not None and declared.page else "token"


def path() -> str:
    """Without secrets and names of documents: fit to be kept and logged."""
    secret = {"token", "secret", "key"} & (request.view_args or {}).keys()
    return template(str(request.url_rule)) if secret else request.path


def _is_poll(response: Response) -> bool:
    """Of an open page; what failed of it is wanted."""
    return "HX-Request" in request.headers and response.status_code < 400


def _operation(endpoint: str) -> str | None:
    return operation_of(current_app.view_functions.get(endpoint))


def _kept(error: AppError) -> dict[str, Any]:
    """Without the request id, which the row has."""
    answered: dict[str, Any] = error.body("")["error"]
    del answered["request_id"]
    return answered
