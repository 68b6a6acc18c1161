"""Microdata and RDFa Lite: the things that attributes of elements describe."""

from collections.abc import Iterator

from lxml.html import HtmlElement

from app.engine.extraction.methods.candidates import MOST_CANDIDATES, OF_THE_WHOLE, Thing
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import Leaf

_PRIOR = 0.9
_MOST_THINGS = 600
_MOST_VALUES = 1_000
# What states the value of an element, most telling first; else it is what the element shows.
_STATED = {
    "link": ("href",),
    "area": ("href",),
    "time": ("datetime",),
    "data": ("value",),
    "meter": ("value",),
    "img": ("data-src", "src"),
    "object": ("data",),
    **dict.fromkeys(("audio", "video", "source", "iframe", "embed"), ("src",)),
}


def things(page: OneText, root: HtmlElement) -> list[Thing]:
    """The items of microdata and of RDFa Lite, in document order."""
    found: list[Thing] = []
    for method, scope, name, kind in (
        ("microdata", "itemscope", "itemprop", "itemtype"),
        ("rdfa", "typeof", "property", "typeof"),
    ):
        reader = _Reader(page, method, scope, name, kind)
        for element in root.iter():
            if element.get(scope) is not None and isinstance(element.tag, str):
                found.append(reader.thing(element))
                if len(found) >= _MOST_THINGS or reader.left <= 0:
                    page.truncated = True
                    break
    return found


class _Reader:
    """Reads the things of one of the two languages."""

    def __init__(self, page: OneText, method: str, scope: str, name: str, kind: str) -> None:
        self._page, self._method = page, method
        self._scope, self._name, self._kind = scope, name, kind
        self.left = MOST_CANDIDATES

    def thing(self, scope: HtmlElement, depth: int = 0) -> Thing:
        types = tuple((scope.get(self._kind) or "").split())
        start = self._page.places.get(scope, (0, 0))[0]
        thing = Thing(types, place=start, depth=depth)
        values: dict[tuple[str, ...], list[Leaf]] = {}
        for name, leaf in self._values(scope, (), thing):
            held = values.setdefault(name, [])
            if len(held) < _MOST_VALUES:
                held.append(leaf)
        for name, leaves in values.items():
            many = len(leaves) > 1
            self.left -= thing.say(name, tuple(leaves), self._method, _PRIOR, many=many)
        self.left -= not values  # an empty thing costs time as well
        self._parts(scope, thing, depth)
        return thing

    def _values(
        self, scope: HtmlElement, above: tuple[str, ...], thing: Thing
    ) -> Iterator[tuple[tuple[str, ...], Leaf]]:
        """The named values below a thing; those of things in it under both names."""
        pending = list(reversed(scope))
        while pending:
            element = pending.pop()
            if not isinstance(element.tag, str):
                continue
            names = [name.rpartition(":")[2] for name in (element.get(self._name) or "").split()]
            is_scope = element.get(self._scope) is not None
            for name in names[:5]:
                leaf = self._standing(element) if is_scope else self._leaf(element)
                if leaf is not None and leaf.start < leaf.end:
                    yield (*above, name), leaf
                if is_scope and len(above) < 2:
                    self._note_other(element, (*above, name), thing)
                    yield from self._values(element, (*above, name), thing)
            if not is_scope:
                pending.extend(reversed(element))

    def _note_other(self, scope: HtmlElement, name: tuple[str, ...], thing: Thing) -> None:
        """Note a part that has a name of its own: who wrote a review has not made what it is of."""
        if name[-1] not in OF_THE_WHOLE and self._name_of(scope) is not None:
            place = self._page.places.get(scope, (0, 0))[0]
            thing.others.setdefault(name, set()).add(place)

    def _standing(self, scope: HtmlElement) -> Leaf | None:
        """Returns what stands for a thing: its name, else all that it shows."""
        named = self._name_of(scope)
        return self._leaf(scope if named is None else named)

    def _name_of(self, scope: HtmlElement) -> HtmlElement | None:
        for element in scope.iterdescendants():
            if isinstance(element.tag, str) and "name" in (element.get(self._name) or "").split():
                return element
        return None

    def _leaf(self, element: HtmlElement) -> Leaf | None:
        for attribute in ("content", *_STATED.get(element.tag, ())):
            if leaf := self._page.attributes.get((element, attribute)):
                return leaf
        if element in self._page.places:
            return Leaf(*self._page.places[element], None, element)
        return self._page.attributes.get((element, "href"))

    def _parts(self, scope: HtmlElement, thing: Thing, depth: int) -> None:
        """The things in a thing, for the fields that are lists of objects."""
        if depth:
            return
        for element in scope.iterdescendants():
            name = element.get(self._name) if isinstance(element.tag, str) else None
            if name and element.get(self._scope) is not None and self.left > 0:
                thing.lists.setdefault(name, []).append(self.thing(element, depth + 1))
