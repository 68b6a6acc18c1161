"""The memory of a persona, as given to a search that names it."""

from dataclasses import dataclass
from uuid import UUID

from app.core.db import Tx
from app.core.vault import Vault
from app.domains.search.memories import service
from app.domains.search.memories.opened import Memory
from app.domains.search.memories.rules import MOST_OF_PERSONA


@dataclass(frozen=True, slots=True)
class PersonaMemory:
    """Everything current of a persona by type, newest first; empty for one that is not known."""

    preferences: list[Memory]
    facts: list[Memory]
    instructions: list[Memory]
    events: list[Memory]


def recall(tx: Tx, vault: Vault, account_id: UUID, persona_id: str) -> PersonaMemory | None:
    """None where nothing is remembered. Raises MemoriesUnreadable."""
    try:
        every = service.recent(
            tx, vault, account_id, persona_id, service.MemoryFilter(), MOST_OF_PERSONA
        )
    except service.PersonaNotFound:
        return None
    return PersonaMemory(
        *(
            [memory for memory in every if memory.type == type]
            for type in ("preference", "fact", "instruction", "event")
        )
    )
