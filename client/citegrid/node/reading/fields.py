"""The fields that a schema asks for, flattened: one field for each value of a record."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

MOST_FIELDS: Final = 100
MOST_DEPTH: Final = 6
_WORD: Final = re.compile(r"[^\W_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# Words that make no difference between two names of one thing.
_FILLERS: Final = frozenset(
    {"the", "of", "a", "an", "at", "in", "on", "is", "for", "value", "field"}
)
_ALIKE: Final = (
    {"title", "name", "headline", "heading"},
    {"summary", "description", "abstract", "about", "meaning"},
    {"published", "date", "datepublished", "released", "posted", "issued", "updated"},
    {"price", "cost"},
    {"author", "by", "writer", "creator"},
    {"phone", "telephone", "tel"},
    {"email", "mail"},
    {"url", "link", "address", "website"},
    {"type", "kind"},
    {"location", "place"},
)


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a record. `many`: an array of such values."""

    path: tuple[str, ...]
    kind: str
    many: bool = False
    format: str | None = None
    choices: tuple[Any, ...] = ()
    required: bool = False

    @property
    def name(self) -> str:
        return self.path[-1]

    @property
    def pointer(self) -> str:
        return "".join(f"/{part.replace('~', '~0').replace('/', '~1')}" for part in self.path)


def fields_of(schema: Any) -> list[Field]:
    """The fields of a record, the shallow ones as the schema orders them; at most 100."""
    shared = schema.get("$defs", {}) if isinstance(schema, Mapping) else {}
    return list(islice(_fields(schema, shared, (), True), MOST_FIELDS))


def _fields(schema: Any, shared: Any, path: tuple[str, ...], required: bool) -> Iterator[Field]:
    schema = _resolved(schema, shared)
    if not isinstance(schema, Mapping) or len(path) > MOST_DEPTH:
        return
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        needed = schema.get("required")
        names = set(needed) if isinstance(needed, list) else set()
        for name, below in properties.items():
            yield from _fields(below, shared, (*path, str(name)), required and name in names)
    elif path:
        yield from _leaf(schema, shared, path, required)


def _resolved(schema: Any, shared: Any) -> Any:
    """Returns what a reference into the schema's own definitions stands for."""
    for _ in range(MOST_DEPTH):
        reference = schema.get("$ref") if isinstance(schema, Mapping) else None
        if not isinstance(reference, str) or not isinstance(shared, Mapping):
            break
        schema = shared.get(reference.removeprefix("#/$defs/"))
    return schema


def _leaf(
    schema: Mapping[str, Any], shared: Any, path: tuple[str, ...], required: bool
) -> Iterator[Field]:
    many = _kind(schema) == "array"
    item = _resolved(schema.get("items", {}), shared) if many else schema
    if not isinstance(item, Mapping) or _kind(item) in ("object", "array"):
        return
    choices = item.get("enum")
    stated = item.get("format")
    yield Field(
        path,
        _kind(item),
        many,
        stated if isinstance(stated, str) else None,
        tuple(choices) if isinstance(choices, list) else (),
        required,
    )


def _kind(schema: Mapping[str, Any]) -> str:
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), "string")
    return kind if isinstance(kind, str) else "string"


def words(name: str) -> list[str]:
    """The words of a name or label, in lower case: `datePublished`, `date_published`."""
    spaced = _CAMEL.sub(" ", name)
    return [word for word in _WORD.findall(spaced.lower()) if word not in _FILLERS]


def alike(label: str, field: Field) -> float:
    """Rates how well a label names a field, 0 to 1."""
    stated, wanted = words(label), words(field.name)
    if not stated or not wanted:
        return 0.0
    if stated == wanted or "".join(stated) == "".join(wanted):
        return 1.0
    if len(stated) == len(wanted) == 1 and _synonyms(stated[0], wanted[0]):
        return 0.8
    if set(wanted) <= set(stated) and len(stated) - len(wanted) <= 1:
        return 0.7
    whole = {word for each in field.path for word in words(each)}
    return 0.75 if len(field.path) > 1 and set(stated) == whole else 0.0


def _synonyms(one: str, other: str) -> bool:
    return any(one in group and other in group for group in _ALIKE)


def called(field: Field, *names: str) -> bool:
    """True if a field's name is one of these, or begins with one."""
    stated = words(field.name)
    return bool(stated) and ("_".join(stated) in names or stated[0] in names)


def put(record: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    for part in path[:-1]:
        record = record.setdefault(part, {})
    record[path[-1]] = value


def value_at(record: Any, path: tuple[str, ...]) -> Any:
    """The value at a path; None where there is none."""
    for part in path:
        if not isinstance(record, Mapping):
            return None
        record = record.get(part)
    return record
