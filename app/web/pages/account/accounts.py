"""Signing up, in and out; where one is signed in; what one prefers."""

from typing import Any
from zoneinfo import available_timezones

from flask import Blueprint, current_app, g, redirect, request
from marshmallow import ValidationError
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.errors import Conflict, Forbidden, Invalid, NotFound
from app.core.http import caller, current_settings
from app.core.http.access import SESSION_COOKIE, page, public_page, signed_in
from app.core.http.hosts import from_loopback, is_local
from app.core.ids import Noun
from app.core.redis import limits
from app.domains.account.accounts import preferences
from app.domains.account.accounts.schemas import TokenIn
from app.domains.account.accounts.sign_in import login, session_store, sessions
from app.domains.account.accounts.sign_in.authentication import DEMO, AuthInvalidToken
from app.domains.account.accounts.sign_in.session_store import Login
from app.domains.own_data.personal_data import routes as personal_data
from app.web.frame import sent_forms
from app.web.frame.navigation import own_path
from app.web.frame.operations import call
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again

bp = Blueprint("account_pages", __name__)


@bp.get("/sign-in")
@page
def sign_in(errors: Invalid | None = None) -> Any:
    """The form; who is signed in already goes on."""
    if "caller" in g and errors is None:
        return redirect(_next(), 303)
    return render(
        "accounts/sign_in.html",
        errors=errors,
        next=_next(),
        open=login.may_sign_up(),
        sent=sent_forms.of_sign_in(),
    )


@bp.post("/sign-in")
@page
@shown_again(sign_in, {sessions.AuthInvalidCredentials: "password"})
def start_session() -> Response:
    proven, keys = _proven(), login.pepper()
    with db.transaction() as tx:
        sessions.hold(tx, proven)
        secret = sessions.start_browser(tx, keys, proven.id, _browser())
    return _signed_in(secret)


def _proven() -> Login:
    """Whose e-mail and password the form has, read as the API reads them.

    Raises AuthInvalidCredentials, Overloaded, RateLimited.
    """
    try:
        given = TokenIn().load({name: request.form.get(name, "") for name in TokenIn().fields})
    except ValidationError:
        raise sessions.AuthInvalidCredentials from None
    return login.prove(given["email"], given["password"])


def _next() -> str:
    return own_path(request.values.get("next", "")) or "/"


def _browser() -> sessions.Browser:
    network = limits.network(request.remote_addr or "", v4_bits=24, v6_bits=48)
    return sessions.Browser(request.headers.get("User-Agent", "Unknown browser"), network)


def _signed_in(secret: str) -> Response:
    if sent := sent_forms.of_sign_in():
        g.caller = current_app.extensions["doors"].session(secret, from_loopback(request))
        answer: Response = sent_forms.again(sent)
    else:
        answer = redirect(_next(), 303)
    answer.set_cookie(
        SESSION_COOKIE,
        secret,
        max_age=sessions.SESSION_SECONDS,
        secure=True,
        httponly=True,
        samesite="Lax",
        path="/",
    )
    return answer


@bp.get("/sign-up")
@page
def sign_up(errors: Invalid | None = None) -> Response:
    """The form, where this server is open to newcomers."""
    if not login.may_sign_up():
        raise login.SignUpClosed
    return render("accounts/sign_up.html", errors=errors, next=_next())


@bp.post("/sign-up")
@page
@shown_again(sign_up, {Conflict: "email"})
def create_account() -> Response:
    """An account, and signed in at once."""
    body = {name: request.form.get(name, "") for name in ("email", "password")}
    made = call("createAccount", body)
    account_id = ids.lookup(Noun.ACCOUNT, made["account"]["id"])
    keys = login.pepper()
    with db.transaction() as tx:
        secret = sessions.start_browser(tx, keys, account_id, _browser())
    return _signed_in(secret)


@bp.get("/enter/<secret>")
@public_page
def enter(secret: str) -> Response:
    """Follow a link that signs in once; links work on the machine of a local run only."""
    if not (is_local(current_settings()) and from_loopback(request)):
        raise NotFound
    keys = login.pepper()
    try:
        with db.transaction() as tx:
            session = sessions.follow_link(tx, keys, secret, _browser())
    except AuthInvalidToken:
        return render("accounts/link_used.html", status=410)
    return _signed_in(session)


