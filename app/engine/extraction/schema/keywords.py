"""The keywords of a record schema, each with what its value has to be."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from app.engine.extraction.schema.patterns import MAX_PATTERN

TYPES: Final = ("string", "number", "integer", "boolean", "object", "array")
ANNOTATIONS: Final = frozenset({"$schema", "title", "description", "examples", "default"})
FORMATS: Final = frozenset(
    {"date", "date-time", "time", "duration", "email", "uri", "url", "iri", "uri-reference"}
    | {"hostname", "ipv4", "ipv6", "uuid", "phone"}
)
"""Formats with a meaning here; others are ignored, with a warning."""

_SCALARS: Final = {bool: "boolean", int: "integer", float: "number", str: "string"}
_BOUNDS: Final = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
# Lower and upper bounds between which there has to be a value, and whether one may be both.
_RANGES: Final = (
    ("minimum", "maximum", True),
    ("minimum", "exclusiveMaximum", False),
    ("exclusiveMinimum", "maximum", False),
    ("exclusiveMinimum", "exclusiveMaximum", False),
    ("minLength", "maxLength", True),
    ("minItems", "maxItems", True),
)
_MAX_ENUM = 200
_MAX_ENUM_VALUE = 200

Check = tuple[Callable[[Any], bool], str]


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_multiple(value: float, step: float) -> bool:
    """True if a number is a whole multiple of another, however small that is."""
    return (Fraction(str(value)) / Fraction(str(step))).denominator == 1


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return is_number(value) and value >= 0 and value == int(value)


def _is_scalar(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _MAX_ENUM_VALUE
    return value is None or _is_flag(value) or is_number(value)


def _is_enum(value: Any) -> bool:
    if not isinstance(value, list) or not 0 < len(value) <= _MAX_ENUM:
        return False
    return all(_is_scalar(x) for x in value) and any(x is not None for x in value)


def _are_names(value: Any) -> bool:
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        return False
    return len(set(value)) == len(value)


_TEXT: Final[Check] = (_is_text, "This has to be a text.")
_FLAG: Final[Check] = (_is_flag, "This has to be true or false.")
_NUMBER: Final[Check] = (is_number, "This has to be a number.")
_COUNT: Final[Check] = (_is_count, "This has to be a whole number from 0 on.")

_CHECKS: Final[dict[str, Check]] = {
    "type": (lambda value: isinstance(value, str | list), "This has to be a name, or two."),
    "properties": (lambda value: isinstance(value, dict), "This has to be an object."),
    "required": (_are_names, "This has to be a list of different names."),
    "items": (lambda value: isinstance(value, dict), "This has to be one schema."),
    "enum": (
        _is_enum,
        f"This has to be a list of 1 to {_MAX_ENUM} texts, numbers or true and false, "
        f"with at most {_MAX_ENUM_VALUE} characters each.",
    ),
    "const": (
        lambda value: _is_scalar(value) and value is not None,
        "This has to be a text, a number, true or false.",
    ),
    "format": _TEXT,
    "pattern": (_is_text, f"This has to be a text of at most {MAX_PATTERN} characters."),
    "title": _TEXT,
    "description": _TEXT,
    "$schema": _TEXT,
    "examples": (lambda value: isinstance(value, list), "This has to be a list."),
    "default": (lambda _: True, ""),
    "$defs": (lambda value: isinstance(value, dict), "This has to be an object."),
    "minimum": _NUMBER,
    "maximum": _NUMBER,
    "exclusiveMinimum": _NUMBER,
    "exclusiveMaximum": _NUMBER,
    "multipleOf": (lambda value: is_number(value) and value > 0, "This has to be above 0."),
    "minLength": _COUNT,
    "maxLength": _COUNT,
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "uniqueItems": _FLAG,
    "additionalProperties": _FLAG,
}
KEYWORDS: Final = frozenset(_CHECKS)
"""Those a schema may have beside `$ref` and `anyOf`, which are inlined."""


def shape_problem(keyword: str, value: Any) -> str | None:
    """A sentence when the value is not what the keyword needs."""
    is_right, sentence = _CHECKS[keyword]
    return None if is_right(value) else sentence


def empty_bounds(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The upper bounds of a node that leave no value, each with a sentence."""
    for lower, upper, may_be_both in _RANGES:
        least: Any = said.get(lower)
        most: Any = said.get(upper)
        is_range = is_number(least) and is_number(most)
        if is_range and (most < least or (most == least and not may_be_both)):
            yield upper, f"No value fits: {upper} is {most}, and {lower} is {least}."


def kind_of(node: dict[str, Any]) -> str:
    """The type of a checked node; where none is stated, the one that its other keywords are for."""
    stated = node.get("type")
    if stated is not None:
        names = stated if isinstance(stated, list) else [stated]
        return str(next((name for name in names if name != "null"), "string"))
    if "properties" in node:
        return "object"
    if {"items", "minItems", "maxItems", "uniqueItems"} & node.keys():
        return "array"
    return _scalar_kind(node)


def _scalar_kind(node: dict[str, Any]) -> str:
    values = node["enum"] if isinstance(node.get("enum"), list) else [node.get("const")]
    kinds = {_SCALARS.get(type(value), "string") for value in values if value is not None}
    if len(kinds) == 1:
        return kinds.pop()
    is_number = kinds == {"integer", "number"} or (not kinds and _BOUNDS & node.keys())
    return "number" if is_number else "string"
