"""What callers see of a request."""

from typing import Any

from app.core import ids
from app.core.ids import Noun
from app.domains.own_data.requests.store import ApiRequest


def listed(request: ApiRequest, token: str) -> dict[str, Any]:
    """As lists show it; `token` is what costs are counted in."""
    return {
        "id": ids.public(Noun.REQUEST, request.id),
        "at": request.at,
        "method": request.method,
        "path": request.path,
        "operation": request.operation,
        "status": request.status,
        "code": (request.error or {}).get("code"),
        "milliseconds": request.milliseconds,
        "source": request.source,
        "api_key": _api_key(request),
        "cost": None if request.cost is None else {"token": token, "amount": request.cost},
        "replayed": request.replayed,
    }


def _api_key(request: ApiRequest) -> dict[str, Any] | None:
    """None: it was no key, or that of a local demonstration."""
    if request.key_id is None:
        return None
    return {
        "id": ids.public(Noun.API_KEY, request.key_id),
        "name": request.key_name,
        "prefix": request.key_prefix,
        "last_four": request.key_last_four,
    }


def whole(request: ApiRequest, token: str) -> dict[str, Any]:
    """With what only the request itself shows."""
    made = None
    if request.made_prefix is not None and request.made_id is not None:
        made = ids.public(Noun(request.made_prefix), request.made_id)
    return {
        **listed(request, token),
        "route": request.route,
        "headers": request.headers,
        "error": request.error,
        "made": made,
    }
