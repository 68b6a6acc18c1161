"""Campaigns: the list, a new one, one of them, and what its owner does with it."""

from typing import Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import AppError, Conflict, Invalid
from app.core.http.access import signed_in
from app.domains.campaigns.campaigns.schemas import STATES
from app.web.frame import outcomes, times
from app.web.frame.operations import call
from app.web.frame.rendering import render, viewer
from app.web.pages.campaigns import budget_charts
from app.web.pages.campaigns.campaign_form import at_fields, request_of
from app.web.pages.campaigns.campaign_ideas import IDEAS, form_of

bp = Blueprint("campaign_pages", __name__)

RUNS_SHOWN: Final = 5
FILTERS: Final = [(None, None), *((state, None) for state in STATES)]


@bp.get("/campaigns")
@signed_in
def index() -> Response:
    query = {"state": request.args.get("state"), "cursor": request.args.get("cursor")}
    found = call("listCampaigns", query={**query, "limit": viewer().page_size})
    return render("campaigns/list.html", live="rows", found=found, filters=FILTERS, ideas=IDEAS)


@bp.get("/campaigns/new")
@signed_in
def new() -> Response:
    return _form(form_of(request.args.get("idea")))


def _form(values: dict[str, str], error: Invalid | None = None) -> Response:
    sources = request.form.getlist("sources") if error else ["web"]
    cited = "require_citations" in request.form or error is None
    return render(
        "campaigns/new.html",
        errors=error,
        values=values,
        sources=sources,
        cited=cited,
        ideas=IDEAS,
    )


@bp.post("/campaigns")
@signed_in
def create() -> Response:
    try:
        made = call("createCampaign", request_of(request.form), once=request.form.get("key"))
    except Invalid as error:
        return _form({}, at_fields(error))
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
        statistics=statistics,
        runs=runs["runs"],
        **times.durations(runs["runs"], "created_at", "ended_at"),
        well=outcomes.WELL,
        used=budget_charts.used(campaign),
        chart=budget_charts.burn_down(campaign, statistics, viewer().zone),
    )


@bp.get("/campaigns/<campaign_id>/fund")
@signed_in
def funding(campaign_id: str) -> Response:
    return _funding(campaign_id)


def _funding(campaign_id: str, error: Invalid | None = None) -> Response:
    campaign = call("getCampaign", campaign_id=campaign_id)
    token = campaign["reward_budget"]["token"]
    balances = call("listCredits", query={"limit": 1})["balances"]
    return render(
        "campaigns/fund.html",
        errors=error,
        campaign=campaign,
        token=token,
        credit=next((each["available"] for each in balances if each["token"] == token), "0"),
    )


@bp.post("/campaigns/<campaign_id>/fund")
@signed_in
def fund(campaign_id: str) -> Response:
    body, key = {"amount": request.form.get("amount", "")}, request.form.get("key")
    try:
        call("fundCampaign", body, once=key, campaign_id=campaign_id)
    except Invalid as error:
        return _funding(campaign_id, error)
    except AppError as error:
        if error.code != "insufficient_credit":
            raise
        problem = [{"field": "/amount", "problem": str(error)}]
        return _funding(campaign_id, Invalid(details=problem))
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
