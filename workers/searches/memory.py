"""The memory that a search uses, of the persona that it names.

Preferences weigh sites and languages. Instructions, and the facts that share a word with the
question, go to the configured model as notes; there is no other place that any text goes to.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.search.memories import persona_keys, store
from app.domains.search.memories import service as memories
from app.domains.search.memories.opened import MemoriesUnreadable, Memory
from app.domains.search.memories.rules import MOST_OF_PERSONA
from app.domains.search.memories.service import MemoryFilter, PersonaNotFound
from app.domains.search.searches.service import erase_answers
from app.domains.search.searches.store import SearchQuestion
from app.engine.search.preferences import Preference, read_preference, weigh
from app.engine.search.rank import RankedPassage

MOST_INSTRUCTIONS: Final = 8
MOST_FACTS: Final = 8
MOST_NOTE_CHARACTERS: Final = 500

UNKNOWN = "persona_unknown: your account remembers nothing about this persona."
UNREADABLE = (
    "memories_unreadable: the server lost the key of this persona's memory; it was left out."
)


@dataclass(slots=True)
class PersonaRecall:
    """The facts known of the persona, and which of them were used so far."""

    types: dict[UUID, str] = field(default_factory=dict)
    preferences: list[Preference] = field(default_factory=list)
    notes: dict[UUID, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    _used: dict[UUID, str] = field(default_factory=dict)

    def weigh(
        self, ranked: Sequence[RankedPassage], host_of: Callable[[RankedPassage], str]
    ) -> list[RankedPassage]:
        """In the order that preferences give."""
        ordered, counted = weigh(ranked, self.preferences, host_of)
        self._used |= {UUID(key): "ranking" for key in counted}
        return ordered

    def noted(self) -> None:
        self._used |= dict.fromkeys(self.notes, "answer")

    def shown(self) -> list[dict[str, str]]:
        """Returns which memories were used, and for what; never their text."""
        return [
            {"id": ids.public(Noun.MEMORY, id), "type": self.types[id], "used_for": used_for}
            for id, used_for in self._used.items()
        ]

    @property
    def in_answer(self) -> list[UUID]:
        """The memories whose text may have gone into the answer."""
        return [id for id, used_for in self._used.items() if used_for == "answer"]


def remember(settings: Settings, question: SearchQuestion) -> PersonaRecall:
    """Nothing, unless the search names a persona."""
    persona_id = question.options.get("persona_id")
    if persona_id is None:
        return PersonaRecall()
    vault, of_type = persona_keys.vault_of(settings), defaultdict[str, list[Memory]](list)
    try:
        with db.tenant(question.account_id) as tx:
            for memory in memories.recent(
                tx, vault, question.account_id, persona_id, MemoryFilter(), MOST_OF_PERSONA
            ):
                of_type[memory.type].append(memory)
    except PersonaNotFound:
        return PersonaRecall(warnings=[UNKNOWN])
    except MemoriesUnreadable:
        return PersonaRecall(warnings=[UNREADABLE])
    facts = memories.ranked(question.query, of_type["fact"])[:MOST_FACTS]
    told, preferences = [*of_type["instruction"][:MOST_INSTRUCTIONS], *facts], of_type["preference"]
    return PersonaRecall(
        types={memory.id: memory.type for memory in (*preferences, *told)},
        preferences=[read_preference(str(m.id), m.content, m.tags) for m in preferences],
        notes={memory.id: memory.content[:MOST_NOTE_CHARACTERS] for memory in told},
    )


def finish(tx: Tx, question: SearchQuestion, used: PersonaRecall) -> None:
    """In the transaction that ends the search: an answer whose memory was erased meanwhile goes."""
    if not used.in_answer:
        return
    persona_id: Any = question.options["persona_id"]
    db.act_for(tx, question.account_id)
    held = store.hold(tx, question.account_id, persona_id, used.in_answer)
    gone = set(used.in_answer) - set(held)
    if gone:
        erase_answers(tx, question.account_id, persona_id, list(gone))
