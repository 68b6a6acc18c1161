"""The changes in the text of a page between two fetches, without a schema to say what matters.

Lines are compared as a bag: their order says nothing. Relative times, counters and the day of the
fetch are masked. What differs between two fetches of one moment is noise, and is remembered by the
place it stands at.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from app.engine.extraction.changes.masks import dayless, timeless
from app.engine.extraction.changes.page_lines import PageLine, PageLines

MOST_BYTES = 20_000
FORGOTTEN_AFTER = 20
"""A place that kept still for so many runs is noise no more."""

_ALIKE, _MOST_PAIRED = 0.55, 50
_MOST_KEYS = 2_000
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Difference:
    """Lines that one fetch has and the other has not, each as often as they differ."""

    lost: tuple[PageLine, ...] = ()
    gained: tuple[PageLine, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.lost or self.gained)

    @property
    def replaces(self) -> bool:
        """True if a line became another that is like it, rather than only coming or going."""
        return bool(self._became())

    @property
    def fingerprint(self) -> frozenset[str]:
        """The keys that stand for each of the lines until the next run."""
        return frozenset(_key(line) for line in (*self.lost, *self.gained))

    def unified(self) -> str:
        """The lines that differ: `- ` before those that went, `+ ` before those that came.

        A line stands above the one it became. At most 20 kB; how many more differ is said.
        """
        rows: list[str] = []
        size, count = 40, len(self.lost) + len(self.gained)
        for row in self._rows():
            size += len(row.encode()) + 1
            if size > MOST_BYTES:
                return "\n".join([*rows, f"... {count - len(rows)} more"])
            rows.append(row)
        return "\n".join(rows)

    def _rows(self) -> Iterator[str]:
        became = self._became()
        for at, old in enumerate(self.lost):
            yield f"- {old.text}"
            if at in became:
                yield f"+ {self.gained[became[at]].text}"
        shown = set(became.values())
        yield from (f"+ {new.text}" for at, new in enumerate(self.gained) if at not in shown)

    def _became(self) -> dict[int, int]:
        """Lines that went, by place, each with the place of one that came and is like it.

        The most alike are paired first, and none twice.
        """
        old, new = (
            [_pairs_of_letters(line.text) for line in lines[:_MOST_PAIRED]]
            for lines in (self.lost, self.gained)
        )
        alike = sorted(
            (-likeness, went, came)
            for went, ours in enumerate(old)
            for came, theirs in enumerate(new)
            if (likeness := _likeness(theirs, ours)) >= _ALIKE
        )
        paired: dict[int, int] = {}
        for _, went, came in alike:
            if went not in paired and came not in paired.values():
                paired[went] = came
        return paired


@dataclass(frozen=True, slots=True)
class Noise:
    """The places of a page at which fetches differ although nothing changed.

    `runs` is the last run in which each wobbled, by key: a place, or one kind of line at a place.
    """

    runs: Mapping[str, int]

    def covers(self, line: PageLine) -> bool:
        return line.place in self.runs or _key(line) in self.runs

    def learn(self, first: PageLines, second: PageLines, run: int) -> "Noise":
        """Returns the noise, now that two fetches of one moment are known to differ so.

        One line among many that keep still is learnt by its words, lest its neighbours go unseen.
        """
        wobble = differing(first, second, QUIET)
        at = Counter(line.place for line in {*first.lines, *second.lines})
        keys: dict[str, set[str]] = {}
        for line in (*wobble.lost, *wobble.gained):
            keys.setdefault(line.place, set()).add(_key(line))
        learnt = dict(self.runs)
        for place, of_place in keys.items():
            whole = len(of_place) > 1 and 2 * len(of_place) >= at[place]
            learnt.update(dict.fromkeys([place] if whole else sorted(of_place), run))
        newest = sorted(learnt.items(), key=lambda item: -item[1])[:_MOST_KEYS]
        return Noise(dict(newest))

    def flapped(self, keys: Iterable[str], run: int) -> "Noise":
        """With lines that had come or gone in one run, and not any more in the next."""
        return Noise({**self.runs, **dict.fromkeys(keys, run)})

    def at(self, run: int) -> "Noise":
        """Without the places that have kept still for long."""
        return Noise({key: last for key, last in self.runs.items() if run - last < FORGOTTEN_AFTER})

    @property
    def places(self) -> list[str]:
        """The places where edits are not seen, for people."""
        return sorted({key.partition("\t")[0] for key in self.runs})


QUIET = Noise({})


def differing(before: PageLines, after: PageLines, noise: Noise) -> Difference:
    """Returns what `after` lacks of `before`, and what it has beyond it, outside of `noise`."""
    lost = [(line, timeless(line.text)) for line in before.lines if not noise.covers(line)]
    gained = [(line, timeless(line.text)) for line in after.lines if not noise.covers(line)]
    lost, gained = _unmatched(lost, gained)
    # Only now: a date that stays while the days go by is not to differ, nor is today's.
    lost, gained = _unmatched(_dayless(lost, before), _dayless(gained, after))
    return Difference(tuple(line for line, _ in lost), tuple(line for line, _ in gained))


_Compared = list[tuple[PageLine, str]]


def _dayless(compared: _Compared, page: PageLines) -> _Compared:
    return [(line, dayless(text, page.day, page.language)) for line, text in compared]


def _unmatched(lost: _Compared, gained: _Compared) -> tuple[_Compared, _Compared]:
    """Both sides as bags of texts, without what they share."""
    old, new = Counter(text for _, text in lost), Counter(text for _, text in gained)
    return _beyond(lost, old - new), _beyond(gained, new - old)


def _beyond(compared: _Compared, surplus: Counter[str]) -> _Compared:
    """The lines with the texts of `surplus`, each as often as it is there."""
    kept = []
    for line, text in compared:
        if surplus[text] > 0:
            surplus[text] -= 1
            kept.append((line, text))
    return kept


def _pairs_of_letters(text: str) -> Counter[str]:
    text = timeless(text)
    return Counter(map("".join, pairwise(text))) or Counter([text])


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Sørensen's coefficient, for it takes linear time on whatever a page holds."""
    return 2 * (one & other).total() / (one.total() + other.total())


def _key(line: PageLine) -> str:
    """Returns what is learnt of a line: its place, and its words without their digits."""
    return f"{line.place}\t{_digest(_DIGITS.sub('#', timeless(line.text)))}"


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
