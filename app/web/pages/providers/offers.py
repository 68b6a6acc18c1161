"""Costs of models and performance of their providers, for everybody."""

from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import amounts
from app.core.errors import Invalid
from app.core.http.access import page
from app.web.frame import tables
from app.web.frame.operations import call
from app.web.frame.public_pages import address, cacheable
from app.web.frame.rendering import render
from app.web.pages.providers import (
    chat_snippets,
    offer_chats,
    offer_comparison,
    offer_filters,
    offer_table,
)
from app.web.pages.providers.offer_filters import ExampleJob, OfferQuery

bp = Blueprint("offer_pages", __name__)

MOST_SEARCHED: Final = 160
MOST_MODELS: Final = 200


@bp.get("/offers")
@page
def index() -> Response:
    wanted = offer_filters.wanted(request.args)
    if wanted.model is None:
        return redirect("/offers/models", 302)
    envelope = call(
        "discoverProviderOffers", query={"model": wanted.model, "cursor": wanted.cursor}
    )
    candidates = offer_table.rows(envelope["offers"], wanted.job)
    answer = render(
        "offers/list.html",
        wanted=wanted,
        envelope=envelope,
        candidates=candidates,
        rows=offer_table.chosen(candidates, wanted),
        precisions=sorted({row.precision for row in candidates if row.precision}),
        uptimes=[(share, f"{share} %") for share in offer_filters.UPTIMES],
        canonical=address("/offers", model=wanted.model),
    )
    return cacheable(answer, envelope, candidates)


@bp.get("/offers.<any(csv, json):form>")
@page
def export(form: str) -> Response:
    """All pages of the list, each in the order that it is shown in."""
    wanted = offer_filters.wanted(request.args)
    if wanted.model is None:
        raise Invalid.at("/model", "Name a model.")
    rows = offer_table.cells(_all(wanted), wanted.job)
    return tables.export("offers", offer_table.COLUMNS, rows, form)


def _all(wanted: OfferQuery) -> Iterator[offer_table.OfferRow]:
    cursor = wanted.cursor
    while True:
        query = {"model": wanted.model, "cursor": cursor}
        envelope = call("discoverProviderOffers", query=query)
        yield from offer_table.chosen(offer_table.rows(envelope["offers"], wanted.job), wanted)
        if (cursor := envelope["next_cursor"]) is None:
            return


@bp.get("/offers/models")
@page
def models() -> Response:
    searched = request.args.get("q", "")[:MOST_SEARCHED].strip()
    names = [model["id"] for model in call("listModels")["data"]]
    found = [name for name in names if searched.casefold() in name.casefold()]
    answer = render(
        "offers/models.html",
        names=names,
        found=found[:MOST_MODELS],
        matching=len(found),
        searched=searched,
        canonical=address("/offers/models"),
    )
    return cacheable(answer, names)


@bp.get("/offers/compare")
@page
def compare() -> Response:
    ids = list(dict.fromkeys(request.args.getlist("offer")))
    job = offer_filters.wanted(_without_offers()).job
    if not offer_comparison.LEAST <= len(ids) <= offer_comparison.MOST:
        raise Invalid.at("/offer", "Select two to four offers to compare.")
    offers = [call("getProviderOffer", offer_id=id) for id in ids]
    healths = [call("getProviderOfferHealth", offer_id=id) for id in ids]
    answer = render(
        "offers/compare.html",
        offers=offers,
        attributes=offer_comparison.attributes(offers, healths, job),
        job=job,
    )
    return cacheable(answer, offers, healths)


def _without_offers() -> Any:
    given = request.args.copy()
    given.poplist("offer")
    return given


@bp.get("/offers/<string:offer_id>")
@page
def show(offer_id: str) -> Response:
    job: ExampleJob = offer_filters.wanted(request.args).job
    offer = call("getProviderOffer", offer_id=offer_id)
    health = call("getProviderOfferHealth", offer_id=offer_id)
    answer = render(
        "offers/show.html",
        offer=offer,
        health=health,
        uptimes=[offer_table.uptime(window) for window in health["windows"]],
        windows=offer_comparison.WINDOWS,
        job=job,
        price=amounts.text(offer_table.price(offer, job)),
        chat=(chat := offer_chats.ChatForm(pricing_revision=offer["pricing_revision"])),
        most=chat.most(offer),
        snippets=chat_snippets.of_offer(offer, address("")),
        canonical=address(f"/offers/{offer_id}"),
    )
    return cacheable(answer, offer, health)
