"""The parts of a request for a job: its options, its source, and the JSON Schema of one record."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypedDict,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

JobType = Literal["extraction", "monitoring", "workflow"]
JobStatus = Literal["queued", "running", "completed", "failed", "cancelled"]
Verdict = Literal["same", "new", "changed", "removed", "error"]

_SCALARS: Final[Mapping[Any, Mapping[str, str]]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    Decimal: {"type": "number"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "string", "format": "duration"},
}
_LISTS: Final = (list, tuple, Sequence)


class JobOptions(TypedDict, total=False):
    """The options that jobs of all types take."""

    max_pages: int | None
    deadline: str | None
    metadata: Mapping[str, str] | None
    webhook: Mapping[str, Any] | None


def source_of(source: Mapping[str, Any] | str | Sequence[str]) -> Mapping[str, Any]:
    """A source as the server takes it."""
    if isinstance(source, str):
        return {"type": "url", "url": source}
    return source if isinstance(source, Mapping) else {"type": "urls", "urls": [*source]}


def schema_of(schema: Mapping[str, Any] | type) -> Mapping[str, Any]:
    """The schema itself, or that of a class.

    Of a dataclass, fields without a default are required; `Annotated[float, "in euros"]`
    describes one. Raises TypeError.
    """
    if isinstance(schema, Mapping):
        return schema
    written = getattr(schema, "model_json_schema", None)
    if written is not None:
        made: Mapping[str, Any] = written()
        return made
    if is_dataclass(schema):
        return _of_class(schema)
    raise TypeError("A schema is a mapping, a Pydantic class or a dataclass.")


def _of_class(cls: Any) -> dict[str, Any]:
    hints = get_type_hints(cls, include_extras=True)
    required = [
        each.name
        for each in fields(cls)
        if each.default is MISSING and each.default_factory is MISSING
    ]
    return {
        "type": "object",
        "title": cls.__name__,
        "properties": {each.name: _of(hints[each.name]) for each in fields(cls)},
        **({"required": required} if required else {}),
    }


def _of(hint: Any) -> dict[str, Any]:
    if hint in _SCALARS:
        return dict(_SCALARS[hint])
    if is_dataclass(hint):
        return _of_class(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        notes = [note for note in inner[1:] if isinstance(note, str)]
        return {**_of(inner[0]), **({"description": notes[0]} if notes else {})}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in _LISTS and inner:
        return {"type": "array", "items": _of(inner[0])}
    if origin in (Union, UnionType) and NoneType in inner and len(inner) == 2:
        return _nullable(_of(inner[0] if inner[1] is NoneType else inner[1]))
    raise TypeError(f"{hint!r} has no place in a record.")


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    if isinstance(schema.get("type"), str) and "properties" not in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
