"""Your own profile as a provider, and your offers: saving, publishing, taking back."""

import base64
from typing import Any
from uuid import UUID

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.errors import Invalid
from app.core.http import caller
from app.core.http.access import signed_in
from app.core.ids import Noun
from app.domains.providers.chats.health import health
from app.domains.providers.providers import schemas as providers_schemas
from app.domains.providers.providers.service import ProfileRequired, ProviderHandleTaken, own_avatar
from app.web.frame.operations import call
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again
from app.web.pages.providers.provider_requirements import requirements

bp = Blueprint("own_provider_pages", __name__)


@bp.get("/provider")
@signed_in
def show(errors: Invalid | None = None) -> Response:
    profile = call("getOwnProviderProfile")["profile"]
    envelope = call("listOwnProviderOffers", query={"cursor": request.args.get("cursor")})
    offers = envelope["offers"]
    return render(
        "providers/own.html",
        path="/provider",
        errors=errors,
        profile=profile,
        envelope=envelope,
        nodes=_nodes(offers),
        requirements=requirements(profile, offers, _requests(offers)),
    )


def _nodes(offers: list[dict[str, Any]]) -> dict[str, str]:
    """The node behind a device, where a node made the offer: its id as pages have it."""
    return {
        device: ids.public(Noun.NODE, id)
        for device in {offer["device_id"] for offer in offers}
        if (id := providers_schemas.uuid(device)) is not None
    }


def _requests(offers: list[dict[str, Any]]) -> int:
    ids = [UUID(offer["offer_id"]) for offer in offers]
    with db.reading() as reader:
        return sum(each["requests"] for each in health.of_month(reader, ids).values())


@bp.post("/provider")
@signed_in
@shown_again(show, {ProviderHandleTaken: "handle"})
def save() -> Response:
    form = request.form
    body = {name: form.get(name, "") for name in ("display_name", "handle", "description")}
    more = {"website": form.get("website") or None, "published": "published" in form}
    call("saveOwnProviderProfile", {**body, **more})
    return redirect("/provider?saved=profile", 303)


@bp.get("/provider/avatar")
@signed_in
def avatar() -> Response:
    """Your picture as you uploaded it, whether your profile is published or not."""
    with db.reading() as reader:
        image = own_avatar(reader, caller().account_id)
    return Response(image.data, mimetype=image.media_type)


def _at_avatar(error: Invalid) -> Invalid:
    problem = error.details[0]["problem"] if error.details else str(error)
    return Invalid.at("/avatar", problem)


@bp.post("/provider/avatar")
@signed_in
@shown_again(show, told=_at_avatar)
def set_avatar() -> Response:
    call("setOwnProviderAvatar", {"data_url": None if "remove" in request.form else _data_url()})
    return redirect("/provider?saved=picture", 303)


def _data_url() -> str:
    """Returns the file as a data URL; what a browser says of it is checked like any other claim."""
    file = request.files.get("avatar")
    if file is None or not file.filename:
        raise Invalid.at("/avatar", "Choose a file first.")
    return f"data:{file.mimetype};base64,{base64.b64encode(file.read()).decode()}"


@bp.post("/provider/offers/<string:offer_id>")
@signed_in
@shown_again(lambda offer_id, errors: show(errors), {ProfileRequired: "display_name"})
def change_offer(offer_id: str) -> Response:
    form = request.form
    published = form.get("published") == "true"
    body = {"public_name": form.get("public_name", ""), "published": published}
    call("updateOwnProviderOffer", body, offer_id=offer_id)
    return redirect(f"/provider?saved=offer#offer-{offer_id}", 303)
