"""The input of a piece of work, as far as its shapes can be trusted: sizes are capped here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from citegrid.node.reading.fields import Field, fields_of

MOST_CHARACTERS: Final = 400_000
MOST_RECORDS: Final = 200
MOST_OBJECTS: Final = 500
DEFAULT_SCHEMA: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "summary": {"type": "string"},
        "url": {"type": "string", "format": "uri"},
        "published_at": {"type": "string", "format": "date"},
    },
    "required": ["title"],
}


class Unusable(Exception):
    """The input is not what its kind of work has."""


@dataclass(frozen=True, slots=True, repr=False)
class StoredPage:
    """A stored page. Its text may be hostile: it is data to look into, and nothing is obeyed."""

    url: str
    title: str
    text: str
    structured: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ExtractionTask:
    objective: str
    schema: Mapping[str, Any]
    fields: tuple[Field, ...]
    page: StoredPage
    most_records: int = 1


def task_of(given: Mapping[str, Any]) -> ExtractionTask:
    """Raises Unusable."""
    schema = given.get("schema") or DEFAULT_SCHEMA
    fields = tuple(fields_of(schema))
    if not fields or not isinstance(schema, Mapping):
        raise Unusable("the schema has no fields")
    most = given.get("most_records", 1)
    return ExtractionTask(
        objective=_text(given.get("objective"))[:2_000],
        schema=schema,
        fields=fields,
        page=page_of(given.get("page")),
        most_records=min(most, MOST_RECORDS) if isinstance(most, int) and most > 0 else 1,
    )


def page_of(given: Any) -> StoredPage:
    """Raises Unusable."""
    if not isinstance(given, Mapping) or not isinstance(given.get("text"), str):
        raise Unusable("there is no page")
    structured = given.get("structured")
    return StoredPage(
        url=_text(given.get("url")),
        title=_text(given.get("title"))[:500],
        text=given["text"][:MOST_CHARACTERS],
        structured=tuple(structured[:MOST_OBJECTS]) if isinstance(structured, list) else (),
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
