"""The requests made of the API, and one request by the id that its answer carried."""

import shlex
from typing import Any, Final

from flask import Blueprint, Response, request

from app.core.http import current_settings
from app.core.http.access import signed_in
from app.domains.own_data.requests.service import RequestNotFound
from app.web.frame.operations import call, every, page_of
from app.web.frame.public_pages import address
from app.web.frame.rendering import render
from app.web.frame.tables import export_items
from app.web.frame.times import duration
from app.web.pages.account import key_forms

bp = Blueprint("request_pages", __name__)

STATUSES: Final = ("2xx", "3xx", "4xx", "5xx")
METHODS: Final = ["GET", "POST", "PUT", "PATCH", "DELETE"]
COLUMNS: Final = (
    "id", "at", "method", "path", "operation", "status", "code", "milliseconds", "source",
    "api_key", "cost", "token", "replayed",
)  # fmt: skip
WITH_BODY: Final = ("POST", "PUT", "PATCH")


def _took(milliseconds: float) -> str:
    short = round(milliseconds) < 1000  # 999.7 is written as 1 s, not as 1e+03 ms
    return f"{milliseconds:.3g} ms" if short else duration(milliseconds / 1000)


_SHOWN: Final = {"masked": key_forms.masked, "took": _took}


def _filter() -> dict[str, str | None]:
    return {name: request.args.get(name) for name in ("status", "method", "api_key")}


@bp.get("/requests")
@signed_in
def index() -> Response:
    keys = every("listApiKeys", "api_keys")
    return render(
        "requests/list.html",
        live="rows",
        envelope=page_of("listRequests", _filter()),
        filtered=any(_filter().values()),
        statuses=STATUSES,
        methods=METHODS,
        keys=[(key["id"], f"{key['name']} ({key_forms.masked(key)})") for key in keys],
        forms=_SHOWN,
        kept_days=_kept_days(),
        base_url=address(""),
    )


def _kept_days() -> float:
    return current_settings().requests_kept_days


@bp.get("/requests.<any(csv, json):form>")
@signed_in
def as_file(form: str) -> Response:
    found = every("listRequests", "requests", _filter())
    return export_items("requests", COLUMNS, map(_facts, found), form)


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    key, cost = row["api_key"], row["cost"] or {}
    cost = {"cost": cost.get("amount"), "token": cost.get("token")}
    return {**row, "api_key": key and key_forms.masked(key), **cost}


@bp.get("/requests/<string:request_id>")
@signed_in
def show(request_id: str) -> Response:
    """One of them; that of a page of this dashboard too."""
    try:
        found = call("getRequest", request_id=request_id)["request"]
    except RequestNotFound:
        return render(
            "requests/missing.html", status=404, wanted=request_id, kept_days=_kept_days()
        )
    return render("requests/show.html", found=found, forms=_SHOWN, curl=_curl(found))


def _curl(found: dict[str, Any]) -> str | None:
    """The same call again; its query and body were not kept. None: it was a page."""
    if found["source"] == "page":
        return None
    key = '"X-API-Key: $SERVICE_API_KEY"'
    credential = key if found["source"] == "key" else '"Authorization: Bearer $ACCESS_TOKEN"'
    method = found["method"]
    parts = [
        "curl" if method == "GET" else f"curl -X {method}",
        shlex.quote(address(found["path"])),
    ]
    parts.append(f"-H {credential}")
    if method in WITH_BODY:
        parts += ['-H "Content-Type: application/json"', "-d @body.json"]
    return " \\\n  ".join([" ".join(parts[:2]), *parts[2:]])
