"""Headings: the one that is the title of the page, and those that name what comes below them."""

from collections.abc import Iterator
from itertools import islice

from lxml.html import HtmlElement

from app.engine.extraction.candidates import MOST_CANDIDATES, Candidate, of_page
from app.engine.extraction.naming import Names
from app.engine.extraction.onetext import Leaf, OneText
from app.engine.pages.walk import name_set

_TITLE_PRIOR = 0.8  # a heading that the title of the document begins with
_FIRST_PRIOR = 0.62
_LIST_PRIOR = 0.72
_LOOSE_LIST_PRIOR = 0.6
_TEXT_PRIOR = 0.55
_HEADINGS = name_set("h1 h2 h3 h4 h5 h6")
_NAMING = _HEADINGS | name_set("strong b p legend span div summary dt th caption a button")
_RANKS = ("h1", "h2", "h3", "h4", "h5", "h6")
_ENDING = {rank: frozenset(_RANKS[: number + 1]) for number, rank in enumerate(_RANKS)}
_LONGEST_TITLE = 250
_LONGEST_NAME = 45
_LONGEST_ITEM = 3_000
_FARTHEST = 400  # elements from a heading to its list
_MOST_ITEMS = 1_000
_LEAST_ALIKE = 0.45


def titles(page: OneText) -> list[Candidate]:
    """The headings that may be the title of what the page is about."""
    document = next((leaf for name, leaf in page.meta if name == "title"), None)
    whole = _folded(page.text[document.start : document.end]) if document else ""
    candidates: list[Candidate] = []
    first = True
    for element, (start, end) in page.places.items():
        if element.tag not in ("h1", "h2", "h3") or end - start > _LONGEST_TITLE:
            continue
        text = _folded(page.text[start:end])
        in_title = len(text) > 2 and text in whole
        if not in_title and not (first and element.tag == "h1"):
            continue
        prior = _TITLE_PRIOR if in_title else _FIRST_PRIOR
        first = first and element.tag != "h1"
        candidates.append(of_page("title", (Leaf(start, end, None, element),), "text", prior))
    return candidates[:5]


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def below(page: OneText, names: Names) -> list[Candidate]:
    """The lists and paragraphs below headings that may be the names of fields."""
    candidates: list[Candidate] = []
    seen: set[int] = set()
    for element, (start, end) in page.places.items():
        if element.tag not in _NAMING or end - start > _LONGEST_NAME or end in seen:
            continue
        key = page.text[start:end].rstrip(":： ")
        if not any(alike >= _LEAST_ALIKE for _, alike in names.alike(key, "name")):
            continue
        seen.add(end)
        candidates.extend(_named(page, element, key))
        if len(candidates) >= MOST_CANDIDATES:
            break
    return candidates


def _named(page: OneText, heading: HtmlElement, key: str) -> Iterator[Candidate]:
    is_heading = heading.tag in _HEADINGS
    items, paragraphs = _below(page, heading)
    if len(items) > 1:
        prior = _LIST_PRIOR if is_heading else _LOOSE_LIST_PRIOR
        yield of_page(key, tuple(items), "labels", prior, many=True)
    if len(paragraphs) > 1 and is_heading and not items:
        yield of_page(key, tuple(paragraphs), "labels", _TEXT_PRIOR, many=True)
    if paragraphs and is_heading:
        yield of_page(key, (paragraphs[0],), "labels", _TEXT_PRIOR)


def _below(page: OneText, heading: HtmlElement) -> tuple[list[Leaf], list[Leaf]]:
    """The items of lists, and the paragraphs, between a heading and the next of its rank."""
    items: list[Leaf] = []
    paragraphs: list[Leaf] = []
    end = page.places[heading][1]
    enders = _ENDING.get(heading.tag, _HEADINGS)
    first_list: HtmlElement | None = None
    for element in islice(page.after(end), _FARTHEST):
        tag, (start, stop) = element.tag, page.places[element]
        if tag in enders or len(items) >= _MOST_ITEMS:
            break
        if stop - start > _LONGEST_ITEM:
            continue
        if tag == "li" and not _holds_list(element):
            above = element.getparent()
            if heading.tag not in _HEADINGS and first_list not in (None, above):
                break
            first_list = above
            items.append(Leaf(start, stop, None, element))
        elif tag == "p":
            paragraphs.append(Leaf(start, stop, None, element))
    return items, paragraphs


def _holds_list(element: HtmlElement) -> bool:
    return next(element.iter("ul", "ol"), None) is not None
