"""The fields of records as rows of a form: from a schema or a page to rows, and back to a schema.

A row says less than JSON Schema can: what it does not show of a property stays as it was.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from app.core.errors import Invalid

Form = Mapping[str, str]
JsonSchema = Mapping[str, Any]

TYPES: Final[Mapping[str, tuple[str, JsonSchema]]] = {
    "text": ("Text", {"type": "string"}),
    "number": ("Number", {"type": "number"}),
    "integer": ("Whole number", {"type": "integer"}),
    "boolean": ("Yes or no", {"type": "boolean"}),
    "date": ("Date", {"type": "string", "format": "date"}),
    "datetime": ("Date and time", {"type": "string", "format": "date-time"}),
    "link": ("Link", {"type": "string", "format": "uri"}),
    "list": ("List of texts", {"type": "array", "items": {"type": "string"}}),
}
OTHER: Final = "other"
"""The type of a property that none of `TYPES` says."""
_MOST_ROWS: Final = 200
_NAME: Final = re.compile(r"field\.([0-9]{1,3})\.name", re.ASCII)
_KEPT: Final = ("title", "description")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class FieldRow:
    """`was` is the name of the property that the row is of, `by` the one under which a value of it
    was read or is in an example, however often it is renamed; `found` is the value that was read.
    """

    n: int
    name: str = ""
    was: str = ""
    by: str = ""
    type: str = "text"
    found: str = ""
    value: str = ""
    quote: str = ""
    on: bool = True

    @property
    def is_corrected(self) -> bool:
        """True if what was read is not what the reader of the page wants."""
        return bool(self.value) and (self.value != self.found or self.name != self.by)


def of_schema(schema: JsonSchema) -> list[FieldRow]:
    """A row for each property; none of what is no schema."""
    properties = schema.get("properties")
    names = list(properties)[:_MOST_ROWS] if isinstance(properties, dict) else []
    return [FieldRow(n, name, name, name, _type(schema, name)) for n, name in enumerate(names)]


def _type(schema: JsonSchema, name: str) -> str:
    """The type whose members a property has, whatever else it says."""
    given = schema["properties"][name]
    if not isinstance(given, dict):
        return OTHER
    bare = {key: value for key, value in given.items() if key in ("type", "format", "items")}
    return next((type for type, (_, form) in TYPES.items() if form == bare), OTHER)


def of_form(form: Form) -> list[FieldRow]:
    """The rows that were sent, in order; those without a name are left out."""
    numbers = sorted({int(match[1]) for key in form if (match := _NAME.fullmatch(key))})
    rows = (_sent(form, n) for n in numbers[:_MOST_ROWS])
    return [row for row in rows if row.name]


def _sent(form: Form, n: int) -> FieldRow:
    def of(part: str) -> str:
        return form.get(f"field.{n}.{part}", "").replace("\r\n", "\n").strip()

    type = of("type")
    return FieldRow(
        n=n,
        name=of("name"),
        was=of("was"),
        by=of("by"),
        type=type if type in TYPES else OTHER,
        found=of("found"),
        value=of("value"),
        quote=of("quote"),
        on=f"field.{n}.on" in form,
    )


def schema_of(rows: Sequence[FieldRow], base: JsonSchema) -> dict[str, Any]:
    """The schema of the rows that are ticked. Raises Invalid for a name that stands twice."""
    ticked = [row for row in rows if row.on]
    _check_names(ticked)
    before = base.get("properties")
    given = before if isinstance(before, dict) else {}
    required = base.get("required")
    needed = {row.name for row in ticked if isinstance(required, list) and row.was in required}
    schema = {
        **base,
        "type": "object",
        "properties": {row.name: _property(row, given.get(row.was)) for row in ticked},
        "required": [row.name for row in ticked if row.name in needed],
    }
    return schema if needed else {name: schema[name] for name in schema if name != "required"}


def _check_names(rows: Iterable[FieldRow]) -> None:
    seen: set[str] = set()
    for row in rows:
        if row.name in seen:
            raise Invalid.at(f"/field.{row.n}.name", "Must differ from the names of other fields.")
        seen.add(row.name)


def _property(row: FieldRow, before: Any) -> Any:
    known = {"properties": {row.was: before}}
    if before is not None and row.type in (OTHER, _type(known, row.was)):
        return before
    kept = before if isinstance(before, dict) else {}
    _, form = TYPES.get(row.type, TYPES["text"])
    return {**form, **{name: kept[name] for name in _KEPT if name in kept}}


def example_of(rows: Sequence[FieldRow]) -> dict[str, Any]:
    """The values of the page as they should be read; empty where nothing of it was corrected.

    A value that was typed in has to be one of its type. Raises Invalid.
    """
    ticked = [row for row in rows if row.on]
    return dict(_values(ticked)) if any(row.is_corrected for row in ticked) else {}


def _values(rows: Iterable[FieldRow]) -> Iterator[tuple[str, Any]]:
    for row in rows:
        if not row.value:
            continue
        try:
            yield row.name, _read(row)
        except ValueError:
            if row.value == row.found:
                continue  # read as another type, and left as it was
            problem = f"Must be {_EXAMPLES.get(row.type, 'JSON')}."
            raise Invalid.at(f"/field.{row.n}.value", problem) from None


_EXAMPLES: Final = {
    "number": "a number, such as 12.5",
    "integer": "a whole number, such as 12",
    "boolean": "true or false",
    "date": "a date, such as 2026-11-26",
    "datetime": "a time, such as 2026-11-26T09:00:00Z",
    "list": 'a list in JSON, such as ["one", "two"]',
}
_PYTHON: Final[Mapping[str, tuple[type, ...]]] = {
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "list": (list,),
}


def _read(row: FieldRow) -> Any:
    """A text as it stands where its type is one, else JSON. Raises ValueError."""
    if row.type in ("date", "datetime") and not _DAY.match(row.value):
        raise ValueError
    if row.type not in _PYTHON and row.type != OTHER:
        return row.value
    try:
        value = json.loads(row.value)
    except RecursionError:
        raise ValueError from None
    wanted = _PYTHON.get(row.type)
    if wanted and (not isinstance(value, wanted) or isinstance(value, bool) != (bool in wanted)):
        raise ValueError
    return value


def kept(rows: Sequence[FieldRow], schema: JsonSchema) -> list[FieldRow]:
    """The rows of a form that goes on with this schema of theirs."""
    names = schema["properties"]
    return [replace(row, was=row.name if row.on and row.name in names else "") for row in rows]


def written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def at_rows(error: Invalid, rows: Sequence[FieldRow]) -> Invalid:
    """Puts what the API says of a property, or of its example, at the row of that name."""
    numbers = {row.name: row.n for row in rows if row.on}
    return Invalid(details=[_at_row(detail, numbers) for detail in error.details])


def _at_row(detail: Mapping[str, str], numbers: Mapping[str, int]) -> dict[str, str]:
    for begins, part in (("/schema/properties/", "name"), ("/examples/0/data/", "value")):
        name, _, _inner = detail["field"].removeprefix(begins).partition("/")
        own = name.replace("~1", "/").replace("~0", "~")
        if detail["field"].startswith(begins) and own in numbers:
            return {"field": f"/field.{numbers[own]}.{part}", "problem": detail["problem"]}
    return dict(detail)
