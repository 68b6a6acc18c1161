"""/v1/requests: calls of the API, by the id that each answer carries."""

from functools import partial
from typing import Any

from flask import current_app

from app.core import db
from app.core.http import Blueprint, account_only, caller, raises
from app.core.http.pagination import page
from app.domains.own_data.requests import presentation, schemas, service
from app.domains.own_data.requests.service import RequestNotFound

bp = Blueprint(
    "requests",
    __name__,
    url_prefix="/v1/requests",
    description="What was requested of the API and how it was answered, without the bodies.",
)


def _token() -> str:
    token: str = current_app.extensions["settings"].credit_token
    return token


@bp.get("")
@account_only
@bp.arguments(schemas.RequestsIn, location="query")
@bp.response(200, schemas.RequestsOut)
@bp.doc(operationId="listRequests")
def index(query: dict[str, Any]) -> dict[str, Any]:
    """Calls of the API with the account's keys and tokens, newest first; not those of its nodes.

    They are here a second after their answer, for REQUESTS_KEPT_DAYS. Bodies and queries are never
    kept. Of very many in a second some are left out.
    """
    limit = query["limit"]
    with db.reading() as reader:
        rows = service.recent(
            reader,
            caller().account_id,
            query.get("cursor"),
            limit,
            status=query.get("status"),
            method=query.get("method"),
            api_key=query.get("api_key"),
        )
    return page("requests", rows, limit, partial(presentation.request, token=_token()))


@bp.get("/<string:request_id>")
@account_only
@raises(RequestNotFound)
@bp.response(200, schemas.RequestOut)
@bp.doc(operationId="getRequest")
def show(request_id: str) -> dict[str, Any]:
    """One request by its `X-Request-Id`, that of a page of the dashboard too."""
    with db.reading() as reader:
        found = service.find(reader, caller().account_id, request_id)
    return {"request": presentation.request(found, _token())}
