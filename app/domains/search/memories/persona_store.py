"""The personas of which an account remembers something: counted, and none of it opened."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.db import Reader, many

PERSONAS = """
    select * from (
        select row_number() over (order by key.persona_id) as place, key.persona_id,
               count(memories.id) as memories, max(memories.updated_at) as changed_at
        from memory_keys key
        left join memories on memories.account_id = key.account_id
            and memories.persona_id = key.persona_id and memories.superseded_by is null
            and (memories.expires_at is null or memories.expires_at > now())
        where key.account_id = %(account_id)s group by key.persona_id) personas
    where place > %(after)s order by place limit %(most)s
    """


@dataclass(frozen=True, slots=True)
class Persona:
    """A persona by its place among those of its account, and how much it remembers."""

    place: int
    persona_id: str
    memories: int
    changed_at: datetime | None


def personas(reader: Reader, account_id: UUID, after: int, most: int) -> list[Persona]:
    """By name."""
    return many(reader, Persona, PERSONAS, account_id=account_id, after=after, most=most)
