"""The cited sources of an answer as cards: what each is, how old it is, and what it says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from app.web.citations.text_blocks import visible
from app.web.pages.search.answer_view import CitationView

_MOST_CHARACTERS: Final = 240


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A source with its first citation. `said` are the words of it that answer, on one line."""

    key: str
    source: Mapping[str, Any]
    said: Markup
    weak: bool


def source_cards(quotes: Sequence[CitationView]) -> list[SourceCard]:
    """One for each source that is cited, in the order of the answer."""
    first: dict[int, CitationView] = {}
    for quote in quotes:
        first.setdefault(quote.source["n"], quote)
    return [SourceCard(each.key, each.source, _said(each), each.weak) for each in first.values()]


def _said(quote: CitationView) -> Markup:
    before, lead, behind = quote.parts()
    words = " ".join((lead or before + behind)[: 2 * _MOST_CHARACTERS].split())
    cut = f"{words[:_MOST_CHARACTERS].rstrip()}…" if len(words) > _MOST_CHARACTERS else words
    return visible(cut)
