"""Campaigns: the list, a new one, one of them, and what its owner does with it."""

from typing import Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Conflict, Invalid
from app.core.http.access import signed_in
from app.domains.campaigns.campaigns.schemas import STATES
from app.domains.money.ledger.service import InsufficientCredit
from app.web.frame import outcomes, times
from app.web.frame.operations import call, page_of
from app.web.frame.rendering import render, viewer
from app.web.frame.sent_forms import shown_again
from app.web.pages.campaigns import budget_charts, transfers
from app.web.pages.campaigns.campaign_form import at_fields, request_of
from app.web.pages.campaigns.campaign_ideas import IDEAS, form_of
from app.web.pages.operations import alerts
from app.web.pages.records.forms import field_rows, schedules, schema_form

bp = Blueprint("campaign_pages", __name__)

RUNS_SHOWN: Final = 5
FRESHNESS: Final = "30d"
_SCHEDULE: Final = ("when", "every", "freshness")
FILTERS: Final = [(None, None), *((state, None) for state in STATES)]


@bp.get("/campaigns")
@signed_in
def index() -> Response:
    found = page_of("listCampaigns", {"state": request.args.get("state")})
    return render("campaigns/list.html", live="rows", found=found, filters=FILTERS, ideas=IDEAS)


@bp.get("/campaigns/new")
@signed_in
def new() -> Response:
    return _form()


@bp.post("/campaigns/new")
@signed_in
def revise() -> Response:
    """The form again, with what was sent: more fields, and the runs of its schedule."""
    return _form(kept=True)


def _form(errors: Invalid | None = None, *, kept: bool = False) -> Response:
    form, sent = request.form, kept or errors is not None
    idea = form_of(request.args.get("idea"))
    values = {**idea, **schedules.interval_values(idea.get("cadence", ""))}
    values |= {name: request.args[name] for name in _SCHEDULE if name in request.args}
    shown = form if sent else values
    interval = schedules.interval_of(shown) or shown.get("freshness", FRESHNESS)
    schema = schema_form.again(form) if sent else schema_form.view(idea.get("schema", ""))
    return render(
        "campaigns/new.html",
        errors=errors,
        kept=kept,
        values=values,
        ideas=IDEAS,
        schedules=schedules,
        next_runs=schedules.next_of_interval(interval),
        schema_view=schema,
        types=field_rows.TYPES,
    )


@bp.post("/campaigns")
@signed_in
@shown_again(_form, told=lambda error: at_fields(error, request.form))
def create() -> Response:
    made = call("createCampaign", request_of(request.form), once=request.form.get("key"))
    return redirect(f"/campaigns/{made['id']}/fund?new=1", 303)


@bp.get("/campaigns/<campaign_id>")
@signed_in
def show(campaign_id: str) -> Response:
    campaign = call("getCampaign", campaign_id=campaign_id)
    statistics = call("getCampaignStatistics", campaign_id=campaign_id)
    runs = call("listCampaignRuns", campaign_id=campaign_id, query={"limit": RUNS_SHOWN})
    return render(
        "campaigns/show.html",
        live="progress",
        final=campaign["ended_at"] is not None and campaign["reserved"] == "0",
        campaign=campaign,
        tell_me=alerts.of("campaign", campaign_id),
        statistics=statistics,
        spent_on=transfers.SPENT_ON,
        runs=runs["runs"],
        **times.durations(runs["runs"], "created_at", "ended_at"),
        well=outcomes.WELL,
        used=budget_charts.used(campaign),
        chart=budget_charts.burn_down(campaign, statistics, viewer().zone),
    )


@bp.get("/campaigns/<campaign_id>/fund")
@signed_in
def funding(campaign_id: str, errors: Invalid | None = None) -> Response:
    campaign = call("getCampaign", campaign_id=campaign_id)
    token = campaign["reward_budget"]["token"]
    balances = call("listCredits", query={"limit": 1})["balances"]
    return render(
        "campaigns/fund.html",
        errors=errors,
        campaign=campaign,
        token=token,
        credit=next((each["available"] for each in balances if each["token"] == token), "0"),
    )


@bp.post("/campaigns/<campaign_id>/fund")
@signed_in
@shown_again(funding, {InsufficientCredit: "amount"})
def fund(campaign_id: str) -> Response:
    body, key = {"amount": request.form.get("amount", "")}, request.form.get("key")
    call("fundCampaign", body, once=key, campaign_id=campaign_id)
    return _back(campaign_id)


def _back(campaign_id: str) -> Response:
    return redirect(f"/campaigns/{campaign_id}", 303)


@bp.post("/campaigns/<campaign_id>/<any(pause, resume, cancel):what>")
@signed_in
def move(campaign_id: str, what: str) -> Response:
    """A state that has moved on meanwhile is shown as it is."""
    try:
        call(f"{what}Campaign", campaign_id=campaign_id)
    except Conflict as error:
        if error.code != "campaign_state":
            raise
    return _back(campaign_id)
