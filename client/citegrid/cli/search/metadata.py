"""Metadata of documents as it is typed: `year=2026` sets it, `year>2020` asks for it."""

import json
import re
from typing import Any, Final

import click

_TYPED: Final = re.compile(r"([a-z][a-z0-9_]{0,39})\s*([=<>])\s*(.+)", re.DOTALL)
_OPERATORS: Final = {"=": "eq", ">": "gt", "<": "lt"}


def conditions(_context: Any, _option: Any, typed: tuple[str, ...]) -> list[dict[str, Any]]:
    """The conditions of a filter, for an option that is repeated."""
    parts = map(_parts, typed)
    return [{"field": field, _OPERATORS[operator]: value} for field, operator, value in parts]


def assignments(_context: Any, _argument: Any, typed: tuple[str, ...]) -> dict[str, Any]:
    """The metadata of a document, for an argument with its fields."""
    parts = [_parts(text) for text in typed]
    if any(operator != "=" for _, operator, _ in parts):
        raise click.BadParameter("Metadata is FIELD=VALUE.")
    return {field: value for field, _, value in parts}


def _parts(text: str) -> tuple[str, str, Any]:
    parts = _TYPED.fullmatch(text.strip())
    if parts is None:
        raise click.BadParameter(
            f"{text!r} is not FIELD=VALUE. A field is 1 to 40 of a-z 0-9 _, a letter first."
        )
    return parts[1], parts[2], _value(parts[3])


def _value(text: str) -> Any:
    """A number, true or false where it is one, else the text; in quotes it is always text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str | int | float) else text
