"""Requests of callers to the API and what they were answered, for as long as it is kept."""

import math
from datetime import timedelta
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import NotFound, required
from app.domains.own_data.requests import store
from app.domains.own_data.requests.store import ApiRequest
from app.domains.queue.jobs import schedule_store


class RequestNotFound(NotFound):
    """No stored request of your account has this id. It was not authenticated, is too old, or was
    one of too many in a second."""

    code = "request_not_found"


def find(reader: Reader, account_id: UUID, id: UUID) -> ApiRequest:
    """Raises RequestNotFound."""
    return required(store.by_id(reader, account_id, id), RequestNotFound)


def recent(
    reader: Reader,
    account_id: UUID,
    before: UUID | None,
    limit: int,
    *,
    status: str | None = None,
    method: str | None = None,
    api_key: UUID | None = None,
) -> list[ApiRequest]:
    """Up to `limit` + 1 calls of the API, newest first; `status` is `2xx` to `5xx`."""
    return store.page(
        reader,
        account_id,
        before,
        limit + 1,
        hundreds=int(status[0]) if status else None,
        method=method,
        credential_id=api_key,
    )


def forget(tx: Tx, *, most: int, kept_days: float) -> int:
    """Delete some requests past their time; returns how many."""
    until = schedule_store.clock(tx) - timedelta(days=kept_days)
    return store.forget(tx, ids.first_of(until), most)


def forget_counts(tx: Tx, *, most: int, kept_days: float) -> int:
    """Delete some counts past their time; returns how many."""
    return store.forget_counts(tx, math.ceil(kept_days), most)
