"""Webhooks: who is told what happens, what became of each message, and sending it again."""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Invalid, NotFound
from app.core.http.access import signed_in
from app.domains.queue.webhooks.service import TooManyWebhooks
from app.web.frame.operations import call, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again, whole
from app.web.pages.operations import webhook_forms

bp = Blueprint("webhook_pages", __name__)


@bp.get("/webhooks")
@signed_in
def index() -> Response:
    envelope = page_of("listWebhooks")
    return render("webhooks/list.html", live="rows", envelope=envelope, forms=webhook_forms)


@bp.get("/webhooks/new")
@signed_in
def new(errors: Invalid | None = None) -> Response:
    return render("webhooks/new.html", errors=errors, forms=webhook_forms)


@bp.post("/webhooks")
@signed_in
@shown_again(new, {TooManyWebhooks: "url"})
def create() -> Response:
    """Add it. The answer is the one page that shows its secret."""
    made = call("createWebhook", webhook_forms.body(request.form), once=request.form.get("key"))
    return _with_secret(made, rolled=False)


def _with_secret(made: dict[str, Any], *, rolled: bool) -> Response:
    return render(
        "webhooks/secret.html",
        webhook=made["webhook"],
        secret=made["secret"],
        snippets=webhook_forms.snippets(made["secret"]),
        rolled=rolled,
        status=201,
    )


@bp.get("/webhooks/<string:webhook_id>")
@signed_in
def show(webhook_id: str, errors: Invalid | None = None) -> Response:
    query = {"status": request.args.get("status")}
    return render(
        "webhooks/show.html",
        errors=errors,
        path=f"/webhooks/{webhook_id}",
        live="deliveries",
        webhook=call("getWebhook", webhook_id=webhook_id)["webhook"],
        envelope=page_of("listWebhookDeliveries", query, webhook_id=webhook_id),
        forms=webhook_forms,
    )


@bp.post("/webhooks/<string:webhook_id>")
@signed_in
@shown_again(show)
def change(webhook_id: str) -> Response:
    call("updateWebhook", webhook_forms.body(request.form), webhook_id=webhook_id)
    return redirect(f"/webhooks/{webhook_id}?done=saved", 303)


@bp.post("/webhooks/<string:webhook_id>/roll")
@signed_in
@shown_again(show)
def roll(webhook_id: str) -> Response:
    body = {"overlap_hours": whole(request.form.get("overlap_hours", ""))}
    made = call("rollWebhookSecret", body, webhook_id=webhook_id, once=request.form.get("key"))
    return _with_secret(made, rolled=True)


ENABLED: Final = {"enable": True, "disable": False}


@bp.post("/webhooks/<string:webhook_id>/<string:action>")
@signed_in
def act(webhook_id: str, action: str) -> Response:
    if action in ENABLED:
        call("updateWebhook", {"enabled": ENABLED[action]}, webhook_id=webhook_id)
    elif action == "test":
        call("testWebhook", webhook_id=webhook_id, once=request.form.get("key"))
    elif action == "delete":
        call("deleteWebhook", webhook_id=webhook_id)
        return redirect("/webhooks?deleted=1", 303)
    else:
        raise NotFound
    return redirect(f"/webhooks/{webhook_id}?done={action}", 303)


@bp.get("/webhooks/<string:webhook_id>/deliveries/<string:delivery_id>")
@signed_in
def show_delivery(webhook_id: str, delivery_id: str) -> Response:
    found = call("getWebhookDelivery", webhook_id=webhook_id, delivery_id=delivery_id)
    webhook = call("getWebhook", webhook_id=webhook_id)["webhook"]
    delivery = found["delivery"]
    return render(
        "webhooks/delivery.html",
        live="delivery",
        final=delivery["status"] != "waiting",
        webhook=webhook,
        delivery=delivery,
    )


@bp.post("/webhooks/<string:webhook_id>/deliveries/<string:delivery_id>/redeliver")
@signed_in
def redeliver(webhook_id: str, delivery_id: str) -> Response:
    again = call(
        "redeliverWebhookDelivery",
        webhook_id=webhook_id,
        delivery_id=delivery_id,
        once=request.form.get("key"),
    )
    return redirect(f"/webhooks/{webhook_id}/deliveries/{again['delivery']['id']}", 303)
