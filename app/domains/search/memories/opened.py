"""Memories as their owner reads them: opened in the process, never in the database."""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from app.core.db import Tx
from app.core.errors import Conflict
from app.core.vault import Unreadable, Vault
from app.domains.search.memories import store
from app.domains.search.memories.persona_keys import PersonaKey
from app.domains.search.memories.rules import APPROVED


class MemoriesUnreadable(Conflict):
    """The server no longer has the key for these memories. You can only delete them."""

    code = "memories_unreadable"


@dataclass(frozen=True, slots=True)
class Version:
    """The state of a memory before a change, since `created_at`."""

    version: int
    content: str
    tags: list[str]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Memory:
    id: UUID
    persona_id: str
    type: str
    content: str
    tags: list[str]
    version: int
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None
    supersedes: UUID | None
    superseded_by: UUID | None
    source: str = APPROVED
    visibility: str = "private"
    history: list[Version] = field(default_factory=list)


def unwrapped(vault: Vault, wrapped: bytes, account_id: UUID, persona_id: str) -> PersonaKey:
    """A persona's key, for opening and sealing. Raises MemoriesUnreadable."""
    try:
        return PersonaKey.unwrap(vault, wrapped, account_id, persona_id)
    except Unreadable:
        raise MemoriesUnreadable(why="no SECRET_KEY opens the persona's key") from None


def with_history(
    tx: Tx, key: PersonaKey, account_id: UUID, persona_id: str, rows: list[store.SealedMemory]
) -> list[Memory]:
    """Each with what it was before. Raises MemoriesUnreadable."""
    histories: dict[UUID, list[Version]] = defaultdict(list)
    for former in store.versions(tx, account_id, [row.id for row in rows]):
        content, tags = _opened(key, former.memory_id, former.version, former.sealed)
        version = Version(former.version, content, tags, former.created_at)
        histories[former.memory_id].append(version)
    return [memory(key, persona_id, row, histories[row.id]) for row in rows]


def memory(
    key: PersonaKey, persona_id: str, row: store.SealedMemory, history: list[Version] | None = None
) -> Memory:
    """Raises MemoriesUnreadable."""
    content, tags = _opened(key, row.id, row.version, row.sealed)
    return Memory(
        row.id,
        persona_id,
        row.type,
        content,
        tags,
        row.version,
        row.created_at,
        row.updated_at,
        row.expires_at,
        row.supersedes,
        row.superseded_by,
        history=history or [],
    )


def _opened(key: PersonaKey, id: UUID, version: int, sealed: bytes) -> tuple[str, list[str]]:
    try:
        return key.open(id, version, bytes(sealed))
    except Unreadable:
        raise MemoriesUnreadable(why="a memory is not where it was sealed for") from None
