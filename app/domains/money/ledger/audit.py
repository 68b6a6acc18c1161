"""The daily look at the books, and whenever an operator asks: does everything still add up?

Domains above add what must hold of their own money (`also`). Each rule is one statement, and so
sees one moment: the audit may run while money moves.
"""

from collections.abc import Mapping
from typing import Final, LiteralString

from app.core.db import Reader
from app.domains.money.ledger import audit_store
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import Kind

KIND: Final = kinds.register(
    Kind(
        name="ledger.audit",
        queue="ledger",
        deadline_seconds=3600,
        priority=10,
        every_seconds=86_400,
    )
)

_invariants: dict[str, LiteralString] = dict(audit_store.BOOKS)


def also(invariants: Mapping[str, LiteralString]) -> None:
    """Rules of a domain above: statements that count the rows which break them."""
    _invariants.update(invariants)


def rules() -> list[str]:
    """What is looked at."""
    return list(_invariants)


def broken(reader: Reader) -> dict[str, int]:
    """The rules that do not hold, with how many rows break each."""
    return audit_store.broken(reader, _invariants)
