"""The memory of an account's personas: read, approve, correct, forget. No text is in an address."""

import re
from typing import Any, Final

from flask import Blueprint, current_app, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import AppError, Invalid, NotFound
from app.core.http.access import caller, signed_in
from app.domains.search.memories import persona_keys, schemas
from app.domains.search.memories.export import ndjson
from app.domains.search.memories.rules import APPROVED, PERSONA, TYPES
from app.web.frame.operations import call
from app.web.frame.rendering import render, viewer
from app.web.frame.tables import download

bp = Blueprint("memory_pages", __name__)

FILTERS: Final = (None, *TYPES)
_LOCAL: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@bp.get("/memory")
@signed_in
def index() -> Response:
    return _index()


def _index(error: Invalid | None = None) -> Response:
    query = {"cursor": request.args.get("cursor"), "limit": viewer().page_size}
    found = call("listPersonas", query=query)
    return render("memory/index.html", errors=error, found=found, types=TYPES)


@bp.post("/memory")
@signed_in
def remember() -> Response:
    """A new memory; the ticked box is the approval."""
    persona_id = request.form.get("persona_id", "").strip()
    error = _stored(persona_id) if PERSONA.fullmatch(persona_id) else _no_persona()
    return _index(error) if error else redirect(f"/memory/{persona_id}", 303)


def _no_persona() -> Invalid:
    problem = "Use 1 to 64 letters, digits, _ or -."
    return Invalid(details=[{"field": "/persona_id", "problem": problem}])


def _stored(persona_id: str) -> Invalid | None:
    """Stores the form; returns what is wrong with it, or None once it is stored."""
    body = {"type": request.form.get("type", ""), **_changes()}
    try:
        call("createMemory", body, once=request.form.get("key"), persona_id=persona_id)
    except AppError as error:
        return _at_field(error)
    return None


def _changes() -> dict[str, Any]:
    form = request.form
    tags = [tag.strip() for tag in form.get("tags", "").split(",") if tag.strip()]
    return {
        "source": APPROVED if "approved" in form else "",
        "content": form.get("content", ""),
        "tags": tags,
        "expires_at": _expiry(form.get("expires_at", "")),
    }


def _expiry(day: str) -> str | None:
    """The beginning of that day in UTC."""
    return f"{day}T00:00:00Z" if _LOCAL.fullmatch(day) else day or None


def _at_field(error: AppError) -> Invalid:
    """Of refusals that a form can mend; raises the others again."""
    if isinstance(error, Invalid):
        return error
    fields = {"approval_required": "/approved", "persona_full": "/content"}
    fields |= {"memory_exists": "/content", "memory_superseded": "/content"}
    if error.code not in fields:
        raise error
    return Invalid(details=[{"field": fields[error.code], "problem": str(error)}])


@bp.get("/memory/<persona_id>")
@signed_in
def show(persona_id: str) -> Response:
    return _persona(persona_id)


def _persona(persona_id: str, error: Invalid | None = None) -> Response:
    """Shows the memory of a persona; if nothing is remembered any more, that is what is shown."""
    kind = request.args.get("type")
    query = {"type": kind, "cursor": request.args.get("cursor"), "limit": viewer().page_size}
    try:
        found = call("listMemories", query=query, persona_id=persona_id)
    except NotFound:
        found = {"memory": [], "next_cursor": None}
    return render(
        "memory/persona.html",
        path=f"/memory/{persona_id}",
        errors=error,
        persona_id=persona_id,
        found=found,
        types=TYPES,
        filters=FILTERS,
    )


@bp.post("/memory/<persona_id>")
@signed_in
def add(persona_id: str) -> Response:
    error = _stored(persona_id)
    return _persona(persona_id, error) if error else redirect(f"/memory/{persona_id}", 303)


@bp.post("/memory/<persona_id>/forget")
@signed_in
def forget_persona(persona_id: str) -> Response:
    """All of a persona; its name has to be typed."""
    query = {"confirm": request.form.get("confirm", "").strip() or "-"}
    try:
        call("deletePersona", query=query, persona_id=persona_id)
    except Invalid as error:
        return _persona(persona_id, error)
    return redirect("/memory", 303)


@bp.get("/memory/<persona_id>/export")
@signed_in
def export(persona_id: str) -> Response:
    """Everything with its history, as the API exports it."""
    vault = persona_keys.vault_of(current_app.extensions["settings"])
    lines = ndjson(vault, caller().account_id, persona_id, schemas.MemorySchema())
    return download("memory", lines, "ndjson")


@bp.get("/memory/<persona_id>/<memory_id>")
@signed_in
def edit(persona_id: str, memory_id: str) -> Response:
    return _memory(persona_id, memory_id)


def _memory(persona_id: str, memory_id: str, error: Invalid | None = None) -> Response:
    found = call("getMemory", persona_id=persona_id, memory_id=memory_id)["memory"]
    return render("memory/memory.html", errors=error, persona_id=persona_id, memory=found)


@bp.post("/memory/<persona_id>/<memory_id>")
@signed_in
def correct(persona_id: str, memory_id: str) -> Response:
    """The next version; the one before is kept until the memory is forgotten. A time that the
    form shows as its day stays that time."""
    stored = call("getMemory", persona_id=persona_id, memory_id=memory_id)["memory"]["expires_at"]
    changes = _changes()
    if stored and request.form.get("expires_at") == stored[:10]:
        changes["expires_at"] = stored
    try:
        call("updateMemory", changes, persona_id=persona_id, memory_id=memory_id)
    except AppError as error:
        return _memory(persona_id, memory_id, _at_field(error))
    return redirect(f"/memory/{persona_id}", 303)


@bp.post("/memory/<persona_id>/<memory_id>/forget")
@signed_in
def forget(persona_id: str, memory_id: str) -> Response:
    call("deleteMemory", persona_id=persona_id, memory_id=memory_id)
    return redirect(f"/memory/{persona_id}", 303)
