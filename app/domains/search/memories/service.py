"""The operations on a persona's memory. Callers hold a transaction of the account (`db.tenant`).

Texts are open only here, in the process: ranking, filtering by tag and telling duplicates need no
word of them in the database.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from app.core import db, ids
from app.core.db import Tx
from app.core.errors import Conflict, Invalid, NotFound, required
from app.core.hooks import Hook
from app.core.ids import Noun
from app.core.vault import Vault
from app.domains.account.audit.service import record_event
from app.domains.search.memories import opened, persona_keys, ranking, store
from app.domains.search.memories.opened import Memory
from app.domains.search.memories.persona_keys import PersonaKey
from app.domains.search.memories.rules import (
    MOST_OF_ACCOUNT,
    MOST_OF_PERSONA,
    MOST_VERSIONS,
    PERSONA,
)

EXPORTED_AT_ONCE: Final = 50


class PersonaNotFound(NotFound):
    """No persona with this name belongs to your account."""

    code = "persona_not_found"


class MemoryNotFound(NotFound):
    """This persona has no memory with this id."""

    code = "memory_not_found"


class PersonaFull(Conflict):
    """The persona or account has reached its memory limit. Delete memories first."""

    code = "persona_full"


class MemoryExists(Conflict):
    """The persona already has a memory with this text."""

    code = "memory_exists"


class MemorySuperseded(Conflict):
    """A newer memory replaced this one. Change that one, or store this text again."""

    code = "memory_superseded"


ERASED: Final = Hook[Callable[[Tx, UUID, str, list[UUID]], None]]("memories.ERASED")
"""Called with account, persona and ids in the transaction that erases memories: whoever keeps
something derived from them erases it there."""


def remember(
    tx: Tx, vault: Vault, account_id: UUID, persona_id: str, given: dict[str, Any]
) -> tuple[UUID, bool]:
    """Store what was approved; its id, and False for an exact duplicate, which is there already.

    Raises PersonaFull, Invalid for a `supersedes` that names none of the persona's.
    """
    if not PERSONA.fullmatch(persona_id):
        raise Invalid.at("/persona_id", "Must be 1 to 64 of A-Z a-z 0-9 _ -.")
    key = _locked_key(tx, vault, account_id, persona_id)
    former = _superseded(tx, account_id, persona_id, given.get("supersedes"))
    content, tags, expires_at = given["content"], _distinct(given["tags"]), given.get("expires_at")
    digest = _digest(key, given["type"], content, tags, expires_at)
    same = store.by_digest(tx, account_id, persona_id, digest)
    if same is not None and same.id != former:
        if former is not None:
            store.supersede(tx, account_id, persona_id, former, same.id)
        return same.id, False
    if former is None:
        _admit(tx, account_id, persona_id)
    id = ids.new()
    if former is not None and not store.supersede(tx, account_id, persona_id, former, id):
        raise Invalid.at("/supersedes", MemorySuperseded.message())
    store.insert(
        tx,
        account_id=account_id,
        persona_id=persona_id,
        id=id,
        type=given["type"],
        sealed=key.seal(id, 1, content, tags),
        digest=digest,
        expires_at=expires_at,
        supersedes=former,
    )
    return id, True


def _locked_key(tx: Tx, vault: Vault, account_id: UUID, persona_id: str) -> PersonaKey:
    """The persona's key, made at its first memory; held against others who write."""
    wrapped = store.lock_key(tx, account_id, persona_id)
    if wrapped is None:
        fresh = persona_keys.new_wrapped(vault, account_id, persona_id)
        store.add_key(tx, account_id, persona_id, fresh)
        wrapped = store.lock_key(tx, account_id, persona_id)
    if wrapped is None:
        raise PersonaNotFound  # it was erased this very moment
    return opened.unwrapped(vault, wrapped, account_id, persona_id)


def _superseded(tx: Tx, account_id: UUID, persona_id: str, public_id: str | None) -> UUID | None:
    if public_id is None:
        return None
    id = ids.lookup(Noun.MEMORY, public_id)
    if store.by_id(tx, account_id, persona_id, id) is None:
        raise Invalid.at("/supersedes", MemoryNotFound.message())
    return id


def _distinct(tags: list[str]) -> list[str]:
    return list(dict.fromkeys(tags))


def _digest(
    key: PersonaKey, type: str, content: str, tags: list[str], expires_at: datetime | None
) -> bytes:
    moment = expires_at.timestamp() if expires_at else None
    return key.digest(type, content, sorted(tags), moment)


def _admit(tx: Tx, account_id: UUID, persona_id: str) -> None:
    counts = store.counts(tx, account_id, persona_id)
    if counts.persona >= MOST_OF_PERSONA or counts.account >= MOST_OF_ACCOUNT:
        raise PersonaFull


def find(tx: Tx, vault: Vault, account_id: UUID, persona_id: str, id: UUID) -> Memory:
    """A memory with its history. Raises MemoryNotFound, also for another account's."""
    row = store.by_id(tx, account_id, persona_id, id)
    wrapped = store.key(tx, account_id, persona_id)
    if row is None or wrapped is None:
        raise MemoryNotFound
    key = opened.unwrapped(vault, wrapped, account_id, persona_id)
    (memory,) = opened.with_history(tx, key, account_id, persona_id, [row])
    return memory


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """The filter of a list of memories: of a type, with a tag, fitting a question, behind an id."""

    type: str | None = None
    tag: str | None = None
    question: str | None = None
    before: UUID | None = None


