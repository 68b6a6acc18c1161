"""Memory: what a persona of yours is to remember, and searches may use."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, Literal, Unpack

from citegrid.calls import UNSET, Call, Unset, json_of, member, nothing
from citegrid.errors import UnusableAnswer
from citegrid.nouns.noun import M, Noun, operation
from citegrid.nouns.pagination import Page, PageOptions, every, page_of
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject, decode
from citegrid.transport.exchange import Reply

MemoryType = Literal["preference", "fact", "instruction", "event"]
Approval = Literal["user_approved"]
MEMORY: Final = "/v1/personas/{persona_id}/memory"


class MemoryVersion(ApiObject):
    """The state of a memory before a change."""

    version: int
    content: str
    tags: tuple[str, ...]
    created_at: datetime


class MemoryListed(ApiObject):
    """A memory without its previous versions."""

    id: str
    persona_id: str
    type: str
    content: str
    source: str
    visibility: str
    tags: tuple[str, ...]
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    supersedes: str | None
    superseded_by: str | None


class Memory(MemoryListed):
    """A memory; `history` has its previous versions, newest first."""

    history: tuple[MemoryVersion, ...]


class Persona(ApiObject):
    """A persona with the number of its memories."""

    persona_id: str
    memories: int
    changed_at: datetime | None


def _memories(reply: Reply) -> tuple[Memory, ...]:
    """Reads NDJSON whose last line, if the server failed on the way, says so."""
    lines = [replace(reply, content=line).json() for line in reply.content.splitlines()]
    if lines and isinstance(lines[-1], dict) and "error" in lines[-1]:
        error = member(lines[-1], "error")
        raise UnusableAnswer(f"The export broke off: {member(error, 'message')}")
    return tuple(decode(Memory, line, f"/{n}") for n, line in enumerate(lines))


class Memories(Noun[M]):
    """`client.memory` (preview)"""

    @operation("GET", "/v1/personas", Access.KEY)
    def personas(self, **page: Unpack[PageOptions]) -> Call[Page[Persona]]:
        """Preview. One page of your personas, by name."""
        return Call(page_of("personas", Persona))

    @operation("POST", MEMORY, Access.KEY, makes=True)
    def create(
        self,
        persona_id: str,
        type: MemoryType,
        content: str,
        *,
        source: Approval,
        visibility: Literal["private"] | None = None,
        tags: Sequence[str] | None = None,
        supersedes: str | None = None,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Memory]:
        """Preview. Store a text that the user has approved; an exact duplicate is stored once.

        `source` must be `user_approved`: the user was asked.
        """
        return Call(json_of(Memory, inside="memory"))

    @operation("GET", MEMORY, Access.KEY)
    def list(
        self,
        persona_id: str,
        *,
        type: MemoryType | None = None,
        tag: str | None = None,
        q: str | None = None,
        **page: Unpack[PageOptions],
    ) -> Call[Page[MemoryListed]]:
        """Preview. One page of memories, newest first; with `q`, the best matches."""
        return Call(page_of("memory", MemoryListed))

    iterate = every(list, "Preview. All memories, newest first, page after page.")

    @operation("GET", MEMORY + "/{memory_id}", Access.KEY)
    def get(self, persona_id: str, memory_id: str) -> Call[Memory]:
        """Preview. A memory with its previous versions, even if it is superseded."""
        return Call(json_of(Memory, inside="memory"))

    @operation("PATCH", MEMORY + "/{memory_id}", Access.KEY)
    def update(
        self,
        persona_id: str,
        memory_id: str,
        *,
        content: str | Unset = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        expires_at: datetime | Unset | None = UNSET,
        source: Approval | Unset = UNSET,
    ) -> Call[Memory]:
        """Preview. A new version with the given fields; the previous one is kept."""
        return Call(json_of(Memory, inside="memory"))

    @operation("DELETE", MEMORY + "/{memory_id}", Access.KEY)
    def delete(self, persona_id: str, memory_id: str) -> Call[None]:
        """Preview. Delete a memory with its versions, and the answers that used its text."""
        return Call(nothing)

    @operation("DELETE", MEMORY, Access.KEY)
    def delete_persona(self, persona_id: str, *, confirm: str) -> Call[None]:
        """Preview. Delete a persona with all memories and its key; `confirm` repeats its name."""
        return Call(nothing, query={"confirm": confirm})

    @operation("GET", MEMORY + "/export", Access.KEY)
    def export(self, persona_id: str) -> Call[tuple[Memory, ...]]:
        """Preview. All memories of a persona with their history, including superseded ones."""
        return Call(_memories)
