"""Values from structured data (JSON-LD, microdata), as far as the text states them as well."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from citegrid.node.reading.fields import Field, alike
from citegrid.node.reading.page import MOST_OBJECTS
from citegrid.node.reading.quotes import locate
from citegrid.node.reading.typed import Slice

_MOST_DEPTH: Final = 8
_MOST_MEMBERS: Final = 5_000
_LEAST_ALIKE: Final = 0.7
_MOST_ITEMS: Final = 50

Members = list[tuple[str, Any]]


def objects(structured: Sequence[Any]) -> Iterator[Members]:
    """The objects that describe things, each as its members with the names on their way."""
    count = 0
    for thing in _things(structured, 0):
        members = list(_members(thing, "", 0))
        count += len(members)
        if count > _MOST_MEMBERS:
            return
        if len(members) > 1:
            yield members


def _things(node: Any, depth: int) -> Iterator[Mapping[str, Any]]:
    """Lists, graphs and lists of items hold things; the rest are things themselves."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(node, list | tuple):
        for each in node[:MOST_OBJECTS]:
            yield from _things(each, depth + 1)
    elif isinstance(node, Mapping):
        inside = next(
            (node[key] for key in ("@graph", "itemListElement", "item") if key in node), None
        )
        if inside is None:
            yield node
        else:
            yield from _things(inside, depth + 1)


def _members(node: Any, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(node, Mapping):
        for key, below in node.items():
            if isinstance(key, str) and not key.startswith("@"):
                yield from _members(below, f"{name} {key}".strip(), depth + 1)
    elif isinstance(node, str | int | float | list) and name:
        yield name, node


def values(members: Members, field: Field, text: str) -> Iterator[Slice]:
    """Yields what an object says of a field, where the text says it too: of a list, each item."""
    ranked = sorted(((_score(name, field), name, value) for name, value in members), key=_first)
    for score, _, value in reversed(ranked):
        if score < _LEAST_ALIKE:
            return
        items = value[:_MOST_ITEMS] if isinstance(value, list) else [value]
        located = [
            place
            for item in (items if field.many else items[:1])
            if isinstance(item, str | int | float) and (place := locate(text, item, field))
        ]
        if located:
            yield from located
            return


def _first(ranked: tuple[float, str, Any]) -> float:
    return ranked[0]


def _score(name: str, field: Field) -> float:
    """By the last of the names on the way, less for each above it (`offers price`)."""
    last = name.split(" ")[-1]
    return max(alike(name, field), alike(last, field) - 0.05 * name.count(" "))
