"""JSON-LD and the state of app frameworks: the things in script blocks, and what they say."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from app.engine.extraction.methods.candidates import NAMELESS, NESTED, OF_THE_WHOLE, Thing
from app.engine.extraction.text.onetext import OneText
from app.engine.extraction.text.stated import JoinedValues, Leaf
from app.engine.pages.blocks.structured import Node, fullest, is_node, is_reference, walk
from app.engine.pages.blocks.walk import name_set

_PRIOR = 0.95
_STATE_PRIOR = 0.6
_MOST_THINGS = 5_000  # no fewer than values that are read
_MOST_STEPS = 100_000  # values looked at and reported: references may multiply them
_MOST_LISTED = 1_000
_DEEPEST = 3  # offers, priceSpecification, price
_LEAST_OF_STATE = 3  # values that make an object of app state more than a setting
_NAMELESS = NAMELESS | name_set(
    "id type value width height position logo sameAs caption contentUrl itemListElement inLanguage "
    "datePublished dateModified author thumbnailUrl uploadDate item"
)
# The value that stands for an object, by the keys that hold it.
_STANDING = ("text", "name", "@value", "url", "contentUrl", "ratingValue", "value", "@id")


def things(page: OneText) -> list[Thing]:
    """The things that JSON-LD describes, in order of the page."""
    reader = _Reader(page, linked_data=True)
    found = reader.things(_PRIOR)
    page.truncated |= reader.left <= 0
    return found


def state(page: OneText) -> list[Thing]:
    """The objects in the state of an app framework that are more than settings."""
    return _Reader(page, linked_data=False).things(_STATE_PRIOR)


class _Reader:
    def __init__(self, page: OneText, *, linked_data: bool) -> None:
        self._text = page.text
        self._linked_data = linked_data
        self._nodes: list[tuple[Node, int]] = []
        self.left = _MOST_STEPS
        for block in page.blocks:
            if block.linked_data is linked_data:
                left = _MOST_THINGS - len(self._nodes)
                self._nodes += islice(walk(block.content, self._is_thing), left)
        self._by_id = fullest((node for node, _ in self._nodes), self._identifier)

    def things(self, prior: float) -> list[Thing]:
        return [self._thing(node, prior, depth) for node, depth in self._nodes]

    def _is_thing(self, node: Node) -> bool:
        if self._linked_data:
            return is_node(node)
        return sum(isinstance(v, Leaf | JoinedValues) for v in node.values()) >= _LEAST_OF_STATE

    def _thing(self, node: Node, prior: float, depth: int) -> Thing:
        kinds = node.get("@type") or node.get("__typename")
        leaves = kinds.items if isinstance(kinds, JoinedValues) else [kinds]
        types = tuple(name for leaf in leaves if (name := self._raw(leaf)))
        thing = Thing(types, place=_start(node), depth=depth)
        self._collect(node, (), prior, thing)
        return thing

    def _collect(self, node: Node, above: tuple[str, ...], prior: float, thing: Thing) -> None:
        for key, value in node.items():
            if self.left <= 0:
                return
            if key.startswith("@"):
                continue
            value = self._resolved(value)
            name = (*above, key)
            if isinstance(value, list):
                self._list(name, value, prior, thing)
            elif isinstance(value, dict):
                self._object(name, value, prior, thing)
            elif isinstance(value, JoinedValues):
                self._report(name, tuple(value.items), prior, thing, many=True)
                self._report(name, (value.whole,), prior, thing)
            else:
                self._report(name, (value,), prior, thing)

    def _object(self, name: tuple[str, ...], value: Node, prior: float, thing: Thing) -> None:
        if leaves := list(self._standing(value)):
            self._report(name, tuple(leaves), prior, thing, many=len(leaves) > 1)
        if len(name) < _DEEPEST:
            self._note_others(name, [value], thing)
            self._collect(value, name, prior, thing)

    def _list(self, name: tuple[str, ...], values: list[Any], prior: float, thing: Thing) -> None:
        values = [self._resolved(value) for value in values[:_MOST_LISTED]]
        leaves = tuple(leaf for value in values for leaf in self._standing(value))
        if leaves:
            self._report(name, leaves[:_MOST_LISTED], prior, thing, many=True)
        nodes = [value for value in values if isinstance(value, dict)]
        if nodes and len(name) == 1:
            self._parts(name[0], nodes, prior, thing)
        if nodes and len(name) < _DEEPEST:
            self._note_others(name, nodes, thing)
            self._collect(_together(nodes), name, prior * NESTED, thing)

    def _note_others(self, name: tuple[str, ...], nodes: list[Node], thing: Thing) -> None:
        """Note which parts of a thing are others: a museum's telephone is not that of its city."""
        named = {_start(node) for node in nodes if "name" in node}
        if named and name[-1] not in OF_THE_WHOLE:
            thing.others[name] = named

    def _parts(self, key: str, nodes: list[Node], prior: float, thing: Thing) -> None:
        """The objects in a list, for the fields that are lists of objects."""
        parts = thing.lists.setdefault(key, [])
        for node in nodes:
            part = Thing(place=_start(node), depth=thing.depth + 1)
            if self.left > 0 and thing.depth < _DEEPEST:
                self._collect(node, (), prior, part)
                parts.append(part)

    def _report(
        self,
        name: tuple[str, ...],
        leaves: tuple[Leaf, ...],
        prior: float,
        thing: Thing,
        *,
        many: bool = False,
    ) -> None:
        if leaves:
            self.left -= thing.say(name, leaves, "json_ld", prior, many=many, nameless=_NAMELESS)

    def _standing(self, value: Any, depth: int = 0) -> Iterator[Leaf]:
        """The values that stand for `value`: one for an object, those of its parts for a list."""
        self.left -= 1
        value = self._resolved(value) if self.left > 0 else None
        if isinstance(value, Leaf):
            yield value
        elif isinstance(value, JoinedValues):
            yield from value.items
        elif isinstance(value, list | dict) and depth <= _DEEPEST:
            for part in value[:_MOST_LISTED] if isinstance(value, list) else _meant(value):
                yield from self._standing(part, depth + 1)

    def _resolved(self, value: Any) -> Any:
        """`{"@id": x}` alone stands for the fullest object x."""
        if is_reference(value):
            return self._by_id.get(self._identifier(value), value)
        return value

    def _identifier(self, node: Node) -> str:
        return self._raw(node.get("@id"))

    def _raw(self, leaf: Any) -> str:
        return self._text[leaf.start : leaf.end] if isinstance(leaf, Leaf) else ""


def _start(node: Any) -> int:
    """Finds the place where the first value below a node is written."""
    while not isinstance(node, Leaf):
        if isinstance(node, JoinedValues):
            return node.whole.start
        node = next(iter(node.values() if isinstance(node, dict) else node), None)
        if node is None:
            return 0
    return node.start


def _together(nodes: Sequence[Node]) -> Node:
    """The members of several objects, by the keys of the first: offers have no one price."""
    if len(nodes) == 1:
        return nodes[0]
    return {key: [node[key] for node in nodes if key in node] for key in nodes[0]}


def _meant(node: Node) -> list[Any]:
    """The meaning of an object: its parts, the thing a list item is about, or a value."""
    if "itemListElement" in node:
        return [node["itemListElement"]]
    if isinstance(node.get("item"), dict):
        return [node["item"]]
    return [node[key] for key in _STANDING if key in node][:1]