@bp.post("/sign-out")
@signed_in
def sign_out() -> Response:
    with db.transaction() as tx:
        sessions.end(tx, caller().credential_id)
    answer = redirect("/sign-in", 303)
    return _signed_out(answer)


def _signed_out(answer: Response) -> Response:
    """Without the cookie and what the browser has kept of pages."""
    answer.delete_cookie(SESSION_COOKIE, secure=True, httponly=True, samesite="Lax")
    answer.headers["Clear-Site-Data"] = '"cache", "storage"'
    return answer


@bp.get("/sessions")
@signed_in
def list_sessions() -> Response:
    with db.reading() as reader:
        rows = session_store.of_account(reader, caller().account_id, sessions.MOST_OPEN)
    return render(
        "accounts/sessions.html", sessions=rows, most=sessions.MOST_OPEN, own=caller().credential_id
    )


@bp.post("/sessions/<uuid:id>/end")
@signed_in
def end_session(id: Any) -> Response:
    with db.transaction() as tx:
        if not sessions.end_own(tx, caller().account_id, id):
            raise NotFound
    return redirect("/sessions", 303)


@bp.post("/sessions/end-others")
@signed_in
def end_other_sessions() -> Response:
    with db.transaction() as tx:
        sessions.end_all(tx, caller().account_id, but=caller().credential_id)
    return redirect("/sessions", 303)


@bp.get("/settings")
@signed_in
def settings(errors: Invalid | None = None) -> Response:
    return render(
        "accounts/settings.html",
        errors=errors,
        path="/settings",
        zones=[("relative", "Relative (3 min ago)"), *sorted(available_timezones())],
        page_sizes=preferences.PAGE_SIZES,
    )


@bp.post("/settings")
@signed_in
@shown_again(settings)
def save_settings() -> Response:
    form = request.form
    size = form.get("page_size", "")
    with db.transaction() as tx:
        preferences.save(
            tx,
            caller().account_id,
            zone=form.get("zone", ""),
            theme=form.get("theme", ""),
            shortcuts="shortcuts" in form,
            page_size=int(size) if size.isdecimal() and len(size) < 4 else 0,
        )
    return redirect("/settings?saved=1", 303)


@bp.get("/settings/data")
@signed_in
def data(errors: Invalid | None = None) -> Response:
    """Taking everything out, and deleting the account."""
    try:
        export = call("getAccountExport")["export"]
    except NotFound:
        export = None
    days = current_settings().account_deletion_grace_days
    done = export is None or export["status"] != "running"
    stays = caller().account_id == DEMO
    return render(
        "accounts/data.html",
        errors=errors,
        path="/settings/data",
        export=export,
        grace_days=days,
        stays=stays,
        live="export",
        final=done,
    )


@bp.post("/settings/data/export")
@signed_in
def export_data() -> Response:
    call("exportAccount", {}, once=request.form.get("key"))
    return redirect("/settings/data", 303)


@bp.get("/settings/data/file")
@signed_in
def download_data() -> Response:
    return personal_data.file()


@bp.post("/settings/data/delete")
@signed_in
def delete_account() -> Response:
    """Plans the erasure and ends the session: signing in again keeps the account."""
    form = request.form
    body = {
        "email": form.get("email", "").strip(),
        "password": form.get("password", ""),
        "give_up_balance": "give_up_balance" in form,
    }
    try:
        call("deleteAccount", body)
    except (Invalid, Forbidden) as error:
        return data(errors=Invalid(details=error.details))
    except Conflict as error:
        return data(errors=_at_the_balance(error))
    answer = redirect("/sign-in?deleted=1", 303)
    return _signed_out(answer)


def _at_the_balance(error: Conflict) -> Invalid:
    """Puts what keeps an account at the field that may change it."""
    problem = " ".join([str(error), *(detail["problem"] for detail in error.details)])
    return Invalid.at("/give_up_balance", problem)


@bp.post("/settings/password")
@signed_in
@shown_again(settings)
def change_password() -> Response:
    body = {name: request.form.get(name, "") for name in ("current_password", "new_password")}
    call("changePassword", body)
    return redirect("/settings?saved=1", 303)
