"""Quoted phrases: which terms a passage must hold to hold one, and whether it does."""

import re

from app.engine.search.interface import IndexedPassage
from app.engine.search.query import Query, fold
from app.engine.text import analysis

_QUOTES = re.compile(r"[\"“”„«»]")


def readings(query: Query) -> list[list[tuple[str, ...]]]:
    """For each phrase its terms, once for each language in which they differ.

    A phrase of function words alone has none and is left out.
    """
    as_typed = {fold(piece): piece for piece in _QUOTES.split(query.text)}
    read = [
        dict.fromkeys(
            tuple(analysis.terms(as_typed.get(phrase, phrase), code)) for code in query.by_language
        )
        for phrase in query.phrases
    ]
    return [[terms for terms in found if terms] for found in read if any(found)]


def holds(passage: IndexedPassage, query: Query) -> bool:
    """True if every phrase of the query occurs in the passage, its title or its headings."""
    text = fold(passage.indexed_text)
    return all(phrase in text for phrase in query.phrases)
