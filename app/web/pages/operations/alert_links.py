"""The links in mails of alerts: for whoever reads the mail, with or without an account."""

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db
from app.core.http.access import public, public_page
from app.domains.queue.alerts import service
from app.web.frame.rendering import render

bp = Blueprint("alert_link_pages", __name__)


@bp.get("/alerts/confirm/<string:token>")
@public_page
def ask(token: str) -> Response:
    """A button: programs that look at links before people do must confirm nothing."""
    with db.reading() as reader:
        address = service.asked(reader, token)
    return render("alerts/confirm.html", email=address.email, token=token)


@bp.post("/alerts/confirm/<string:token>")
@public_page
def confirm(token: str) -> Response:
    with db.transaction() as tx:
        address = service.confirm(tx, token)
    return render("alerts/confirm.html", email=address.email, token=None)


@bp.get("/alerts/stop/<string:token>")
@public_page
def ask_to_stop(token: str) -> Response:
    """One button; afterwards the same page says that it is done."""
    with db.reading() as reader:
        found = service.stop_link(reader, token)
    return render("alerts/stop.html", found=found, token=token)


@bp.post("/alerts/stop/<string:token>")
@public
def stop(token: str) -> Response:
    """Asks for no form of ours: mail programs send this as well (RFC 8058), and follow nothing."""
    with db.transaction() as tx:
        service.stop(tx, token)
    if request.form.get("List-Unsubscribe") == "One-Click":
        return Response(status=204)
    return redirect(f"/alerts/stop/{token}", 303)
