"""Short ways to read a slice for a property."""

from typing import Any

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
