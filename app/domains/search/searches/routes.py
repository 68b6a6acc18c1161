"""/external/v1/search: ask, and read the answer in the same resource."""

from typing import Any
from uuid import UUID

from flask import Response, current_app, request, url_for

from app.core import db
from app.core.errors import Overloaded
from app.core.http import (
    Blueprint,
    caller,
    caller_or_none,
    current_settings,
    raises,
    require_scope,
    scoped,
)
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.long_poll import TooManyStreams, WaitIn
from app.core.http.pagination import page
from app.domains.queue.jobs.admission.acceptance import Accepted, accepted, admit
from app.domains.queue.jobs.watch import EVENT
from app.domains.search.memories import service as memories
from app.domains.search.memories.service import PersonaNotFound
from app.domains.search.searches import schemas, service
from app.domains.search.searches.presentation import WATCHED, present
from app.domains.search.searches.result_schemas import SnapshotOut

searches = Blueprint(
    "searches",
    __name__,
    url_prefix="/external/v1/search",
    description="Search with exact citations. Returns an id immediately and the answer later.",
)


@searches.before_request
def _asked_by_the_key() -> None:
    """For a key that is limited to corpora, there are no searches but its own."""
    identity = caller_or_none()
    key_id = identity.limited_key if identity else None
    search_id = (request.view_args or {}).get("search_id")
    if key_id is not None and search_id is not None:
        with db.reading() as reader:
            service.require_asked_by(reader, key_id, search_id)


@searches.post("", operation="createSearch")
@scoped("search")
@raises(PersonaNotFound)
@searches.arguments(schemas.SearchIn)
@searches.response(202, schemas.AcceptedSchema)
def create(body: dict[str, Any]) -> Accepted:
    """Start a search. Poll the address in `Location`."""
    settings = current_settings()
    account_id, persona_id = caller().account_id, body.get("persona_id")
    if persona_id is not None:
        require_scope("memory", "/persona_id")

    def make(tx: db.Tx) -> dict[str, Any]:
        if persona_id is not None:
            db.act_for(tx, account_id)
            memories.require(tx, account_id, persona_id)
        seconds = settings.search_deadline_seconds
        admit(tx, service.KIND, seconds)
        narrowed = service.narrowed(tx, account_id, body, caller().corpora)
        return service.request(
            tx,
            account_id,
            service.following(tx, account_id, narrowed, caller().limited_key),
            retention_seconds=settings.retention_days * 86_400,
            deadline_seconds=seconds,
            key_id=caller().limited_key,
        )

    made = once(body, make, single=persona_id is None)
    return accepted(made, url_for("searches.show", search_id=made["id"]))


@searches.get("", operation="listSearches")
@scoped("search")
@searches.arguments(schemas.SearchesIn, location="query")
@searches.response(200, schemas.SearchPageSchema)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your searches, newest first, without answers."""
    with db.reading() as reader:
        rows = service.recent(
            reader,
            caller().account_id,
            status=wanted.get("status"),
            contains=wanted.get("contains"),
            before=wanted.get("cursor"),
            limit=wanted["limit"],
            key_id=caller().limited_key,
        )
    return page("searches", rows, wanted["limit"], present)


@searches.get("/<srch:search_id>", operation="getSearch")
@scoped("search")
@raises(service.SearchNotFound)
@searches.arguments(WaitIn, location="query")
@searches.response(200, schemas.SearchOut)
def show(wanted: dict[str, Any], search_id: UUID) -> tuple[RowView, int, dict[str, str]]:
    """Get a search. `wait` is the maximum number of seconds to wait for its end."""
    search, headers = WATCHED.show(caller().account_id, search_id, wanted["wait"])
    return present(search), 200, headers


@searches.post("/<srch:search_id>/cancel", operation="cancelSearch")
@scoped("search")
@raises(service.SearchNotFound)
@searches.response(200, schemas.SearchOut)
def cancel(search_id: UUID) -> RowView:
    """Cancel a search. A finished search is returned unchanged."""
    with db.transaction() as tx:
        search = service.cancel(tx, caller().account_id, search_id)
    current_app.extensions["publisher"].moved([search.id])
    return present(search)


@searches.get("/<srch:search_id>/events", operation="watchSearch")
@scoped("search")
@raises(service.SearchNotFound, TooManyStreams, Overloaded)
@searches.response(
    200,
    EVENT,
    content_type="text/event-stream",
    description="Server-sent events: `event`, `id` and JSON `data`; a comment every 10 seconds.",
)
@searches.alt_response(
    204, description="`Last-Event-ID` is the last event; there are no further events."
)
def events(search_id: UUID) -> Response:
    """Stream progress as server-sent events: `status`, `progress`, then `completed`.

    If the stream ends without `completed`, reconnect with `Last-Event-ID`.
    """
    return WATCHED.watch(caller().account_id, search_id)


@searches.get("/<srch:search_id>/sources/<string:n>/snapshot", operation="getSearchSnapshot")
@scoped("search")
@raises(service.SearchNotFound, service.SourceNotFound)
@searches.response(200, SnapshotOut)
def snapshot(search_id: UUID, n: str) -> Any:
    """Get the stored text of source `n` with its hash and fetch time."""
    with db.reading() as reader:
        return service.snapshot(reader, caller().account_id, search_id, n)
