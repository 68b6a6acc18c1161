"""Waiting for a search and watching it, the same through every door."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from flask import Response, current_app, request

from app.core import db
from app.core.http.waiting import Waiting
from app.domains.searches import service
from app.domains.searches.presenting import as_json, present

POLL_SECONDS = 1
SOURCE_NUMBER = re.compile(r"[1-9][0-9]{0,2}", re.ASCII)


def show(account_id: UUID, search_id: str, wait: float) -> tuple[dict[str, Any], dict[str, str]]:
    """A search as it is, or as it is when finished within `wait` seconds; and headers."""

    def read() -> service.Search:
        with db.reading() as tx:
            return service.find(tx, account_id, search_id)

    search = read()
    if wait and not service.finished(search):
        waiting: Waiting = current_app.extensions["waiting"]
        search = waiting.until(search.id, read, service.finished, wait)
    headers = {} if service.finished(search) else {"Retry-After": str(POLL_SECONDS)}
    return present(search), headers


def watch(account_id: UUID, search_id: str) -> Response:
    """Progress as server-sent events. Raises SearchNotFound before the stream begins."""
    waiting: Waiting = current_app.extensions["waiting"]

    def read() -> service.Search:
        with db.reading() as tx:
            return service.find(tx, account_id, search_id)

    def tell(search: service.Search) -> Iterator[tuple[str, str, dict[str, Any]]]:
        version = str(search.progress.get("version", 0))
        shown = {"id": search_id, "status": service.status(search)}
        if service.finished(search):
            yield "completed", _end(search), as_json(search)
        elif search.progress:
            yield "progress", version, {**shown, **as_json(search)["progress"]}
        else:
            yield "status", version, shown

    first = read()
    last_seen = request.headers.get("Last-Event-ID")
    if service.finished(first) and last_seen == _end(first):
        return Response(status=204)  # a browser's EventSource asks again until it hears this
    return waiting.stream(first.id, read, tell, service.finished, last_seen)


def source_number(text: str) -> int:
    """`n` of an address. Raises SourceNotFound for what no source is called."""
    if not SOURCE_NUMBER.fullmatch(text):
        raise service.SourceNotFound
    return int(text)


def _end(search: service.Search) -> str:
    return f"end-{search.state}"
