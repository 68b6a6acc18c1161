"""Credit: the payments it was bought with, how to get more of it, and its transfers as a file."""

from typing import Any, Final
from uuid import UUID

from flask import Blueprint, current_app
from werkzeug.wrappers import Response

from app.core import db
from app.core.config import onchain
from app.core.http import current_settings
from app.core.http.access import signed_in
from app.domains.money.payments import service as payments
from app.domains.money.payments.store import Payment
from app.web.frame.operations import every
from app.web.frame.tables import export_items

bp = Blueprint("credit_pages", __name__)

COLUMNS: Final = ("id", "posted_at", "why", "key", "token", "amount")
_PAID: Final = "x402:"


def receipts(entries: list[dict[str, Any]]) -> dict[str, Payment]:
    """The payments that entries of credit were bought with, by the entry's id."""
    bought = {entry["id"]: entry["key"] for entry in entries if entry["key"].startswith(_PAID)}
    if not bought:
        return {}
    with db.reading() as reader:
        return {
            id: payments.find(reader, UUID(key.removeprefix(_PAID))) for id, key in bought.items()
        }


def payment_offer() -> dict[str, Any]:
    settings = current_settings()
    if not current_app.extensions["checkout"].open:
        return {"on": False, "token": settings.credit_token}
    networks = onchain.networks(settings.onchain_networks)
    return {
        "on": True,
        "token": settings.credit_token,
        "networks": [(network.id, network.asset) for network in networks],
        "search_price": settings.onchain_price,
    }


@bp.get("/wallet.<any(csv, json):form>")
@signed_in
def export_entries(form: str) -> Response:
    return export_items("credit", COLUMNS, every("listCredits", "entries"), form)
