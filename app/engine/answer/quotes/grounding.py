"""A model's quote found again in the stored page, or not: only what stands there is ever quoted."""

import re
import unicodedata
from dataclasses import dataclass

from app.engine.answer.evidence import Match
from app.engine.answer.quotes.folded_text import FoldedText, fold, tokens
from app.engine.text.scripts import UNSPACED_RUN, WORD

MAX_QUOTE = 1000  # code points of a model's quote; it was asked for 300
_TRIES = 50  # places of a page where a quote is looked at
_REACH = 40  # code points a quote may be widened on each side, to whole words

_WRAPPING = " \t\n\"'“”„«»‘’…"
_IN_WORD = re.compile(rf"[{WORD}]")
_IN_NUMBER = re.compile(r"(?<=\d)[.,:'’](?=\d)")
_SIGN = re.compile(r"(?<![\w.,)\]}%])[-−+$€£¥](?=[$€£¥]?\d)")
_AFTER_NUMBER = re.compile(r"\s?[%‰°]")


@dataclass(frozen=True, slots=True)
class QuotePlace:
    """The place of a quote: the slice [start, end) of the snapshot, in code points.

    `exact` when the slice is the model's quote letter by letter.
    """

    start: int
    end: int
    match: Match


class Grounding:
    """Finds quotes in snapshots; folds a snapshot once."""

    def __init__(self) -> None:
        self._folded: dict[str, FoldedText] = {}

    def locate(
        self, quote: str, snapshot: str, shown: tuple[int, int] | None = None
    ) -> QuotePlace | None:
        """The quote's place: letter by letter, else folded; None when nowhere.

        Of several places the first inside `shown` (a slice of the snapshot) is taken that cuts no
        word. The slice is widened to whole words and numbers, so that "5 people" never cites
        "15 people". A quote of one word says nothing.
        """
        wanted = quote.strip(_WRAPPING)[: MAX_QUOTE + 1]
        if not wanted or len(wanted) > MAX_QUOTE:
            return None
        low, high = shown or (0, len(snapshot))
        places = (
            occurrences(wanted, snapshot, low, high)
            or occurrences(wanted, snapshot)
            or self._alike(wanted, snapshot)
        )
        if not places:
            return None
        best = min(places, key=lambda x: (x[0] < low or x[1] > high, not is_whole(snapshot, *x)))
        start, end = whole_words(snapshot, *best)
        if not _says_something(snapshot[start:end]):
            return None
        return QuotePlace(start, end, "exact" if snapshot[start:end] == wanted else "normalised")

    def _alike(self, wanted: str, snapshot: str) -> list[tuple[int, int]]:
        """The places where the page says the same in other signs."""
        if snapshot not in self._folded:
            self._folded[snapshot] = fold(snapshot)
        page, sought = self._folded[snapshot], fold(wanted).text.strip()
        if not sought:
            return []
        found = (page.original(a, b) for a, b in occurrences(sought, page.text))
        return [place for place in found if place]


def occurrences(
    wanted: str, text: str, low: int = 0, high: int | None = None, most: int = _TRIES
) -> list[tuple[int, int]]:
    """The first places of a text that is not empty, which may overlap."""
    found: list[tuple[int, int]] = []
    at = text.find(wanted, low, high)
    while at >= 0 and len(found) < most:
        found.append((at, at + len(wanted)))
        at = text.find(wanted, at + 1, high)
    return found


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
