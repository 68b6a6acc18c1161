"""Errors for readers: what happened, what to do next, and the id to name when asking for help."""

from flask import Blueprint, Flask, Response, g, redirect, request, url_for
from werkzeug import wrappers
from werkzeug.exceptions import HTTPException

from app.core.errors import AppError, Unauthenticated
from app.core.http import Api, csrf
from app.core.http.api import note, of_any
from app.domains.account.accounts.sign_in import login
from app.web.frame import sent_forms
from app.web.frame.rendering import protect, render

_FOR_MACHINES = ("/v1/", "/external/", "/onchain/", "/static/")

NEXT_STEP = {
    400: "Go back, correct the errors and submit the form again.",
    403: "Reload the page and try again.",
    404: "Check the address. The item may be deleted or belong to another account.",
    405: "Use the links and buttons on the page.",
    409: "The item has changed. Reload the page to see its current state.",
    413: "Send a smaller request.",
    429: "Wait a moment, then reload the page.",
    500: "Try again. If the problem continues, send the request id to the operator of this server.",
    503: "Wait a moment, then reload the page.",
}


def handle(pages: Blueprint) -> None:
    """Shows as a page whatever a view of these pages raises."""
    for kind in (AppError, HTTPException, Exception):
        pages.register_error_handler(kind, error_page)


def handle_unrouted(app: Flask, api: Api) -> None:
    """An unknown address is a page for browsers, JSON for programs."""

    def answer(error: HTTPException) -> wrappers.Response:
        accepted = request.accept_mimetypes
        reads_html = accepted.best_match(("application/json", "text/html")) == "text/html"
        if reads_html and not request.path.startswith(_FOR_MACHINES):
            page = error_page(error)
            protect(page)
            return page
        return app.make_response(api.handle_http_exception(error))

    for status in (404, 405):
        app.register_error_handler(status, answer)


def error_page(raised: Exception) -> wrappers.Response:
    """One page for every error; who is not signed in goes to the form for it."""
    error = of_any(raised)
    if isinstance(error, Unauthenticated):
        return _to_sign_in()
    note(error)
    if isinstance(error, csrf.ForgedForm) and (sent := sent_forms.current()):
        return sent_forms.again(sent, error.status)
    page = render(
        "error.html",
        status=error.status,
        error=error,
        next_step=NEXT_STEP.get(error.status, NEXT_STEP[500]),
    )
    page.headers.update({"Cache-Control": "no-store", **error.headers})
    return page


def _to_sign_in() -> wrappers.Response:
    """And back afterwards, to the page or to what the form held."""
    wanted = request.full_path.removesuffix("?") if request.method == "GET" else "/"
    address = url_for("account_pages.sign_in", next=wanted if wanted != "/" else None)
    if request.headers.get("HX-Request"):
        return Response(status=401, headers={"HX-Redirect": address})
    g.pop("caller", None)
    if sent := sent_forms.current():
        return render(
            "accounts/sign_in.html", status=401, next="/", open=login.may_sign_up(), sent=sent
        )
    return redirect(address, 303)
