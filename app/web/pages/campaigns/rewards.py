"""The rewards of an account's nodes: what they earned and why, how they are judged, and having it
sent.
"""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import AppError, Invalid
from app.core.http.access import signed_in
from app.web.frame.listing import every
from app.web.frame.operations import call
from app.web.frame.rendering import render, viewer
from app.web.frame.tables import export

bp = Blueprint("reward_pages", __name__)

ROLES: Final = ("contributor", "validator", "provider")
COLUMNS: Final = (
    "id",
    "created_at",
    "role",
    "campaign_id",
    "record_id",
    "record_version",
    "chat_id",
    "verdict",
    "amount",
    "token",
    "state",
    "available_at",
    "why",
)
LATEST: Final = {"limit": 10}


@bp.get("/rewards")
@signed_in
def index() -> Response:
    role = request.args.get("role")
    query = {"role": role, "cursor": request.args.get("cursor"), "limit": viewer().page_size}
    return render(
        "rewards/index.html",
        balances=call("showRewards")["rewards"],
        reputation=call("showReputation")["reputation"],
        payouts=call("listPayouts", query=LATEST),
        disputes=call("listDisputes", query=LATEST),
        found=call("listRewardEntries", query=query),
        roles=ROLES,
    )


@bp.get("/rewards.<any(csv, json):form>")
@signed_in
def export_entries(form: str) -> Response:
    entries = every("listRewardEntries", "entries", {"role": request.args.get("role")})
    return export(
        "rewards", COLUMNS, ([entry[name] for name in COLUMNS] for entry in entries), form
    )


@bp.get("/rewards/payouts")
@signed_in
def payouts() -> Response:
    query = {"cursor": request.args.get("cursor"), "limit": viewer().page_size}
    return render("rewards/payouts.html", found=call("listPayouts", query=query))


@bp.get("/rewards/disputes")
@signed_in
def disputes() -> Response:
    query = {"cursor": request.args.get("cursor"), "limit": viewer().page_size}
    return render("rewards/disputes.html", found=call("listDisputes", query=query))


@bp.get("/rewards/payouts/new")
@signed_in
def new_payout() -> Response:
    return _form()


def _form(**more: Any) -> Response:
    balances = [each for each in call("showRewards")["rewards"] if each["available"] != "0"]
    available = ", ".join(f"{each['available']} {each['token']}" for each in balances) or "0"
    return render("rewards/new_payout.html", balances=balances, available=available, **more)


@bp.post("/rewards/payouts")
@signed_in
def request_payout() -> Response:
    """Shown once more before it is requested: where it goes cannot be changed afterwards."""
    body = {name: request.form.get(name, "") for name in ("token", "amount", "destination")}
    if "change" in request.form:
        return _form(kept=True)
    if "confirmed" not in request.form:
        return _form(asked=body)
    try:
        call("requestPayout", body, once=request.form.get("key"))
    except Invalid as error:
        return _form(errors=error)
    except AppError as error:
        if error.code not in ("payout_open", "insufficient_rewards"):
            raise
        return _form(errors=Invalid(details=[{"field": "/amount", "problem": str(error)}]))
    return redirect("/rewards/payouts", 303)


@bp.post("/rewards/appeals")
@signed_in
def appeal() -> Response:
    """Of a rejected record of the account's nodes."""
    record_id, reason = request.form.get("record", "").strip(), request.form.get("reason", "")
    try:
        call("appealRecord", {"reason": reason}, once=request.form.get("key"), record_id=record_id)
    except Invalid as error:
        return render("rewards/appeal.html", errors=error)
    except AppError as error:
        if error.status not in (404, 409, 429):
            raise
        problem = [{"field": "/record", "problem": str(error)}]
        return render("rewards/appeal.html", errors=Invalid(details=problem))
    return redirect("/rewards#disputes", 303)


@bp.get("/rewards/appeals/new")
@signed_in
def new_appeal() -> Response:
    return render("rewards/appeal.html")
