"""The personas of which an account remembers something: counted, and none of it opened."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.core.db import Reader, many

# In an order that stands while some come and others go, and that fits into a cursor: names do not.
PERSONAS = """
    select md5(key.persona_id)::uuid as id, key.persona_id, count(memories.id) as memories,
           max(memories.updated_at) as changed_at
    from memory_keys key
    left join memories on memories.account_id = key.account_id
        and memories.persona_id = key.persona_id and memories.superseded_by is null
        and (memories.expires_at is null or memories.expires_at > now())
    where key.account_id = %(account_id)s and md5(key.persona_id)::uuid > %(after)s
    group by key.persona_id order by id limit %(most)s
    """


@dataclass(frozen=True, slots=True)
class Persona:
    id: UUID
    persona_id: str
    memories: int
    changed_at: datetime | None


def personas(reader: Reader, account_id: UUID, after: UUID | None, most: int) -> list[Persona]:
    after = after or UUID(int=0)
    return many(reader, Persona, PERSONAS, account_id=account_id, after=after, most=most)
