"""Connecting programs and agents, and whether the API answers."""

import time
from typing import Any

from flask import Blueprint, Response, request

from app.core.errors import AppError
from app.core.http.access import signed_in
from app.web.frame.operations import call, every
from app.web.frame.public_pages import address
from app.web.frame.rendering import render
from app.web.pages.account import key_forms
from app.web.pages.operations import client_configs

bp = Blueprint("connect_pages", __name__)


@bp.get("/connect")
@signed_in
def show() -> Response:
    return _page()


@bp.post("/connect")
@signed_in
def test() -> Response:
    """Ask the API what a new program would ask first, and say what it answered."""
    return _page(checks=_checks(_chosen(_working_keys(), request.form.get("key"))))


def _page(**more: Any) -> Response:
    keys = _working_keys()
    chosen = _chosen(keys, request.values.get("key"))
    text = key_forms.masked(chosen) if chosen else client_configs.PLACEHOLDER
    base_url = address("")
    return render(
        "connect/show.html",
        keys=[(key["id"], f"{key['name']} ({key_forms.masked(key)})") for key in keys],
        chosen=chosen,
        masked=text,
        base_url=base_url,
        install=client_configs.install(),
        agents=client_configs.agents(base_url, text),
        programs=client_configs.programs(base_url, text),
        **more,
    )


def _working_keys() -> list[dict[str, Any]]:
    return [key for key in every("listApiKeys", "api_keys") if key_forms.works(key)]


def _chosen(keys: list[dict[str, Any]], key_id: str | None) -> dict[str, Any] | None:
    """The key that was asked for; otherwise the newest."""
    return next((key for key in keys if key["id"] == key_id), keys[0] if keys else None)


def _checks(key: dict[str, Any] | None) -> list[tuple[str, str, str]]:
    """Each: a chip's word, what was looked at, what came of it."""
    return [_answers(), _lets_search(key), _was_used(key)]


def _answers() -> tuple[str, str, str]:
    began = time.perf_counter()
    try:
        found = call("listSearches", query={"limit": 1})["searches"]
    except AppError as error:
        return "failed", "API", f"{error.status} {error.code}: {error}"
    took = f"Response in {(time.perf_counter() - began) * 1000:.0f} ms"
    newest = f"latest search: {found[0]['id']}" if found else "no searches yet"
    return "ok", "API", f"{took}; {newest}."


def _lets_search(key: dict[str, Any] | None) -> tuple[str, str, str]:
    name = "Scope of the key"
    if key is None:
        return "missing", name, "You have no active API key. Create one."
    if "search" not in key["scopes"]:
        return (
            "refused",
            name,
            f"{key['name']} lacks the scope search. Its scopes: {', '.join(key['scopes'])}.",
        )
    return "ok", name, f"{key['name']} has the scope search."


def _was_used(key: dict[str, Any] | None) -> tuple[str, str, str]:
    name = "Use of the key"
    if key is None or key["last_used_at"] is None:
        return "waiting", name, "Not used yet. Run one of the examples below, then test again."
    found = call("listRequests", query={"api_key": key["id"], "limit": 1})["requests"]
    if not found:
        return "ok", name, "The requests of this key have expired."
    last = found[0]
    word = "ok" if last["status"] < 400 else "failed"
    code = f" {last['code']}" if last["code"] else ""
    return word, name, f"{last['method']} {last['path']} returned {last['status']}{code}."
