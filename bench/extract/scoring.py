"""Whether a value is the true one, and precision, recall and F1 of fields.

Texts are compared after NFKC, case folding and leaving out all but letters and digits; numbers may
differ by 0.06, because the true ones are rounded; of yields the first number counts, of a category
its parts in any order, of an image its address without scheme and query. A list scores the F1 of
its items as a bag, 1 if all of it is right.
"""

import html
import re
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Tally:
    """Values that are right, wrong, missing; a list counts in parts."""

    right: float = 0.0
    wrong: float = 0.0
    missing: float = 0.0

    def add(self, right: float, wrong: float, missing: float) -> None:
        self.right += right
        self.wrong += wrong
        self.missing += missing

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right else 0.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missing) if self.right else 0.0

    @property
    def f1(self) -> float:
        total = 2 * self.right + self.wrong + self.missing
        return 2 * self.right / total if self.right else 0.0


@dataclass(slots=True)
class Scores:
    """Tallies by field, by site and field, and by the method that read the value; and of the values
    that are sure."""

    fields: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    sites: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    methods: dict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))

    sure: Tally = field(default_factory=Tally)

    def add(
        self,
        site: str,
        truth: Mapping[str, Any],
        data: Mapping[str, Any],
        methods: Mapping[str, str],
        sure: Collection[str] = (),
    ) -> None:
        for name, true in truth.items():
            counted = judged(name, data.get(name), true)
            self.fields[name].add(*counted)
            self.sites[site].add(*counted)
            self.methods[methods.get(name, "nothing")].add(*counted)
            if name in sure:
                self.sure.add(*counted)

    @property
    def macro(self) -> float:
        """The mean F1 of the fields."""
        return sum(each.f1 for each in self.fields.values()) / max(1, len(self.fields))

    @property
    def all(self) -> Tally:
        total = Tally()
        for each in self.fields.values():
            total.add(each.right, each.wrong, each.missing)
        return total


def judged(name: str, value: Any, true: Any) -> tuple[float, float, float]:
    """How much of the value is right, wrong, missing."""
    if value in (None, "", []):
        return 0.0, 0.0, 1.0
    if isinstance(value, list):
        right = _bags(name, value, true if isinstance(true, list) else [true])
        return right, 1 - right, 1 - right
    right = float(is_right(name, value, true))
    return right, 1 - right, 1 - right


def in_turn(wanted: Iterable[Any], names: Iterable[Any]) -> list[int | None]:
    """For each name its place among those that are `wanted`, or None; of several that are the same
    each once, in order: two people on a page may be called the same."""
    places: dict[str, deque[int]] = defaultdict(deque)
    for at, each in enumerate(wanted):
        places[folded(each)].append(at)
    return [waiting.popleft() if (waiting := places[folded(name)]) else None for name in names]


def is_right(name: str, value: Any, true: Any) -> bool:
    if isinstance(true, list):
        return any(is_right(name, value, each) for each in true)
    if isinstance(true, int | float):
        return isinstance(value, int | float) and abs(value - true) <= 0.06
    if name == "yields":
        ours, theirs = (re.search(r"\d+", str(each)) for each in (value, true))
        return bool(ours and theirs and ours[0] == theirs[0])
    if name == "image":
        return _address(value) == _address(true)
    if name == "category":
        return _parts(value) == _parts(true) or folded(value) == folded(true)
    return folded(value) == folded(true)


def folded(value: Any) -> str:
    text = unicodedata.normalize("NFKC", html.unescape(str(value))).casefold()
    return re.sub(r"[\W_]+", "", text)


def _bags(name: str, value: Iterable[Any], true: Iterable[Any]) -> float:
    ours, theirs = (Counter(filter(None, map(folded, each))) for each in (value, true))
    if name == "instructions" and "".join(map(folded, value)) == "".join(map(folded, true)):
        return 1.0
    shared = (ours & theirs).total()
    return 2 * shared / (ours.total() + theirs.total()) if shared else 0.0


def _address(value: Any) -> str:
    return re.sub(r"^https?:", "", str(value)).partition("?")[0]


def _parts(value: Any) -> set[str]:
    return {folded(part) for part in str(value).split(",")}
