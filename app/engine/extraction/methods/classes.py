"""Names that authors of pages give to elements: classes and ids, and what they hold."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import MOST_CANDIDATES, FieldCandidate, of_page
from app.engine.extraction.methods.name_match import Names
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.slices import trimmed
from app.engine.extraction.text.stated import Leaf
from app.engine.extraction.text.surroundings import BESIDE
from app.engine.pages.blocks.walk import name_set

_PRIOR = 0.62
_ITEMS_PRIOR = 0.66
_CONTAINER_PRIOR = 0.64
_ATTRIBUTES = ("class", "id", "data-testid", "data-test", "data-qa")
_LONGEST_NAMES = 300
_MOST_NAMES = 6  # more of them state what an element is tagged with, or how it looks
_LONGEST_VALUE = 3_000
_MOST_CHILDREN = 8
_MOST_ITEMS = 1_000
_REPEATED_FROM = 4  # elements of a name that are parts of a list, and no value of the page
_REPEATED_WEIGHT = 0.6
_CONTAINERS = name_set("div ul ol section table tbody article")
_SHARED_FROM = 4  # distinct names that begin alike
_MOST_HEADS = 4
_NAMED = 0.8  # likeness of a class that is all of the name of a field
_MARK = re.compile(r"[-_]+(?=[A-Za-z])")
_NAME = re.compile(r"[A-Za-z][\w-]{2,60}")


def named(page: OneText, names: Names) -> list[FieldCandidate]:
    """The elements whose classes may be the names of fields."""
    candidates: list[FieldCandidate] = []
    groups: dict[tuple[str, str], list[HtmlElement]] = {}
    namespaces = Namespaces({name for each in page.places for name in _names(page, each)})
    for element in page.places:
        for name in _names(page, element):
            key = namespaces.key(name, names)
            if not names.alike(key, "class"):
                continue
            groups.setdefault((str(element.tag), key), []).append(element)
            candidates.extend(_single(page, element, key))
        if len(candidates) >= MOST_CANDIDATES:
            break
    for (_, name), elements in groups.items():
        candidates.extend(_lists(page, name, elements))
    for each in candidates:
        if not each.many and len(groups[str(each.element.tag), each.key]) >= _REPEATED_FROM:
            each.prior *= _REPEATED_WEIGHT
    return candidates


class Namespaces:
    """The first words of classes by which a page, or a part of it, marks all of its own:
    `acme-card` of `acme-card-title`, `acme-card-price`, `acme-card-text`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._often = Counter(head for name in set(names) for head in _heads(name))
        self._keys: dict[str, str] = {}

    def key(self, name: str, names: Names) -> str:
        """The name without its namespace, of which what belongs to the name of a field stays, as
        what says that it is beside the page itself."""
        if name not in self._keys:
            self._keys[name] = self._key(name, names)
        return self._keys[name]

    def _key(self, name: str, names: Names) -> str:
        heads = [
            head
            for head in _heads(name)
            if self._often[head] >= _SHARED_FROM and not BESIDE.search(head)
        ]
        rests = [name, *(name[len(head) :].lstrip("-_") for head in heads)]
        return next((rest for rest in rests if _likeness(rest, names) >= _NAMED), rests[-1])


def _likeness(name: str, names: Names) -> float:
    return max((alike for _, alike in names.alike(name, "class")), default=0.0)


def _heads(name: str) -> list[str]:
    return [name[: mark.start()] for mark in _MARK.finditer(name)][:_MOST_HEADS]


def _names(page: OneText, element: HtmlElement) -> Iterator[str]:
    if page.text.endswith((":", "："), *page.places[element]):
        return  # a label, whatever it is called
    for attribute in _ATTRIBUTES:
        if value := element.get(attribute):
            names = _NAME.findall(value[:_LONGEST_NAMES])
            if len(names) <= _MOST_NAMES:
                yield from names


def _single(page: OneText, element: HtmlElement, name: str) -> Iterator[FieldCandidate]:
    start, end = trimmed(page, *page.places[element])
    if start < end <= start + _LONGEST_VALUE and len(element) <= _MOST_CHILDREN:
        leaf = Leaf(start, end, None, element)
        yield of_page(name, (leaf,), "text", _PRIOR, kind="class")


def _lists(page: OneText, name: str, elements: list[HtmlElement]) -> Iterator[FieldCandidate]:
    """The elements of one class as a list, and the items in the first of them."""
    some = set(elements[:_MOST_ITEMS])
    innermost = [each for each in elements if some.isdisjoint(each.iterdescendants(str(each.tag)))]
    leaves = [
        Leaf(*page.places[element], None, element)
        for element in innermost[:_MOST_ITEMS]
        if len(page.of(element)) <= _LONGEST_VALUE
    ]
    if len(leaves) > 1:
        yield of_page(name, tuple(leaves), "text", _ITEMS_PRIOR, many=True, kind="class")
    for element in elements[:3]:
        if element.tag in _CONTAINERS:
            items = _items(page, element)
            if len(items) > 1:
                yield of_page(name, items, "text", _CONTAINER_PRIOR, many=True, kind="class")


def _items(page: OneText, container: HtmlElement) -> tuple[Leaf, ...]:
    for tag in ("li", "p", "tr", "a"):
        elements = [
            each
            for each in container.iter(tag)
            if each in page.places and next(each.iterdescendants(tag), None) is None
        ]
        if len(elements) > 1:
            kept = elements[:_MOST_ITEMS]
            return tuple(Leaf(*page.places[each], None, each) for each in kept)
    return ()
