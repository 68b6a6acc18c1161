"""People: lines that begin with "by", and names without such words."""

import re

from app.engine.extraction.methods.candidates import FieldCandidate, of_page
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_LINE_PRIOR = 0.55
_LONGEST_NAME = 60
_MOST = 10
_BY = re.compile(
    r"(?:(?:(?:written|posted|published|created|submitted|shared|added|recipe|article|text|photos?|"
    r"verfasst|geschrieben|escrito|scritto|écrit|publié|publicado)\s+){0,3}"
    r"(?:by|von|par|por|door|av|af|di|autor|author|auteur)\b[ :]*)+(?=\w)",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\s+(?:says|said|sagt|dit|dice|schreef|wrote)\s*:?$", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:https?:)?//|www\.|[/#]\S*$", re.IGNORECASE)
_AFTER = re.compile(r"\s*[|•·]")


def named(page: OneText) -> list[FieldCandidate]:
    """Lines that say by whom the page is."""
    candidates: list[FieldCandidate] = []
    for element, (start, end) in page.places.items():
        if end - start <= _LONGEST_NAME and (match := _BY.match(page.text, start, end)):
            leaf = Leaf(match.end(), end, None, element)
            if page.text[match.end()].isupper() and len(element) <= 2:
                candidates.append(of_page("author", (leaf,), "text", _LINE_PRIOR))
    return candidates[:_MOST]


def is_name(quote: str) -> bool:
    """True if a slice may name somebody, and is not the address of a page about them."""
    return not _ADDRESS.match(quote)


def without_preposition(page: OneText, leaf: Leaf) -> Leaf:
    """A slice without the "by" before a name and the "says", or what a mark parts, after it."""
    start, end = leaf.start, leaf.end
    if match := _BY.match(page.text, start, end):
        start = match.end()
    if "\n" not in page.text[start:end] and (match := _AFTER.search(page.text, start + 1, end)):
        end = match.start()
    if match := _SAYS.search(page.text, start, end):
        end = match.start()
    return leaf._replace(start=start, end=end) if start < end else leaf
