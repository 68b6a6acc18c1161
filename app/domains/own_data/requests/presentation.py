"""Requests as callers see them."""

from typing import Any

from app.core import ids
from app.core.http.fields import RowView
from app.core.ids import Noun
from app.domains.own_data.requests.store import ApiRequest


def request(row: ApiRequest, token: str) -> RowView:
    """As RequestListed and RequestWhole describe it; `token` is that of chats that were free."""
    made = None
    if row.made_prefix is not None and row.made_id is not None:
        made = ids.public(Noun(row.made_prefix), row.made_id)
    return RowView(
        row,
        code=(row.error or {}).get("code"),
        api_key=_api_key(row),
        cost=None if row.cost is None else {"token": row.token or token, "amount": row.cost},
        made=made,
    )


def _api_key(row: ApiRequest) -> dict[str, Any] | None:
    """None: it was no key, or that of a local demonstration."""
    if row.key_id is None:
        return None
    return {
        "id": ids.public(Noun.API_KEY, row.key_id),
        "name": row.key_name,
        "prefix": row.key_prefix,
        "last_four": row.key_last_four,
    }
