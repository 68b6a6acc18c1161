"""From the JSON Schema of a record to a plan: fields, and what reading a page for them needs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from app.engine.extraction.schema.keywords import kind_of
from app.engine.extraction.schema.measures import currency_of, unit_of, without_measure
from app.engine.extraction.schema.schema_size import Problem, measure
from app.engine.extraction.schema.schema_walk import Walk
from app.engine.extraction.schema.vocabulary import quoted, words
from app.engine.extraction.text.json_pointer import escaped


class SchemaRefused(Exception):
    """The schema is outside the subset. Each problem is a JSON pointer into it and a sentence."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("; ".join(f"{pointer or '/'}: {text}" for pointer, text in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Field:
    """A property of a record.

    `pointer` is RFC 6901 into the record, of a field below an array of objects into its item.
    `words` are those of its name, title and the quoted ones of its description, as
    `vocabulary.words` makes them. `item` is the element of an array of scalars; `items` are the
    fields of an object (their pointers go on from this one's), or of the objects in an array.
    """

    pointer: str
    name: str
    words: frozenset[str]
    type: str
    title: str = ""
    description: str = ""
    format: str | None = None
    unit: str | None = None
    currency: str | None = None
    enum: tuple[Any, ...] = ()
    const: Any = None
    pattern: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    exclusive_maximum: float | None = None
    multiple_of: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    required: bool = False
    nullable: bool = False
    item: "Field | None" = None
    items: "Plan | None" = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Fields in the order of the schema, and that schema without references and annotations.

    `canonical` is the schema as text: what a plan is known by.
    """

    fields: tuple[Field, ...]
    schema: dict[str, Any] = field(compare=False, repr=False)
    warnings: tuple[str, ...] = ()
    title: str = ""
    canonical: str = ""

    def every(self) -> Iterator[Field]:
        """All fields of the record, those of objects in it too; not those of objects in arrays."""
        for each in self.fields:
            yield each
            if each.type == "object" and each.items:
                yield from each.items.every()


def plan(schema: object) -> Plan:
    """The plan of a schema. Raises SchemaRefused; bounded in time for whatever it is given."""
    if problem := measure(schema):
        raise SchemaRefused([problem])
    if not isinstance(schema, dict):
        raise SchemaRefused([("", "A schema has to be a JSON object.")])
    return _planned(json.dumps(schema, ensure_ascii=False, separators=(",", ":")))


@lru_cache(maxsize=256)
def _planned(text: str) -> Plan:
    walk = Walk(json.loads(text))
    clean = walk.inlined()
    if walk.problems:
        raise SchemaRefused(walk.problems)
    return _plan(clean, "", tuple(walk.warnings))


def _plan(clean: dict[str, Any], above: str, warnings: tuple[str, ...] = ()) -> Plan:
    required = frozenset(clean.get("required", ()))
    fields = tuple(
        _field(name, f"{above}/{escaped(name)}", node, required=name in required)
        for name, node in clean["properties"].items()
    )
    canonical = json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
    return Plan(fields, clean, warnings, clean.get("title", ""), canonical)


def _field(name: str, pointer: str, node: dict[str, Any], *, required: bool = False) -> Field:
    kind = kind_of(node)
    title, description = node.get("title", ""), node.get("description", "")
    plain = without_measure(name) if kind in ("number", "integer") else name
    known_as = frozenset().union(words(plain), words(title), *map(words, quoted(description)))
    item = items = None
    if kind == "object":
        items = _plan(node, pointer)
    elif kind == "array":
        below = node.get("items", {})
        if kind_of(below) == "object":
            items = _plan(below, "")
        else:
            item = _field(name, pointer, {"description": description, **below})
    return Field(
        pointer=pointer,
        name=name,
        words=known_as,
        type=kind,
        title=title,
        description=description,
        format=node.get("format"),
        unit=unit_of(name, description) if kind in ("number", "integer") else None,
        currency=currency_of(name, description),
        enum=tuple(value for value in node.get("enum", ()) if value is not None),
        const=node.get("const"),
        pattern=node.get("pattern"),
        minimum=node.get("minimum"),
        maximum=node.get("maximum"),
        exclusive_minimum=node.get("exclusiveMinimum"),
        exclusive_maximum=node.get("exclusiveMaximum"),
        multiple_of=node.get("multipleOf"),
        min_length=node.get("minLength"),
        max_length=node.get("maxLength"),
        required=required,
        nullable=_nullable(node),
        item=item,
        items=items,
    )


def _nullable(node: dict[str, Any]) -> bool:
    stated = node.get("type")
    return isinstance(stated, list) and "null" in stated and None in node.get("enum", [None])
