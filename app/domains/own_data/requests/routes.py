"""/v1/requests: calls of the API, by the id that each answer carries."""

from functools import partial
from typing import Any
from uuid import UUID

from app.core import db
from app.core.http import Blueprint, account_only, caller, current_settings, raises
from app.core.http.pagination import page
from app.domains.own_data.requests import presentation, schemas, service
from app.domains.own_data.requests.service import RequestNotFound

requests = Blueprint(
    "requests",
    __name__,
    url_prefix="/v1/requests",
    description="API requests and responses, without bodies.",
)


def _token() -> str:
    return current_settings().credit_token


@requests.get("", operation="listRequests")
@account_only
@requests.arguments(schemas.RequestsIn, location="query")
@requests.response(200, schemas.RequestsOut)
def index(query: dict[str, Any]) -> dict[str, Any]:
    """List API requests of the account, newest first, without those of its nodes.

    Requests appear within a second and are kept for REQUESTS_KEPT_DAYS, without bodies and query
    strings. At very high rates, some requests are omitted.
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


@requests.get("/<req:request_id>", operation="getRequest")
@account_only
@raises(RequestNotFound)
@requests.response(200, schemas.RequestOut)
def show(request_id: UUID) -> dict[str, Any]:
    """Get a request by its `X-Request-Id`, including requests of the dashboard."""
    with db.reading() as reader:
        found = service.find(reader, caller().account_id, request_id)
    return {"request": presentation.request(found, _token())}
