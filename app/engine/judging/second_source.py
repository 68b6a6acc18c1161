"""The search for another page that states the same as a record. Absence proves nothing, and two may
have copied from one: it only ever speaks for a record.
"""

from itertools import islice
from typing import Any

from app.engine.extraction.schema.formats import ADDRESSES
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.values.compare import value_at
from app.engine.judging.singles import compared, letters, stands_in

_LONGEST_QUESTION, _LONGEST_TELLING, _LEAST_TELLING, _TELLING_LINE = 300, 120, 2, 30
_MOST_TELLING = 4
_SEARCHABLE = frozenset({"string", "number", "integer"})


def question(plan: Plan, data: dict[str, Any]) -> str | None:
    """The record's key values, as one would search for them; None: it has too few."""
    told = _telling(plan, data)
    return " ".join(told)[:_LONGEST_QUESTION] if len(told) >= _LEAST_TELLING else None


def _telling(plan: Plan, data: dict[str, Any]) -> list[str]:
    """The required values first; of the others those that can be looked for."""
    wanted = sorted(compared(plan, data), key=lambda each: not each.required)
    texts = (
        str(value_at(data, each.pointer))
        for each in wanted
        if each.type in _SEARCHABLE and each.format not in ADDRESSES
    )
    telling = (text for text in texts if letters(text) and len(text) <= _LONGEST_TELLING)
    return list(islice(telling, _MOST_TELLING))


def states(plan: Plan, data: dict[str, Any], text: str) -> bool:
    """True if a text has all of the record's key values."""
    told = _telling(plan, data)
    return len(told) >= _LEAST_TELLING and all(stands_in(each, text) for each in told)


def is_copy(passage: str, text: str) -> bool:
    """True if most lines of a passage stand on the page itself."""
    lines = [letters(line) for line in passage.split("\n") if len(letters(line)) > _TELLING_LINE]
    written = letters(text)
    return bool(lines) and sum(line in written for line in lines) * 2 > len(lines)
