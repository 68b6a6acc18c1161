"""/v1/audit-events: what was done in the account, by whom."""

from typing import Any

from app.core import db, ids
from app.core.http import Blueprint, account_only, caller
from app.core.http.pagination import page
from app.core.ids import Noun
from app.domains.account.audit import schemas, store
from app.domains.account.audit.store import Event

audit_events = Blueprint(
    "audit-events",
    __name__,
    url_prefix="/v1/audit-events",
    description="Audit events of the account: sessions, keys, webhooks, funds and nodes.",
)


@audit_events.get("", operation="listAuditEvents")
@account_only
@audit_events.arguments(schemas.AuditEventsIn, location="query")
@audit_events.response(200, schemas.AuditEventsOut)
def index(query: dict[str, Any]) -> dict[str, Any]:
    """List audit events of the account, newest first. Events are immutable and expire after
    AUDIT_KEPT_DAYS.
    """
    limit = query["limit"]
    with db.reading() as reader:
        rows = store.of_account(
            reader, caller().account_id, query.get("action"), query.get("cursor"), limit + 1
        )
    return page("audit_events", rows, limit, _shown)


def _shown(event: Event) -> dict[str, Any]:
    """Operators and whoever types commands are not named to the account."""
    by_operator = event.actor in ("operator", "cli")
    key = event.credential_id if event.actor == "key" else None
    request = None if by_operator else event.request_id
    return {
        "id": ids.public(Noun.AUDIT_EVENT, event.id),
        "at": event.at,
        "actor": event.actor,
        "api_key": ids.public(Noun.API_KEY, key) if key else None,
        "action": event.action,
        "object": event.object,
        "facts": event.facts,
        "address": None if by_operator else event.address,
        "request_id": ids.public(Noun.REQUEST, request) if request else None,
    }
