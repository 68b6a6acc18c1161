"""Short ways to read a slice for a property, and a page for its records."""

from typing import Any

from app.engine.extraction.records.extract import extract
from app.engine.extraction.schema.schema import Field, plan
from app.engine.extraction.values.typed import Context, TypedValue
from app.engine.extraction.values.values import typed


def field(name: str = "value", **schema: Any) -> Field:
    return plan({"properties": {name: schema}}).fields[0]


def context(
    language: str | None = "en", url: str = "https://shop.test/a/b", **known: Any
) -> Context:
    return Context(url, language, **known)


def read(text: str, of: Field, language: str | None = "en", **known: Any) -> TypedValue | None:
    return typed(text, of, context(language, **known))


def value(text: str, of: Field, language: str | None = "en", **known: Any) -> Any:
    """The value, None when there is none, "?" when it is ambiguous."""
    found = read(text, of, language, **known)
    return None if found is None else "?" if found.ambiguous else found.value


def records(body: str, title: str = "Page", /, **fields: Any) -> list[dict[str, Any]]:
    """The data of the records on a page that is read for these fields."""
    page = f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"
    found = extract(page, "https://site.test/page", plan({"properties": fields}))
    return [record.data for record in found.records]
