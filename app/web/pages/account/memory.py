"""The memory of an account's personas: read, approve, correct, forget. No text is in an address."""

import re
from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core.errors import Invalid, NotFound
from app.core.http import current_settings
from app.core.http.access import caller, signed_in
from app.domains.search.memories import persona_keys, schemas
from app.domains.search.memories.export import ndjson
from app.domains.search.memories.rules import APPROVED, PERSONA, TYPES, ApprovalRequired
from app.domains.search.memories.service import MemoryExists, MemorySuperseded, PersonaFull
from app.web.frame.operations import call, page_of
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again
from app.web.frame.tables import download

bp = Blueprint("memory_pages", __name__)

FILTERS: Final = (None, *TYPES)
_AT: Final = {
    ApprovalRequired: "approved",
    MemoryExists: "content",
    MemorySuperseded: "content",
    PersonaFull: "content",
}
_LOCAL: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@bp.get("/memory")
@signed_in
def index(errors: Invalid | None = None) -> Response:
    found = page_of("listPersonas")
    return render("memory/index.html", errors=errors, found=found, types=TYPES)


@bp.post("/memory")
@signed_in
@shown_again(index, _AT)
def remember() -> Response:
    """A new memory; the ticked box is the approval."""
    persona_id = request.form.get("persona_id", "").strip()
    if not PERSONA.fullmatch(persona_id):
        raise Invalid.at("/persona_id", "Use 1 to 64 letters, digits, _ or -.")
    return _store(persona_id)


def _store(persona_id: str) -> Response:
    body = {"type": request.form.get("type", ""), **_changes()}
    call("createMemory", body, once=request.form.get("key"), persona_id=persona_id)
    return redirect(f"/memory/{persona_id}", 303)


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


@bp.get("/memory/<persona_id>")
@signed_in
def show(persona_id: str, errors: Invalid | None = None) -> Response:
    """Shows the memory of a persona; if nothing is remembered any more, that is what is shown."""
    try:
        found = page_of("listMemories", {"type": request.args.get("type")}, persona_id=persona_id)
    except NotFound:
        found = {"memory": [], "next_cursor": None}
    return render(
        "memory/persona.html",
        path=f"/memory/{persona_id}",
        errors=errors,
        persona_id=persona_id,
        found=found,
        types=TYPES,
        filters=FILTERS,
    )


@bp.post("/memory/<persona_id>")
@signed_in
@shown_again(show, _AT)
def add(persona_id: str) -> Response:
    return _store(persona_id)


@bp.post("/memory/<persona_id>/forget")
@signed_in
@shown_again(show)
def forget_persona(persona_id: str) -> Response:
    """All of a persona; its name has to be typed."""
    query = {"confirm": request.form.get("confirm", "").strip() or "-"}
    call("deletePersona", query=query, persona_id=persona_id)
    return redirect("/memory", 303)


@bp.get("/memory/<persona_id>/export")
@signed_in
def export(persona_id: str) -> Response:
    """Everything with its history, as the API exports it."""
    vault = persona_keys.vault_of(current_settings())
    lines = ndjson(vault, caller().account_id, persona_id, schemas.MemorySchema())
    return download("memory", lines, "ndjson")


@bp.get("/memory/<persona_id>/<memory_id>")
@signed_in
def edit(persona_id: str, memory_id: str, errors: Invalid | None = None) -> Response:
    found = call("getMemory", persona_id=persona_id, memory_id=memory_id)["memory"]
    return render("memory/memory.html", errors=errors, persona_id=persona_id, memory=found)


@bp.post("/memory/<persona_id>/<memory_id>")
@signed_in
@shown_again(edit, _AT)
def correct(persona_id: str, memory_id: str) -> Response:
    """The next version; the one before is kept until the memory is forgotten. A time that the
    form shows as its day stays that time."""
    stored = call("getMemory", persona_id=persona_id, memory_id=memory_id)["memory"]["expires_at"]
    changes = _changes()
    if stored and request.form.get("expires_at") == stored[:10]:
        changes["expires_at"] = stored
    call("updateMemory", changes, persona_id=persona_id, memory_id=memory_id)
    return redirect(f"/memory/{persona_id}", 303)


@bp.post("/memory/<persona_id>/<memory_id>/forget")
@signed_in
def forget(persona_id: str, memory_id: str) -> Response:
    call("deleteMemory", persona_id=persona_id, memory_id=memory_id)
    return redirect(f"/memory/{persona_id}", 303)
