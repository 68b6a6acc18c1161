"""Text that quotes the question instead of answering it."""

from app.engine.search.query import fold
from app.engine.text import analysis

_FEWEST_TERMS = 3
_OPENS, _CLOSES = "\"“„«'‘`>", "\"”“»'’`"


def restates(text: str, question: str) -> bool:
    """True if a text quotes the question: an example of a call, a list of what to ask."""
    asked = fold(question).rstrip("?.! ")
    if asked.rpartition(" ")[2] not in text.casefold():  # most texts end here, at little cost
        return False
    plain = fold(text)
    at = plain.find(asked)
    if at < 0 or len(analysis.terms(asked, None)) < _FEWEST_TERMS:
        return False
    before, after = plain[:at].rstrip()[-1:], plain[at + len(asked) :].lstrip("?.! ")[:1]
    return bool(before) and bool(after) and before in _OPENS and after in _CLOSES
