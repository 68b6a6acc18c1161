"""JSON of a child process, which may have been taken over: only its form is believed."""

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Item = TypeVar("Item")
_DEEPEST = 8
LONGEST_QUOTE = 100_000
LONGEST_PATH = 4_000  # which classes of elements are a part of
_LONGEST = 2_100


class Malformed(Exception):
    """The JSON is not what it should be."""


class JsonForm:
    """A dataclass of which all fields are sent."""

    __slots__: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {name: _as_json(getattr(self, name)) for name in self.__slots__}


def _as_json(value: Any) -> Any:
    if isinstance(value, JsonForm):
        return value.as_json()
    if isinstance(value, tuple | frozenset):
        return [
            _as_json(item) for item in (sorted(value) if isinstance(value, frozenset) else value)
        ]
    if isinstance(value, Mapping):
        return {key: _as_json(item) for key, item in value.items()}
    return value


def member(value: object, name: str) -> Any:
    if not isinstance(value, dict) or name not in value:
        raise Malformed(name)
    return value[name]


def text(value: object, name: str, most: int = _LONGEST) -> str:
    item = member(value, name)
    if type(item) is not str or len(item) > most or "\0" in item:
        raise Malformed(name)
    return item


def optional_text(value: object, name: str, most: int = _LONGEST) -> str | None:
    return None if member(value, name) is None else text(value, name, most)


def whole(value: object, name: str, least: int, most: int) -> int:
    item = member(value, name)
    if type(item) is not int or not least <= item <= most:
        raise Malformed(name)
    return item


def share(value: object, name: str) -> float:
    """A number from 0 to 1."""
    item = member(value, name)
    if type(item) not in (int, float) or not 0 <= item <= 1:
        raise Malformed(name)
    return float(item)


def flag(value: object, name: str) -> bool:
    item = member(value, name)
    if type(item) is not bool:
        raise Malformed(name)
    return item


def listed(
    value: object, name: str, read: Callable[[Any], Item], most: int = 10_000
) -> tuple[Item, ...]:
    items = member(value, name)
    if not isinstance(items, list) or len(items) > most:
        raise Malformed(name)
    return tuple(read(item) for item in items)


def mapped(
    value: object, name: str, read: Callable[[Any], Item], most: int = 1_000
) -> dict[str, Item]:
    items = member(value, name)
    if not isinstance(items, dict) or len(items) > most:
        raise Malformed(name)
    if not all(type(k) is str and len(k) <= LONGEST_PATH and "\0" not in k for k in items):
        raise Malformed(name)
    return {key: read(item) for key, item in items.items()}


def json_value(item: Any, depth: int = 0) -> Any:
    """`item` if it is a JSON value that can be stored."""
    if item is None or type(item) in (bool, int):
        return item
    if type(item) is float and math.isfinite(item):
        return item
    if type(item) is str and len(item) <= LONGEST_QUOTE and "\0" not in item:
        return item
    if depth < _DEEPEST and isinstance(item, list):
        return [json_value(each, depth + 1) for each in item]
    if depth < _DEEPEST and isinstance(item, dict):
        return {text({"": key}, ""): json_value(each, depth + 1) for key, each in item.items()}
    raise Malformed("value")
