"""The terms of each sentence of a passage, remembered between queries."""

from functools import lru_cache

from app.engine.pages.sentences import sentences
from app.engine.text.analysis import Analyzer

# A hundred candidates per query come from few passages again and again. Some 2 KB each.
_REMEMBERED = 4096


@lru_cache(maxsize=_REMEMBERED)
def sentence_terms(
    analyzer: Analyzer, text: str, language: str | None
) -> tuple[tuple[str, ...], ...]:
    """The terms of each sentence of `text`. The text is the key, so none is ever stale."""
    return tuple(tuple(analyzer.terms(text[a:b], language)) for a, b in sentences(text, language))
