"""A provider as everybody sees it."""

from typing import Any

from flask import Blueprint, Response, request

from app.core.http.access import caller_or_none, page
from app.domains.providers.providers.service import ProviderNotFound
from app.web.frame.operations import call
from app.web.frame.public_pages import address, cacheable
from app.web.frame.rendering import render
from app.web.pages.providers import offer_filters, offer_table, provider_history
from app.web.pages.providers.provider_requirements import requirements

bp = Blueprint("provider_pages", __name__)


@bp.get("/providers/<string:handle>")
@page
def show(handle: str) -> Response:
    """Profile, offers, history; its owner sees what is missing as well, and it while hidden."""
    own = _own_profile(handle)
    provider = _provider(handle, own)
    offers = provider["offers"]
    rows = offer_table.rows(offers, offer_filters.wanted(request.args).job)
    days = provider_history.by_day(offers)
    answer = render(
        "providers/show.html",
        provider=provider,
        profile=provider["profile"],
        rows=rows,
        computers=_computers(offers),
        charts=provider_history.charts(days),
        requests=sum(window["requests"] for window in days.values()),
        own=own,
        requirements=_requirements(own, rows) if own else [],
        canonical=address(f"/providers/{handle}"),
    )
    return cacheable(answer, provider, rows, days)


def _own_profile(handle: str) -> dict[str, Any] | None:
    if caller_or_none() is None:
        return None
    profile: dict[str, Any] | None = call("getOwnProviderProfile")["profile"]
    return profile if profile and profile["handle"] == handle else None


def _provider(handle: str, own: dict[str, Any] | None) -> dict[str, Any]:
    try:
        found: dict[str, Any] = call(
            "getProvider", handle=handle, query={"cursor": request.args.get("cursor")}
        )
    except ProviderNotFound:
        if own is None:
            raise
        return {"profile": own, "offers": [], "has_more": False, "next_cursor": None}
    return found


def _computers(offers: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The public names of the computers, and what they serve."""
    models: dict[str, list[str]] = {}
    for offer in sorted(offers, key=lambda offer: (offer["public_name"], offer["model"])):
        models.setdefault(offer["public_name"], []).append(offer["model"])
    return models


def _requirements(own: dict[str, Any], rows: list[offer_table.OfferRow]) -> list[Any]:
    offers = call("listOwnProviderOffers")["offers"]
    requests = sum(row.measured["requests"] for row in rows)
    return [each for each in requirements(own, offers, requests) if not each.met]
