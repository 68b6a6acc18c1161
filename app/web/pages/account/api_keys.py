"""API keys: made, looked at, renamed, rolled and revoked; a secret is shown once."""

from typing import Any

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Invalid
from app.core.http.access import signed_in
from app.domains.account.accounts.service import ApiKeyNotFound
from app.web.frame.operations import call, every, page_of
from app.web.frame.public_pages import address
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again, whole
from app.web.pages.account import key_forms

bp = Blueprint("api_key_pages", __name__)


@bp.get("/api-keys")
@signed_in
def index() -> Response:
    return render(
        "keys/list.html",
        envelope=page_of("listApiKeys"),
        forms=key_forms,
        corpora=_corpora(),
    )


@bp.get("/api-keys/new")
@signed_in
def new(errors: Invalid | None = None) -> Response:
    return render("keys/new.html", errors=errors, forms=key_forms, corpora=_corpora())


def _corpora() -> list[tuple[str, str]]:
    """The ids and names of corpora to which a key can be limited."""
    return [(each["id"], each["name"]) for each in every("listCorpora", "corpora")]


@bp.post("/api-keys")
@signed_in
@shown_again(new)
def create() -> Response:
    """Make it. The answer is the one page that shows its secret."""
    made = call("createApiKey", key_forms.body(request.form), once=request.form.get("key"))
    return _with_secret(made, former=None)


def _with_secret(made: dict[str, Any], former: dict[str, Any] | None) -> Response:
    key, base_url = made["api_key"], address("")
    return render(
        "keys/secret.html",
        key=key,
        secret=made["secret"],
        snippets=key_forms.snippets(made["secret"], key["scopes"], base_url),
        former=former,
        status=201,
    )


@bp.get("/api-keys/<string:key_id>")
@signed_in
def show(key_id: str, errors: Invalid | None = None) -> Response:
    key = _find(key_id)
    active = [each for each in _all() if key_forms.works(each)]
    return render(
        "keys/show.html",
        errors=errors,
        path=f"/api-keys/{key_id}",
        key=key,
        corpora=_corpora(),
        is_last=[each["id"] for each in active] == [key["id"]],
        forms=key_forms,
    )


def _find(key_id: str) -> dict[str, Any]:
    """Raises ApiKeyNotFound."""
    for key in _all():
        if key["id"] == key_id:
            return key
    raise ApiKeyNotFound


def _all() -> list[dict[str, Any]]:
    return list(every("listApiKeys", "api_keys"))


@bp.post("/api-keys/<string:key_id>")
@signed_in
@shown_again(show)
def change(key_id: str) -> Response:
    form = request.form
    body = {"name": form.get("name", ""), "scopes": form.getlist("scopes")}
    call("updateApiKey", body, key_id=key_id)
    return redirect(f"/api-keys/{key_id}?saved=1", 303)


@bp.post("/api-keys/<string:key_id>/roll")
@signed_in
@shown_again(show)
def roll(key_id: str) -> Response:
    body = {"overlap_hours": whole(request.form.get("overlap_hours", ""))}
    made = call("rollApiKey", body, key_id=key_id, once=request.form.get("key"))
    return _with_secret(made, former=_find(key_id))


@bp.post("/api-keys/<string:key_id>/revoke")
@signed_in
@shown_again(show)
def revoke(key_id: str) -> Response:
    """For good, once its last four characters were typed."""
    key = _find(key_id)
    if request.form.get("last_four", "").strip() != key["last_four"]:
        raise Invalid.at("/last_four", f"Type {key['last_four']} to revoke this key.")
    call("deleteApiKey", key_id=key_id)
    return redirect("/api-keys?revoked=1", 303)
