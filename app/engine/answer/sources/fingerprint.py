"""A page's simhash as it is stored with the page: of its beginning, at a bounded price."""

from app.engine.text.analysis import Analyzer
from app.engine.text.simhash import simhash

_MOST_TERMS = 1_000
_MOST_CHARACTERS = 12_000


def fingerprint(text: str, language: str | None, analyzer: Analyzer) -> str:
    """The simhash of the first thousand terms of `text` as 16 hexadecimal digits."""
    terms = analyzer.terms(text[:_MOST_CHARACTERS], language)[:_MOST_TERMS]
    return f"{simhash(terms):016x}"
