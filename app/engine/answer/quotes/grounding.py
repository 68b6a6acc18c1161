"""A model's quote found again in the stored page, or not: only what stands there is ever quoted."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from app.engine.answer.quotes.folded_text import FoldedText, fold, tokens
from app.engine.text.scripts import UNSPACED_RUN, WORD

# Tight on purpose: an aligned quote holds nine of ten words of the model's, and hardly any other.
COVERAGE, DENSITY = 0.9, 0.8
MAX_QUOTE = 1000  # code points of a model's quote; it was asked for 300
MAX_WORDS = 120  # of a quote that may be aligned
WINDOWS = 4  # places of a page where a quote is tried word by word
STEPS = 1_000_000  # of alignment for one answer; what is beyond is not aligned
_TRIES = 50  # places where the folded quote is looked at
_REACH = 40  # code points a quote may be widened on each side, to whole words

_WRAPPING = " \t\n\"'“”„«»‘’…"
_IN_WORD = re.compile(rf"[{WORD}]")
_IN_NUMBER = re.compile(r"(?<=\d)[.,:'’](?=\d)")
_SIGN = re.compile(r"(?<![\w.,)\]}%])[-−+$€£¥](?=[$€£¥]?\d)")
_AFTER_NUMBER = re.compile(r"\s?[%‰°]")


Match = Literal["exact", "normalised"]


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """The place of a quote: the slice [start, end) of the snapshot, in code points.

    `exact` when the slice is the model's quote letter by letter.
    """

    start: int
    end: int
    match: Match


class Grounding:
    """Finds quotes in snapshots; folds a snapshot once, and bounds the work of one answer.

    `steps` counts what word-by-word alignment has cost so far.
    """

    def __init__(self) -> None:
        self._folded: dict[str, FoldedText] = {}
        self._words: dict[str, list[tuple[str, int, int]]] = {}
        self.steps = 0

    def locate(
        self, quote: str, snapshot: str, shown: Sequence[tuple[int, int]] = ()
    ) -> QuotePlace | None:
        """The quote's place: exactly, else folded, else by tight alignment; None when nowhere.

        Of several places the first inside `shown` (slices of the snapshot) is taken that cuts no
        word. The slice is widened to whole words and numbers, so that "5 people" never cites
        "15 people". A quote of one word says nothing.
        """
        wanted = quote.strip(_WRAPPING)[: MAX_QUOTE + 1]
        if not wanted or len(wanted) > MAX_QUOTE:
            return None
        found = (
            _exact(wanted, snapshot, shown)
            or self._folded_place(wanted, snapshot, shown)
            or self._aligned(wanted, snapshot, shown)
        )
        if found is None:
            return None
        start, end = whole_words(snapshot, *found)
        if not _says_something(snapshot[start:end]):
            return None
        return QuotePlace(start, end, "exact" if snapshot[start:end] == wanted else "normalised")

    def _folded_place(
        self, wanted: str, snapshot: str, shown: Sequence[tuple[int, int]]
    ) -> tuple[int, int] | None:
        page, sought = self._fold(snapshot), fold(wanted).text.strip()
        if not sought:
            return None
        best: tuple[int, int] | None = None
        seen: tuple[int, int] | None = None
        at = page.text.find(sought)
        for _ in range(_TRIES):
            if at < 0:
                break
            place = page.original(at, at + len(sought))
            if place and _inside(place, shown):
                if is_whole(snapshot, *place):
                    return place
                seen = seen or place
            best = best or place
            at = page.text.find(sought, at + 1)
        return seen or best

    def _aligned(
        self, wanted: str, snapshot: str, shown: Sequence[tuple[int, int]]
    ) -> tuple[int, int] | None:
        """Word by word, and only where the model saw the page."""
        sought = [word for word, _, _ in tokens(fold(wanted).text)]
        if not 3 <= len(sought) <= MAX_WORDS:
            return None
        page, width = self._fold(snapshot), int(len(sought) / DENSITY)
        for words in self._seen(snapshot, shown):
            if self.steps + len(words) > STEPS:
                return None
            self.steps += len(words)
            for begin in _windows([word for word, _, _ in words], sought, width):
                near = words[begin : begin + width]
                self.steps += len(near) * len(sought)
                span = _align([word for word, _, _ in near], sought)
                if span:
                    return page.original(near[span[0]][1], near[span[1]][2])
        return None

    def _seen(
        self, snapshot: str, shown: Sequence[tuple[int, int]]
    ) -> Iterator[list[tuple[str, int, int]]]:
        """The words of each slice that was shown; all words when none is named."""
        page, words = self._fold(snapshot), self._tokens(snapshot)
        for start, end in shown or [(0, len(snapshot))]:
            low = bisect_left(words, start, key=lambda word: page.starts[word[1]])
            high = bisect_left(words, end, key=lambda word: page.starts[word[1]])
            yield words[low:high]

    def _fold(self, snapshot: str) -> FoldedText:
        if snapshot not in self._folded:
            self._folded[snapshot] = fold(snapshot)
        return self._folded[snapshot]

    def _tokens(self, snapshot: str) -> list[tuple[str, int, int]]:
        if snapshot not in self._words:
            self._words[snapshot] = tokens(self._fold(snapshot).text)
        return self._words[snapshot]


def _exact(wanted: str, snapshot: str, shown: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    for low, high in (*shown, (0, len(snapshot))):
        places = list(islice(_occurrences(wanted, snapshot, low, high), _TRIES))
        if places:
            return next((x for x in places if is_whole(snapshot, *x)), places[0])
    return None


def _occurrences(wanted: str, snapshot: str, low: int, high: int) -> Iterator[tuple[int, int]]:
    at = snapshot.find(wanted, low, high)
    while at >= 0:
        yield at, at + len(wanted)
        at = snapshot.find(wanted, at + 1, high)


def _inside(place: tuple[int, int], shown: Sequence[tuple[int, int]]) -> bool:
    return not shown or any(start <= place[0] and place[1] <= end for start, end in shown)


def _windows(words: Sequence[str], sought: Sequence[str], width: int) -> list[int]:
    """Finds the starts of windows of `width` words that hold enough of the sought words, fullest
    first.

    One walk over the page: a word enters on the right, one leaves on the left.
    """
    need = Counter(sought)
    held: Counter[str] = Counter()
    least, common = COVERAGE * len(sought), 0
    full: list[tuple[int, int]] = []
    for right, word in enumerate(words):
        if word in need:
            held[word] += 1
            common += held[word] <= need[word]
        left = right - width
        if left >= 0 and words[left] in need:
            common -= held[words[left]] <= need[words[left]]
            held[words[left]] -= 1
        if common >= least:
            full.append((-common, max(0, left + 1)))
    chosen: list[int] = []
    for _, begin in sorted(full):
        if all(abs(begin - other) >= width // 2 for other in chosen):
            chosen.append(begin)
        if len(chosen) == WINDOWS:
            break
    return chosen


def _align(words: Sequence[str], sought: Sequence[str]) -> tuple[int, int] | None:
    """First and last word of the longest common subsequence, when it is tight enough."""
    rows = [[0] * (len(sought) + 1)]
    for word in words:
        above = rows[-1]
        row = [0]
        for j, other in enumerate(sought):
            row.append(above[j] + 1 if word == other else max(above[j + 1], row[j]))
        rows.append(row)
    length = rows[-1][-1]
    if length < COVERAGE * len(sought):
        return None
    i, j, matched = len(words), len(sought), []
    while i and j:
        if words[i - 1] == sought[j - 1]:
            matched.append(i - 1)
            i, j = i - 1, j - 1
        elif rows[i - 1][j] >= rows[i][j - 1]:
            i -= 1
        else:
            j -= 1
    first, last = matched[-1], matched[0]
    return (first, last) if length >= DENSITY * (last - first + 1) else None


def whole_words(snapshot: str, start: int, end: int) -> tuple[int, int]:
    """The slice, widened by a few characters so that no word, number or mark is cut."""
    low, high = max(0, start - _REACH), min(len(snapshot), end + _REACH)
    while start > low and _joined(snapshot, start):
        start -= 1
    while end < high and _joined(snapshot, end):
        end += 1
    if start > low and _SIGN.match(snapshot, start - 1):
        start -= 1
    if after := _AFTER_NUMBER.match(snapshot, end):
        end = after.end() if snapshot[end - 1].isdigit() else end
    return start, end


def is_whole(snapshot: str, start: int, end: int) -> bool:
    """True if a slice cuts no word and no number; signs may stand around it."""
    first, last = whole_words(snapshot, start, end)
    return not any(x.isalnum() for x in snapshot[first:start] + snapshot[end:last])


def _joined(snapshot: str, at: int) -> bool:
    """True if a cut before position `at` would go through a word, a number or a character."""
    before, after = snapshot[at - 1], snapshot[at]
    if unicodedata.category(after).startswith("M") or "\u200d" in (before, after):
        return True
    if _IN_NUMBER.match(snapshot, at) or _IN_NUMBER.match(snapshot, at - 1):
        return True
    if not (_IN_WORD.match(before) and _IN_WORD.match(after)):
        return False
    if before.isdigit() and after.isdigit():
        return True
    return not (UNSPACED_RUN.match(before) or UNSPACED_RUN.match(after))


def _says_something(quote: str) -> bool:
    """Two words at least, or four signs of a script without spaces."""
    found = tokens(quote)
    unspaced = sum(len(run) for run in UNSPACED_RUN.findall(quote))
    return len(found) >= 2 or unspaced >= 4
