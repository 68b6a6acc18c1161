"""The knowledge of a site's pages: where the values of a field stand, and what is no value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from app.engine.extraction.records.readings import FieldReading, probable
from app.engine.extraction.text import forms
from app.engine.extraction.text.slices import letters
from app.engine.extraction.values.calibration import of_example, of_site

_MOST_FIELDS = 400
_MOST_REGIONS = 20
_MOST_PATHS = 200
_MOST_CONSTANTS = 1_000
_CONTEXT_CHARACTERS = 32
PRIOR = 0.9  # how sure a value is that stands where an example shows it
LONGEST_AFFIX = 100
MOST_AFFIXES = 5
_TAUGHT_FROM = 0.5  # less than that is no value: it does not stand as it does in the example
_BEHIND = 0.01
_MARKS = tuple("\n|»›•·")
CONSTANT = 0.2
"""What is left of the confidence in a value that is text of the template."""


@dataclass(frozen=True, slots=True)
class Habit(forms.JsonForm):
    """The way the pages of a site give one field.

    `support` is by path, and by kind of path, how sure and how usual a value there is on the
    site, from 0 to 1;
    `shown` by path how sure a value there is because an example shows it there, `read` because
    another method reads the example's value. `constants` are the
    digests of values that are the same on every page, `before` and `after` by path what the
    template puts around the value there.
    """

    support: Mapping[str, float] = field(default_factory=dict)
    shown: Mapping[str, float] = field(default_factory=dict)
    read: Mapping[str, float] = field(default_factory=dict)
    constants: frozenset[str] = frozenset()
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def from_json(cls, form: object) -> "Habit":
        def weight(value: Any) -> float:
            return forms.share({"": value}, "")

        def digest(value: Any) -> str:
            return forms.text({"": value}, "", 32)

        return cls(
            forms.mapped(form, "support", weight, _MOST_PATHS),
            forms.mapped(form, "shown", weight, _MOST_PATHS),
            forms.mapped(form, "read", weight, _MOST_PATHS),
            frozenset(forms.listed(form, "constants", digest, _MOST_CONSTANTS)),
            forms.mapped(form, "before", _affixes, _MOST_PATHS),
            forms.mapped(form, "after", _affixes, _MOST_PATHS),
        )


@dataclass(frozen=True, slots=True)
class Template(forms.JsonForm):
    """The habits of a site by pointer of the field.

    `rows` is by path of a region, whose rows are records of their own, the places of the fields
    within a row, by pointer.
    """

    habits: Mapping[str, Habit] = field(default_factory=dict)
    rows: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def paths(self, pointer: str) -> Mapping[str, float]:
        """The places where an example shows the values of a field, each with its likelihood."""
        return self.habits[pointer].shown if pointer in self.habits else {}

    def untaught(self) -> list[str]:
        """Returns the pointers of the fields whose values an example has and its page does not show
        anywhere.
        """
        return [
            pointer
            for pointer, habit in self.habits.items()
            if not (habit.support or habit.shown or habit.read)
        ]

    def weighed(self, pointer: str, readings: Sequence[FieldReading]) -> Sequence[FieldReading]:
        """The readings of a field, best first, each as sure as it is on this site."""
        habit = self.habits.get(pointer)
        if habit is None or not readings:
            return readings
        ranks = _below_taught(habit, readings, [_rank(habit, reading) for reading in readings])
        order = sorted(range(len(readings)), key=lambda at: -ranks[at])
        return probable(
            [_bare(habit, readings[at]) for at in order],
            [_evidence(habit, readings[at], ranks[at]) for at in order],
        )

    def of_rows(self) -> "Template":
        """Returns what of it holds for each of several records on a page: the places that an
        example shows. What pages about one thing have in common says nothing of lists.
        """
        shown = {
            pointer: replace(habit, support={}, constants=frozenset())
            for pointer, habit in self.habits.items()
            if habit.shown or habit.read
        }
        return Template(shown, self.rows)

    def joined(self, other: "Template") -> "Template":
        """Joins what both know: `other` was learnt from other pages of the same site."""
        habits = dict(self.habits)
        for pointer, habit in other.habits.items():
            mine = habits.get(pointer, Habit())
            habits[pointer] = Habit(
                {**mine.support, **habit.support},
                {**mine.shown, **habit.shown},
                {**mine.read, **habit.read},
                mine.constants | habit.constants,
                {**mine.before, **habit.before},
                {**mine.after, **habit.after},
            )
        return Template(habits, {**self.rows, **other.rows})

    @classmethod
    def from_json(cls, form: object) -> "Template":
        """Raises Malformed."""
        return cls(
            forms.mapped(form, "habits", Habit.from_json, _MOST_FIELDS),
            forms.mapped(form, "rows", _places, _MOST_REGIONS),
        )


def _places(form: object) -> dict[str, str]:
    return forms.mapped({"": form}, "", lambda each: forms.text({"": each}, ""), _MOST_FIELDS)


def _affixes(form: object) -> tuple[str, ...]:
    return forms.listed(
        {"": form}, "", lambda each: forms.text({"": each}, "", LONGEST_AFFIX), MOST_AFFIXES
    )


def _rank(habit: Habit, reading: FieldReading) -> float:
    """Rates how sure a reading is on this site."""
    if shown := habit.shown.get(reading.path) or habit.read.get(reading.path):
        return max(reading.confidence, shown) if _fits(habit, reading) else CONSTANT * shown
    if not habit.support:
        return reading.confidence
    own = reading.confidence
    if _is_constant(habit, reading):
        own *= CONSTANT
    # A place that is not usual says nothing against a value: the page may be of another making.
    return min(0.99, max(own, 0.5 * own + 0.5 * _usual(habit, reading)))


def _is_constant(habit: Habit, reading: FieldReading) -> bool:
    return digest(reading.value) in habit.constants


def _usual(habit: Habit, reading: FieldReading) -> float:
    return max(habit.support.get(path, 0.0) for path in (reading.path, kind_of(reading.path)))


def _evidence(habit: Habit, reading: FieldReading, rank: float) -> Mapping[str, float] | None:
    if reading.path in habit.shown or reading.path in habit.read:
        return of_example(rank)
    if not habit.support:
        return None
    constant, usual = _is_constant(habit, reading), _usual(habit, reading)
    own = reading.confidence * (CONSTANT if constant else 1.0)
    return of_site(own, usual, constant=constant) if constant or usual else None


def _below_taught(
    habit: Habit, readings: Sequence[FieldReading], ranks: Sequence[float]
) -> Sequence[float]:
    """The ranks, none above the best of a reading that stands where the example has the value."""
    taught = [each.path in habit.shown or each.path in habit.read for each in readings]
    best = max(
        (rank for rank, is_taught in zip(ranks, taught, strict=True) if is_taught), default=0
    )
    if best < _TAUGHT_FROM:
        return ranks
    most = best - _BEHIND
    return [rank if is_one else min(rank, most) for rank, is_one in zip(ranks, taught, strict=True)]


def kind_of(path: str) -> str:
    """Name and element: the same for places that differ only in their surroundings."""
    return path.partition("<")[0]


def _fits(habit: Habit, reading: FieldReading) -> bool:
    """True if what stands around the value is what the example has there."""
    before, after = (
        tuple(each for each in known.get(reading.path, ()) if any(map(str.isalnum, each)))
        for known in (habit.before, habit.after)  # marks alone may have been left out
    )
    if before and not reading.quote.startswith(before):
        return False
    return not after or reading.quote.endswith(after) or after[0].lstrip(" ")[:1] in _MARKS


def _bare(habit: Habit, reading: FieldReading) -> FieldReading:
    """A reading of text without what the template puts around it."""
    quote = reading.quote
    before = next((x for x in habit.before.get(reading.path, ()) if quote.startswith(x)), "")
    after = next((x for x in habit.after.get(reading.path, ()) if quote.endswith(x)), "")
    start, end = len(before), len(quote) - len(after)
    bare = quote[start:end]
    if not (before or after) or not bare or bare.strip() != bare:
        return reading
    if " ".join(quote.split()) != reading.value:
        return reading
    return replace(
        reading,
        value=" ".join(bare.split()),
        quote=bare,
        start=reading.start + start,
        end=reading.start + end,
        prefix=(reading.prefix + before)[-_CONTEXT_CHARACTERS:],
        suffix=(after + reading.suffix)[:_CONTEXT_CHARACTERS],
    )


def digest(value: Any) -> str:
    """Returns the digest that stands for a value in a template."""
    return blake2b(letters(str(value)).encode(), digest_size=8).hexdigest()
