"""/v1/personas/{persona_id}/memory: what the account's personas are to remember."""

import json
from typing import Any
from uuid import UUID

from flask import Response, current_app, url_for

from app.core import db, ids
from app.core.errors import Invalid, Overloaded
from app.core.http import Blueprint, caller, current_settings, raises, scoped
from app.core.http.exports.slots import SlotStream
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.core.ids import Noun
from app.core.vault import Vault
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.search.memories import persona_keys, persona_store, schemas, service
from app.domains.search.memories.export import ndjson
from app.domains.search.memories.opened import MemoriesUnreadable
from app.domains.search.memories.rules import ApprovalRequired
from app.domains.search.memories.service import MemoryNotFound, PersonaNotFound

memories = Blueprint(
    "memory",
    __name__,
    url_prefix="/v1/personas/<string:persona_id>/memory",
    description="Memories of your personas: private, encrypted and permanently deletable.",
    preview=True,
)

personas = Blueprint(
    "personas",
    __name__,
    url_prefix="/v1/personas",
    description="Personas with memories in your account.",
    preview=True,
)


NDJSON = "application/x-ndjson"


def _vault() -> Vault:
    return persona_keys.vault_of(current_settings())


@personas.get("", operation="listPersonas")
@scoped("memory")
@personas.arguments(PageIn, location="query")
@personas.response(200, schemas.PersonaPageSchema)
def list_personas(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your personas with the number of memories, without texts; each page by name."""
    account_id, limit = caller().account_id, wanted["limit"]
    with db.tenant(account_id) as tx:
        rows = persona_store.personas(tx, account_id, wanted.get("cursor"), limit + 1)
    found = page("personas", rows, limit)
    found["personas"].sort(key=lambda persona: persona.persona_id)
    return found


@memories.post("", operation="createMemory")
@scoped("memory")
@raises(ApprovalRequired, service.PersonaFull, MemoriesUnreadable, MemoryNotFound)
@memories.arguments(schemas.MemoryIn)
@memories.response(201, schemas.MemoryOut)
@memories.alt_response(200, schema=schemas.MemoryOut, description="The stored exact duplicate.")
def create(body: dict[str, Any], persona_id: str) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Add a memory approved by the user. Exact duplicates are stored once and return 200.

    Repeating the `Idempotency-Key` of a deleted memory returns `memory_not_found`.
    """
    account_id, vault = caller().account_id, _vault()

    def make(tx: db.Tx) -> dict[str, Any]:
        db.act_for(tx, account_id)
        id, is_new = service.remember(tx, vault, account_id, persona_id, body)
        return {"id": ids.public(Noun.MEMORY, id), "is_new": is_new}

    made = once(body, make, known_as=_without_text(body))
    with db.tenant(account_id) as tx:
        memory = service.find(
            tx, vault, account_id, persona_id, ids.lookup(Noun.MEMORY, made["id"])
        )
    location = url_for("memory.show", persona_id=persona_id, memory_id=made["id"])
    return {"memory": memory}, 201 if made["is_new"] else 200, {"Location": location}


def _without_text(body: dict[str, Any]) -> list[dict[str, str]]:
    """For the stored fingerprint, which is a fast hash: the text under each secret key."""
    text = json.dumps(body, sort_keys=True, default=str)
    digests = Pepper.of(current_settings()).digests(f"memory {text}")
    return [{"memory": digest.hex()} for digest in digests]


@memories.get("", operation="listMemories")
@scoped("memory")
@raises(PersonaNotFound, MemoriesUnreadable)
@memories.arguments(schemas.MemoriesIn, location="query")
@memories.response(200, schemas.MemoryPageSchema)
def index(wanted: dict[str, Any], persona_id: str) -> dict[str, Any]:
    """List current memories, newest first, or best matches first with `q`."""
    chosen = service.MemoryFilter(
        wanted.get("type"), wanted.get("tag"), wanted.get("q"), wanted.get("cursor")
    )
    account_id, limit = caller().account_id, wanted["limit"]
    with db.tenant(account_id) as tx:
        rows = service.recent(tx, _vault(), account_id, persona_id, chosen, limit)
    if chosen.question is not None:
        rows = rows[:limit]  # there is no other page of the best
    return page("memory", rows, limit)


@memories.delete("", operation="deletePersona")
@scoped("memory")
@raises(PersonaNotFound)
@memories.arguments(schemas.EraseIn, location="query")
@memories.response(204)
def erase_all(wanted: dict[str, Any], persona_id: str) -> None:
    """Delete a persona with its memories and key. `confirm` must be the name of the persona."""
    with db.tenant(caller().account_id) as tx:
        service.erase_all(tx, caller().account_id, persona_id)
        if wanted.get("confirm") != persona_id:  # whoever is not its owner learns nothing here
            raise Invalid.at("/confirm", "Must be the name of the persona.")


@memories.get("/export", operation="exportMemories")
@scoped("memory")
@raises(PersonaNotFound, MemoriesUnreadable, Overloaded)
@memories.response(200, schemas.EXPORT, content_type=NDJSON)
def export(persona_id: str) -> Response:
    """Export all memories of a persona with previous versions, one per line."""
    lines = ndjson(_vault(), caller().account_id, persona_id, schemas.MemorySchema())
    body = SlotStream(lines, current_app.extensions["exports"].take())
    return Response(body, content_type=NDJSON, headers={"X-Accel-Buffering": "no"})


@memories.get("/<mem:memory_id>", operation="getMemory")
@scoped("memory")
@raises(MemoryNotFound, MemoriesUnreadable)
@memories.response(200, schemas.MemoryOut)
def show(persona_id: str, memory_id: UUID) -> dict[str, Any]:
    """Get a memory with its previous versions."""
    account_id = caller().account_id
    with db.tenant(account_id) as tx:
        return {"memory": service.find(tx, _vault(), account_id, persona_id, memory_id)}


@memories.patch("/<mem:memory_id>", operation="updateMemory")
@scoped("memory")
@raises(
    MemoryNotFound,
    ApprovalRequired,
    service.MemoryExists,
    service.MemorySuperseded,
    MemoriesUnreadable,
)
@memories.arguments(schemas.MemoryChangeSchema)
@memories.response(200, schemas.MemoryOut)
def update(body: dict[str, Any], persona_id: str, memory_id: UUID) -> dict[str, Any]:
    """Add a new version of a memory and keep the previous one. `source`, if sent, must be valid for
    a new memory.
    """
    account_id = caller().account_id
    with db.tenant(account_id) as tx:
        changed = service.change(tx, _vault(), account_id, persona_id, memory_id, body)
    return {"memory": changed}


@memories.delete("/<mem:memory_id>", operation="deleteMemory")
@scoped("memory")
@raises(MemoryNotFound)
@memories.response(204)
def erase(persona_id: str, memory_id: UUID) -> None:
    """Delete a memory, its previous versions and answers that used its text."""
    with db.tenant(caller().account_id) as tx:
        service.erase(tx, caller().account_id, persona_id, memory_id)
