"""Metadata of documents in one line of text: `year=2026` sets it, `year>2020` asks for it."""

import json
import re
from collections.abc import Iterable
from typing import Any, Final

CONDITION: Final = r"^\s*([a-z][a-z0-9_]{0,39})\s*([=<>])\s*(\S[\s\S]*)$"
"""A field, an operator and a value."""

_OPERATORS: Final = {"=": "eq", ">": "gt", "<": "lt"}


def matching(lines: Iterable[str]) -> dict[str, Any]:
    """The filter of a search that all these conditions make; raises ValueError."""
    parts = map(_parts, lines)
    return {"and": [{"field": field, _OPERATORS[sign]: value} for field, sign, value in parts]}


def assigned(lines: Iterable[str]) -> dict[str, Any]:
    """The metadata of a document that these lines set; raises ValueError."""
    parts = [_parts(line) for line in lines]
    if any(sign != "=" for _, sign, _ in parts):
        raise ValueError("Metadata is FIELD=VALUE.")
    return {field: value for field, _, value in parts}


def _parts(line: str) -> tuple[str, str, Any]:
    parts = re.match(CONDITION, line)
    if parts is None:
        raise ValueError(
            f"{line!r} is not FIELD=VALUE. A field is 1 to 40 of a-z 0-9 _, a letter first."
        )
    return parts[1], parts[2], _value(parts[3].strip())


def _value(text: str) -> Any:
    """A number, true or false where it is one, else the text; in quotes it is always text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str | int | float) else text
