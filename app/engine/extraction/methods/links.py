"""Links whose address or relation says what their text is: `/tag/easy`, `?cuisine=thai`."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import (
    MOST_CANDIDATES,
    FieldCandidate,
    element_path,
    of_page,
)
from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.extraction.text.stated import Leaf
from app.engine.pages.blocks.walk import name_set
from app.engine.pages.facts.links import absolute

_PRIOR = 0.58
_PERSON_PRIOR = 0.66
_RELATED_PRIOR = 0.66
_LONGEST_TEXT = 60
_MOST_LINKS = 20  # more of a kind are a menu
_RELATIONS = {"tag": "tags", "category": "category", "author": "author"}
_PEOPLE = name_set(
    "author authors autor auteur profile profiles user users member members people chef chefs"
)
_PARAMETER = re.compile(r"(?:^|&)([\w-]{2,30})=[^&=]+")


def named(page: OneText, names: Names, url: str) -> list[FieldCandidate]:
    """The texts of links that name a field: one, or those that stand alike as a list."""
    groups: dict[tuple[str, float, str], dict[str, Leaf]] = {}
    for element, key, prior in _keys(page, url):
        if not names.alike(key, "link"):
            continue
        start, end = trimmed(page, *page.places[element])
        if start < end <= start + _LONGEST_TEXT:
            group = groups.setdefault((key, prior, element_path(element)), {})
            text = page.text[start:end].casefold()
            group.setdefault(text, Leaf(start, end, None, element))
        if len(groups) >= MOST_CANDIDATES:
            break
    return [
        of_page(key, tuple(group.values()), "text", prior, many=len(group) > 1, kind="link")
        for (key, prior, _), group in groups.items()
        if 0 < len(group) <= _MOST_LINKS
    ]


def _keys(page: OneText, url: str) -> Iterator[tuple[HtmlElement, str, float]]:
    host = urlsplit(absolute(url, url) or "").netloc
    for element in page.places:
        if element.tag != "a":
            continue
        related = [_RELATIONS[each] for each in (element.get("rel") or "").split()
                   if each in _RELATIONS]  # fmt: skip
        for key in related:
            yield element, key, _RELATED_PRIOR
        if not related and (leaf := page.attributes.get((element, "href"))):
            address = absolute(page.text[leaf.start : leaf.end], url) or ""
            for key in _named_in(address, host):
                yield element, key, _PERSON_PRIOR if key == "author" else _PRIOR


def _named_in(address: str, host: str) -> Iterator[str]:
    """The last part of a path but one, and the names of parameters, in links of the site."""
    parts = urlsplit(address)
    if parts.netloc != host:
        return
    folders = [each for each in parts.path.split("/") if each][:-1]
    if folders:
        yield "author" if folders[-1].casefold() in _PEOPLE else folders[-1]
    for match in _PARAMETER.finditer(parts.query):
        yield match[1]
