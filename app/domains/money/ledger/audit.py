"""The daily look at the books, and whenever an operator asks: does everything still add up?

Domains above add what must hold of their own money. Each rule is one statement, and so sees one
moment: the audit may run while money moves.
"""

from collections.abc import Mapping
from typing import Final, LiteralString

from app.core.db import Reader, value
from app.core.hooks import Hook
from app.domains.queue.jobs import kinds

KIND: Final = kinds.register(
    "ledger.audit", queue="ledger", deadline_seconds=3600, priority=10, every_seconds=86_400
)

RULES: Final = Hook[Mapping[str, LiteralString]]("audit.RULES")
"""Statements that count the rows which break a rule, by what is wrong then."""


def rules() -> dict[str, LiteralString]:
    return {rule: sql for rules in RULES for rule, sql in rules.items()}


def broken(reader: Reader) -> dict[str, int]:
    """The rules that do not hold, with how many rows break each."""
    counts = {rule: int(value(reader, sql)) for rule, sql in rules().items()}
    return {rule: count for rule, count in counts.items() if count}
