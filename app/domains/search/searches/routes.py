"""/external/v1/search: ask, and read the answer in the same resource."""

from typing import Any

from flask import Response, current_app, url_for

from app.core import db
from app.core.config.settings import Settings
from app.core.errors import Overloaded
from app.core.http import Blueprint, caller, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.long_poll import TooManyStreams, WaitIn
from app.core.http.pagination import page
from app.domains.queue.jobs.watch import EVENT, POLL_SECONDS
from app.domains.search.searches import schemas, service
from app.domains.search.searches.presentation import WATCHED, present
from app.domains.search.searches.result_schemas import SnapshotOut

bp = Blueprint(
    "searches",
    __name__,
    url_prefix="/external/v1/search",
    description="Source-backed search: an identifier at once, an answer with exact citations.",
)


@bp.post("")
@scoped("search")
@bp.arguments(schemas.SearchIn)
@bp.response(202, schemas.AcceptedSchema)
@bp.doc(operationId="createSearch")
def create(body: dict[str, Any]) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Start a search. Read it at the address in `Location`."""
    settings: Settings = current_app.extensions["settings"]
    account_id = caller().account_id

    def make(tx: db.Tx) -> dict[str, Any]:
        seconds = settings.search_deadline_seconds
        current_app.extensions["backpressure"].admit(tx, service.KIND, account_id, seconds)
        return service.request(
            tx,
            account_id,
            body,
            retention_seconds=settings.retention_days * 86_400,
            deadline_seconds=seconds,
        )

    accepted = once(body, make, single=True)
    location = url_for("searches.show", search_id=accepted["id"])
    return accepted, 202, {"Location": location, "Retry-After": str(POLL_SECONDS)}


@bp.get("")
@scoped("search")
@bp.arguments(schemas.SearchesIn, location="query")
@bp.response(200, schemas.SearchPageSchema)
@bp.doc(operationId="listSearches")
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """Your searches, newest first, without their answers."""
    with db.reading() as reader:
        rows = service.recent(
            reader,
            caller().account_id,
            status=wanted.get("status"),
            contains=wanted.get("contains"),
            before=wanted.get("cursor"),
            limit=wanted["limit"],
        )
    return page("searches", rows, wanted["limit"], present)


@bp.get("/<string:search_id>")
@scoped("search")
@raises(service.SearchNotFound)
@bp.arguments(WaitIn, location="query")
@bp.response(200, schemas.SearchOut)
@bp.doc(operationId="getSearch")
def show(wanted: dict[str, Any], search_id: str) -> tuple[RowView, int, dict[str, str]]:
    """A search; with `wait`, held up to so many seconds until it is finished."""
    search, headers = WATCHED.show(caller().account_id, search_id, wanted["wait"])
    return present(search), 200, headers


@bp.post("/<string:search_id>/cancel")
@scoped("search")
@raises(service.SearchNotFound)
@bp.response(200, schemas.SearchOut)
@bp.doc(operationId="cancelSearch")
def cancel(search_id: str) -> RowView:
    """Cancel a pending or running search; a finished one is returned unchanged."""
    with db.transaction() as tx:
        search = service.cancel(tx, caller().account_id, search_id)
    current_app.extensions["publisher"].moved([search.id])
    return present(search)


@bp.get("/<string:search_id>/events")
@scoped("search")
@raises(service.SearchNotFound, TooManyStreams, Overloaded)
@bp.response(
    200,
    EVENT,
    content_type="text/event-stream",
    description="Server-sent events: `event`, `id` and JSON `data`; a comment every 10 seconds.",
)
@bp.alt_response(204, description="`Last-Event-ID` names the end: there is nothing to add.")
@bp.doc(operationId="watchSearch")
def events(search_id: str) -> Response:
    """Progress as server-sent events: `status`, `progress`, then `completed`.

    A stream that ends without `completed` is to be opened again, with `Last-Event-ID`.
    """
    return WATCHED.watch(caller().account_id, search_id)


@bp.get("/<string:search_id>/sources/<string:n>/snapshot")
@scoped("search")
@raises(service.SearchNotFound, service.SourceNotFound)
@bp.response(200, SnapshotOut)
@bp.doc(operationId="getSearchSnapshot")
def snapshot(search_id: str, n: str) -> Any:
    """The stored page text that source `n` was read from, its hash and fetch time."""
    with db.reading() as reader:
        return service.snapshot(reader, caller().account_id, search_id, n)
