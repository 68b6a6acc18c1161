"""Sources of pages in forms: from inputs to the source of a request, and back."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

Form = Mapping[str, str]

SOURCES: Final = (
    ("urls", "These addresses"),
    ("sitemap", "A sitemap"),
    ("crawl", "A site, following its links"),
    ("search", "Search results"),
)


def source_of(form: Form) -> dict[str, Any]:
    """The source of a request; what is no source is left for the operation to refuse."""
    type, lines = form.get("source", "urls"), form.get("address", "").split()
    if type == "search":
        return {"type": type, "query": form.get("query", "")}
    if type == "urls":
        return {"type": type, "urls": lines}
    found = {"type": type, "url": lines[0] if lines else ""}
    if type != "crawl":
        return found
    patterns = {name: form.get(name, "").split() or None for name in ("include", "exclude")}
    return given({**found, "max_depth": number(form, "max_depth"), **patterns})


def values_of(source: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    urls = source.get("urls") or ([source["url"]] if "url" in source else [])
    yield "source", "urls" if source.get("type") == "url" else source.get("type", "urls")
    yield "address", "\n".join(urls)
    yield "query", source.get("query", "")
    yield "max_depth", source.get("max_depth", "")
    for name in ("include", "exclude"):
        yield name, "\n".join(source.get(name) or ())


def number(form: Form, name: str) -> Any:
    """Reads a number; what is none is left for the operation to refuse, with its own words."""
    text = form.get(name, "").strip()
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return text


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
