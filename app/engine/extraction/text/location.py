"""The search for a value in the text of a page, decided by its surroundings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from typing import Final

from app.engine.answer.evidence import Match
from app.engine.answer.quotes.folded_text import FoldedText, fold
from app.engine.answer.quotes.grounding import is_whole, occurrences, whole_words

MAX_QUOTE: Final = 2_000  # characters
_MOST_PLACES = 200
_CONTEXT = 64  # characters before and behind that may decide
_TELLING = 4  # of them have to agree
_UNMISTAKABLE = 12  # characters of a quote that nobody writes twice by chance

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TextSlice:
    """The slice [start, end) of a text; `exact` when the quote stands there letter by letter."""

    start: int
    end: int
    match: Match


class QuoteFinder:
    """A text in which quotes are looked for; it is folded once, and only when need be."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _folded(self) -> FoldedText:
        return fold(self.text)

    def place(
        self, quote: str, prefix: str = "", suffix: str = "", near: Span | None = None
    ) -> TextSlice | None:
        """Finds the place of a quote, exactly or else folded; None when nowhere, or nobody knows
        where.

        Of several places the one whose surroundings are like `prefix` and `suffix`, else the one
        inside `near`. A short quote that stands in several places, of which nothing decides, is
        at none: it may be there by chance.
        """
        quote = quote.strip()
        if not 0 < len(quote) <= MAX_QUOTE:
            return None
        match: Match = "exact"
        places = self._whole(occurrences(quote, self.text, most=_MOST_PLACES))
        if not places:
            match, places = "normalised", self._whole(self._alike(quote))
        chosen = self._choose(places, quote, prefix, suffix, near) if places else None
        return TextSlice(*chosen, match) if chosen else None

    def _alike(self, quote: str) -> Iterator[Span]:
        sought, page = fold(quote).text.strip(), self._folded
        found = occurrences(sought, page.text, most=_MOST_PLACES) if sought else ()
        return (span for place in found if (span := page.original(*place)))

    def _whole(self, found: Iterable[Span]) -> list[Span]:
        """The slices with their signs and percents, but for those that cut a word or a number."""
        return [whole_words(self.text, *span) for span in found if is_whole(self.text, *span)]

    def _choose(
        self, places: Sequence[Span], quote: str, prefix: str, suffix: str, near: Span | None
    ) -> Span | None:
        if len(places) == 1:
            return places[0]
        likeness = [self._likeness(span, prefix, suffix) for span in places]
        best = max(likeness)
        if best >= _TELLING and likeness.count(best) == 1:
            return places[likeness.index(best)]
        inside = [x for x in places if near and near[0] <= x[0] and x[1] <= near[1]]
        if inside:
            return inside[0]
        return places[0] if len(quote) >= _UNMISTAKABLE else None

    def _likeness(self, span: Span, prefix: str, suffix: str) -> int:
        """Counts the characters around a place that agree with what should stand there."""
        before = fold(self.text[max(0, span[0] - _CONTEXT) : span[0]]).text.rstrip()
        behind = fold(self.text[span[1] : span[1] + _CONTEXT]).text.lstrip()
        wanted_before = fold(prefix[-_CONTEXT:]).text.rstrip()
        wanted_behind = fold(suffix[:_CONTEXT]).text.lstrip()
        beside = (before[::-1], wanted_before[::-1]), (behind, wanted_behind)
        return sum(len(commonprefix(texts)) for texts in beside)  # noqa: RUF071 - of letters
