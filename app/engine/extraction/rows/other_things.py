"""The parts of a page about other things than the one that it is about."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from operator import itemgetter

from lxml.html import HtmlElement

from app.engine.extraction.schema.vocabulary import words
from app.engine.extraction.text.onetext import RANKS, OneText
from app.engine.extraction.text.spans import Span, Spans

_LONGEST_HEADING, _LONGEST_LABEL = 80, 40
_MOST_LABELS, _MOST_PARTS, _FEWEST_SHARED = 60, 3, 2
_BEFORE_KIND = (
    r"(?:other|more|next|previous|weitere|andere|nächste[rs]?|vorherige[rs]?|autres|otr[oa]s"
    r"|altr[ie]|suivante?|précédente?|siguiente|anterior|prossim[oa]|precedente)\b"
)
_MORE = re.compile(_BEFORE_KIND, re.IGNORECASE)
_HEADS_OTHERS = re.compile(
    rf"{_BEFORE_KIND}\s*(?::|$)|(?:related|similar|nearby|see also|you (?:may|might) also"
    r"|recently viewed|ähnliche|siehe auch|verwandte|voir aussi|véase)\b"
    r"|.{1,30}\b(?:similaires|similares|simili|relacionad[oa]s|correlati)$",
    re.IGNORECASE,
)


def others(page: OneText, kind: str, is_field: Callable[[str], bool]) -> Spans:
    """The parts below a heading that says so, and lists below a lesser heading that have labels of
    the list before it; `kind` is what the thing is called, `is_field` tells names of its fields."""
    return Spans(_others(page, kind, is_field))


def _others(page: OneText, kind: str, is_field: Callable[[str], bool]) -> Iterator[Span]:
    heads = [
        (start, RANKS.index(element.tag), element)
        for element, (start, _) in page.places.items()
        if element.tag in RANKS
    ]
    for at, (start, rank, element) in enumerate(heads):
        text = page.of(element)
        if rank and _heads_others(text, kind) and not is_field(text):
            following = (heads[n][0] for n in range(at + 1, len(heads)) if heads[n][1] <= rank)
            yield start, min(next(following, page.visible_end), page.section_end(element))
    known: dict[str, tuple[int, int]] = {}
    for element, (start, end) in page.places.items():
        labels = _labels(page, element)
        at = bisect_right(heads, start, key=itemgetter(0)) - 1 if labels else -1
        if at < 0:
            continue
        shared = Counter(known[label] for label in labels if label in known)
        for (before, rank), often in shared.most_common(1):
            if often >= _FEWEST_SHARED and rank < heads[at][1] and before < heads[at][0]:
                yield heads[at][0], end
        for label in labels:
            known.setdefault(label, (end, heads[at][1]))


def _heads_others(text: str, kind: str) -> bool:
    """True for a heading of what is related, or of more things of a kind."""
    if len(text) > _LONGEST_HEADING:
        return False
    more = _MORE.match(text)
    named = " ".join(text[more.end() :].split()[: len(kind.split())]) if more and kind else ""
    return bool(named and words(named) == words(kind)) or bool(_HEADS_OTHERS.match(text))


def _labels(page: OneText, element: HtmlElement) -> frozenset[str]:
    """The labels of a list of properties: its terms, or what its rows begin with."""
    firsts: list[HtmlElement] = []
    if element.tag == "dl":
        firsts = [child for child in element if child.tag == "dt"]
    elif 1 < len(element) <= _MOST_LABELS:
        firsts = [row[0] for row in element if _is_property(row, page)]
    slices = (page.places.get(each, (0, 0)) for each in firsts)
    return frozenset(
        page.text[start:end].rstrip(" :：")
        for start, end in slices
        if start < end <= start + _LONGEST_LABEL
    )


def _is_property(row: HtmlElement, page: OneText) -> bool:
    """True for a row of a few parts, the first of which is no heading."""
    few = 0 < len(row) <= _MOST_PARTS and row[0].tag not in RANKS
    return few and page.places.get(row[0]) != page.places.get(row)