def recent(
    tx: Tx, vault: Vault, account_id: UUID, persona_id: str, wanted: MemoryFilter, limit: int
) -> list[Memory]:
    """Newest, or of a question best, first; one more than `limit`. Raises PersonaNotFound."""
    key = _own_key(tx, vault, account_id, persona_id)
    rows = store.current(tx, account_id, persona_id, wanted.type)
    memories = [opened.memory(key, persona_id, row) for row in rows]
    if wanted.tag is not None:
        memories = [memory for memory in memories if wanted.tag in memory.tags]
    if wanted.question is not None:
        memories = ranked(wanted.question, memories)
    elif wanted.before is not None:
        memories = [memory for memory in memories if memory.id < wanted.before]
    return memories[: limit + 1]


def ranked(question: str, memories: list[Memory]) -> list[Memory]:
    """Returns the memories that share a word with the question, the best first."""
    scores = ranking.scores(question, [" ".join([m.content, *m.tags]) for m in memories])
    best = sorted(zip(scores, memories, strict=True), key=lambda pair: -pair[0])
    return [memory for score, memory in best if score > 0]


def require(tx: Tx, account_id: UUID, persona_id: str) -> None:
    """Raises PersonaNotFound."""
    required(store.key(tx, account_id, persona_id), PersonaNotFound)


def _own_key(tx: Tx, vault: Vault, account_id: UUID, persona_id: str) -> PersonaKey:
    """Raises PersonaNotFound."""
    wrapped = required(store.key(tx, account_id, persona_id), PersonaNotFound)
    return opened.unwrapped(vault, wrapped, account_id, persona_id)


def exported(
    tx: Tx, vault: Vault, account_id: UUID, persona_id: str, after: UUID | None
) -> list[Memory]:
    """Some with their history, oldest first, superseded ones too. Raises PersonaNotFound."""
    key = _own_key(tx, vault, account_id, persona_id)
    rows = store.after(tx, account_id, persona_id, after, EXPORTED_AT_ONCE)
    return opened.with_history(tx, key, account_id, persona_id, rows)


def change(
    tx: Tx, vault: Vault, account_id: UUID, persona_id: str, id: UUID, changes: dict[str, Any]
) -> Memory:
    """The next version, unless nothing differs; the last ones before it are kept.

    Raises MemoryNotFound, MemorySuperseded, MemoryExists.
    """
    wrapped = store.lock_key(tx, account_id, persona_id)
    memory = find(tx, vault, account_id, persona_id, id)
    if memory.superseded_by is not None:
        raise MemorySuperseded
    content = changes.get("content", memory.content)
    tags = _distinct(changes.get("tags", memory.tags))
    expires_at = changes.get("expires_at", memory.expires_at)
    if (content, tags, expires_at) == (memory.content, memory.tags, memory.expires_at):
        return memory
    key = opened.unwrapped(vault, wrapped or b"", account_id, persona_id)
    digest = _digest(key, memory.type, content, tags, expires_at)
    same = store.by_digest(tx, account_id, persona_id, digest)
    if same is not None and same.id != memory.id:
        raise MemoryExists
    version = memory.version + 1
    store.change(
        tx,
        account_id=account_id,
        persona_id=persona_id,
        id=memory.id,
        version=version,
        sealed=key.seal(memory.id, version, content, tags),
        digest=digest,
        expires_at=expires_at,
    )
    store.forget_versions(tx, account_id, memory.id, version - 1 - MOST_VERSIONS)
    return find(tx, vault, account_id, persona_id, memory.id)


def erase(tx: Tx, account_id: UUID, persona_id: str, id: UUID) -> None:
    """One memory with its versions; with the persona's last one its key. Raises MemoryNotFound."""
    store.lock_key(tx, account_id, persona_id)  # or another stores what would go with the key
    if not store.delete(tx, account_id, persona_id, id):
        raise MemoryNotFound
    record_event(tx, "memory.deleted", ids.public(Noun.MEMORY, id), account_id)
    _erased(tx, account_id, persona_id, [id])


def erase_all(tx: Tx, account_id: UUID, persona_id: str) -> None:
    """Everything of a persona, and its key. Raises PersonaNotFound."""
    store.lock_key(tx, account_id, persona_id)
    gone = store.ids(tx, account_id, persona_id)
    if not store.drop_key(tx, account_id, persona_id):
        raise PersonaNotFound
    record_event(tx, "persona.deleted", persona_id, account_id, memories=len(gone))
    _erased(tx, account_id, persona_id, gone)


def _erased(tx: Tx, account_id: UUID, persona_id: str, gone: list[UUID]) -> None:
    store.drop_empty_key(tx, account_id, persona_id)
    for erase_derived in ERASED:
        erase_derived(tx, account_id, persona_id, gone)


def forget_expired(tx: Tx, most: int = 1_000) -> int:
    """Delete what is past its end, as its owner would; returns how many."""
    forgotten = 0
    for expired in store.expired(tx, most):
        db.act_for(tx, expired.account_id)
        store.lock_key(tx, expired.account_id, expired.persona_id)
        forgotten += store.delete_expired(tx, expired.ids)
        _erased(tx, expired.account_id, expired.persona_id, expired.ids)
    return forgotten
