"""The log of what was done in the account, by whom and from where; also as a file."""

from typing import Final

from flask import Blueprint, Response, request

from app.core.http import current_settings
from app.core.http.access import signed_in
from app.web.frame.operations import every, page_of
from app.web.frame.rendering import render
from app.web.frame.tables import export_items
from app.web.pages.account import key_forms

bp = Blueprint("audit_pages", __name__)

NOUNS: Final = (
    ("account", "Account"), ("alert", "Alerts"), ("campaign", "Campaigns"), ("credit", "Credit"),
    ("job", "Jobs"),
    ("key", "API keys"), ("memory", "Memories"), ("node", "Nodes"), ("offer", "Offers"),
    ("password", "Password"), ("payout", "Payouts"), ("persona", "Personas"),
    ("profile", "Profile"), ("session", "Sessions"),
    ("sessions", "Sign-outs of all sessions"), ("webhook", "Webhooks"),
)  # fmt: skip
ACTORS: Final = {
    "session": "You",
    "key": "An API key",
    "node": "A node",
    "operator": "An operator",
    "cli": "An operator (command line)",
    "system": "This server",
    "anonymous": "Unknown",
}
COLUMNS: Final = (
    "id", "at", "actor", "api_key", "action", "object", "facts", "address", "request_id"
)  # fmt: skip


@bp.get("/settings/audit")
@signed_in
def index() -> Response:
    keys = every("listApiKeys", "api_keys")
    return render(
        "accounts/audit.html",
        envelope=page_of("listAuditEvents", _filter()),
        nouns=NOUNS,
        actors=ACTORS,
        keys={key["id"]: f"{key['name']} ({key_forms.masked(key)})" for key in keys},
        kept_days=current_settings().audit_kept_days,
    )


def _filter() -> dict[str, str | None]:
    return {"action": request.args.get("action") or None}


@bp.get("/settings/audit.<any(csv, json):form>")
@signed_in
def as_file(form: str) -> Response:
    events = every("listAuditEvents", "audit_events", _filter())
    return export_items("audit", COLUMNS, events, form)
