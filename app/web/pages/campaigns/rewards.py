"""Rewards of an account's nodes: what they earned and why, and its payout."""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Conflict, Invalid, NotFound, RateLimited
from app.core.http.access import signed_in
from app.domains.campaigns.rewards.payouts import InsufficientRewards, PayoutOpen
from app.web.frame.operations import call, every, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again
from app.web.frame.tables import export_items

bp = Blueprint("reward_pages", __name__)

ROLES: Final = ("contributor", "validator", "provider")
COLUMNS: Final = (
    "id", "created_at", "role", "campaign_id", "record_id", "record_version", "chat_id", "verdict",
    "amount", "token", "state", "available_at", "why",
)  # fmt: skip
LATEST: Final = {"limit": 10}


@bp.get("/rewards")
@signed_in
def index() -> Response:
    return render(
        "rewards/index.html",
        balances=call("showRewards")["rewards"],
        reputation=call("showReputation")["reputation"],
        payouts=call("listPayouts", query=LATEST),
        disputes=call("listDisputes", query=LATEST),
        found=page_of("listRewardEntries", {"role": request.args.get("role")}),
        roles=ROLES,
    )


@bp.get("/rewards.<any(csv, json):form>")
@signed_in
def export_entries(form: str) -> Response:
    entries = every("listRewardEntries", "entries", {"role": request.args.get("role")})
    return export_items("rewards", COLUMNS, entries, form)


@bp.get("/rewards/payouts")
@signed_in
def payouts() -> Response:
    return render("rewards/payouts.html", found=page_of("listPayouts"))


@bp.get("/rewards/disputes")
@signed_in
def disputes() -> Response:
    return render("rewards/disputes.html", found=page_of("listDisputes"))


@bp.get("/rewards/payouts/new")
@signed_in
def new_payout(**more: Any) -> Response:
    balances = [each for each in call("showRewards")["rewards"] if each["available"] != "0"]
    available = ", ".join(f"{each['available']} {each['token']}" for each in balances) or "0"
    return render("rewards/new_payout.html", balances=balances, available=available, **more)


@bp.post("/rewards/payouts")
@signed_in
@shown_again(new_payout, {PayoutOpen: "amount", InsufficientRewards: "amount"})
def request_payout() -> Response:
    """Shown once more before it is requested: where it goes cannot be changed afterwards."""
    body = {name: request.form.get(name, "") for name in ("token", "amount", "destination")}
    if "change" in request.form:
        return new_payout(kept=True)
    if "confirmed" not in request.form:
        return new_payout(asked=body)
    call("requestPayout", body, once=request.form.get("key"))
    return redirect("/rewards/payouts", 303)


@bp.get("/rewards/appeals/new")
@signed_in
def new_appeal(errors: Invalid | None = None) -> Response:
    return render("rewards/appeal.html", errors=errors)


@bp.post("/rewards/appeals")
@signed_in
@shown_again(new_appeal, {NotFound: "record", Conflict: "record", RateLimited: "record"})
def appeal() -> Response:
    record_id, reason = request.form.get("record", "").strip(), request.form.get("reason", "")
    call("appealRecord", {"reason": reason}, once=request.form.get("key"), record_id=record_id)
    return redirect("/rewards#disputes", 303)
