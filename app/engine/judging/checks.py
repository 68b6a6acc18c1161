"""Our own checks of a record, by rules: do its quotes bear it out, does reading the page again by
another method agree, does another source state the same.

None of them knows the truth. Quotes prove that a value was on the page, not that it is the right
one of it; two readings may share an error; another source may have copied one, so it only ever
speaks for a record. What is silent speaks neither for nor against.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.values.compare import same
from app.engine.extraction.values.typed import Context
from app.engine.extraction.values.values import typed
from app.engine.judging.quorum import State
from app.engine.judging.singles import SingleValue, letters, values

Verdict = Literal["agreed", "contradicted", "silent"]

QUOTES, SECOND, SOURCE = "quotes", "second_extraction", "second_source"
_MOST_VALUES = 500
_MOST_PLACES = 200
_ENDINGS = frozenset("|;!?:•·)]}")
_GOES_ON = re.compile(r"[ \u00a0]?\w")
_CHOSEN = frozenset({"boolean"})


@dataclass(frozen=True, slots=True)
class RecordChecks:
    quotes: Verdict = "silent"
    second: Verdict = "silent"
    source: Verdict = "silent"
    fields: tuple[str, ...] = ()
    """Pointers of the values that are contradicted."""

    @classmethod
    def nothing(cls) -> "RecordChecks":
        """The checks could not be made."""
        return cls()

    @property
    def doubted(self) -> bool:
        return "contradicted" in (self.quotes, self.second)

    @property
    def state(self) -> State:
        """The state they decide alone: accepting takes two of them, and so does rejecting."""
        if self.votes >= 2:
            return "accepted"
        return "rejected" if self.votes <= -2 else "unresolved"

    @property
    def votes(self) -> int:
        """From -2 to 2: so many votes they are worth."""
        beside = _worth(self.second) or int(self.source == "agreed")
        return _worth(self.quotes) + beside

    def named(self) -> list[dict[str, str]]:
        """The checks that said something, as a record names who validated it."""
        verdicts = {QUOTES: self.quotes, SECOND: self.second, SOURCE: self.source}
        return [
            {
                "kind": "built_in",
                "check": name,
                "verdict": "accept" if verdict == "agreed" else "reject",
            }
            for name, verdict in verdicts.items()
            if verdict != "silent"
        ]

    def as_json(self) -> dict[str, Any]:
        return {
            QUOTES: self.quotes,
            SECOND: self.second,
            SOURCE: self.source,
            "doubted": self.doubted,
            "fields": list(self.fields),
        }

    @classmethod
    def from_json(cls, form: dict[str, Any]) -> "RecordChecks":
        return cls(
            form.get(QUOTES, "silent"),
            form.get(SECOND, "silent"),
            form.get(SOURCE, "silent"),
            tuple(form.get("fields", ())),
        )


def _worth(verdict: Verdict) -> int:
    return {"agreed": 1, "silent": 0, "contradicted": -1}[verdict]


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    verdict: Verdict
    contradicted: tuple[str, ...] = ()


def quotes(
    plan: Plan,
    data: dict[str, Any],
    provenance: Sequence[dict[str, Any]],
    text: str,
    context: Context,
    *,
    every: bool,
) -> CheckOutcome:
    """Checks that each value follows from a quote that stands where it is said to.

    With `every`, a value without a quote is contradicted.
    """
    quoted = {each["pointer"]: each for each in provenance}
    contradicted: list[str] = []
    agreed = 0
    for n, value in enumerate(values(plan, data)):
        if n >= _MOST_VALUES:
            break
        given = quoted.get(value.pointer)
        if given is None:
            contradicted += [value.pointer] if every else []
        elif not _borne_out(value, given, text, context):
            contradicted.append(value.pointer)
        else:
            agreed += 1
    if contradicted:
        return CheckOutcome("contradicted", tuple(contradicted))
    return CheckOutcome("agreed" if agreed else "silent")


def _borne_out(value: SingleValue, given: dict[str, Any], text: str, context: Context) -> bool:
    quote: str = given["quote"]
    if not text.startswith(quote, given["start"]) or not _follows(value, quote, context):
        return False
    is_text = isinstance(value.value, str) and not value.field.format and not value.field.enum
    return not is_text or stands_by_itself(value.value, text) or stands_by_itself(quote, text)


def stands_by_itself(quote: str, text: str) -> bool:
    """True if a text ends somewhere where this quote does: half of a name never does."""
    if quote[-1:] in _ENDINGS:
        return True
    at, seen = text.find(quote), 0
    while at >= 0 and seen < _MOST_PLACES:
        if not _GOES_ON.match(text, at + len(quote)):
            return True
        at, seen = text.find(quote, at + 1), seen + 1
    return False


def _follows(value: SingleValue, quote: str, context: Context) -> bool:
    """True if a value is what its quote says, by one of the transforms or as a part of it."""
    field = value.field
    read = typed(quote, field, context)
    if read is not None and same(field, read.value, value.value):
        return True
    if field.type in _CHOSEN or field.enum or field.const is not None:
        return read is None  # a choice may follow from words that no rule knows
    if not isinstance(value.value, str):
        return False
    return bool(letters(value.value)) and letters(value.value) in letters(quote)
