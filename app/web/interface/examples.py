"""Examples of bodies and answers, made from their schemas.

A field says its own with `example` in its metadata; the document is published without it.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from app.core.http.fields import OF_ITS_PARTS, example_id
from app.web.interface.nodes import Node, resolve

PREFIX: Final = re.compile(r"\^([a-z]+)_\[")

BY_NAME: Final[Mapping[str, Any]] = {
    "completed_at": "2026-11-21T09:00:01Z",
    "confidence": 0.93,
    "created_at": "2026-11-21T09:00:00Z",
    "deadline_at": "2026-11-21T09:02:00Z",
    "email": "ada@example.org",
    "expires_at": "2026-12-21T09:00:00Z",
    "fetched_at": "2026-11-20T08:00:00Z",
    "handle": "ada",
    "model": "example/model-7b",
    "name": "nightly reports",
    "offer_id": "0196a3c4-7d2e-7b1f-9c55-3f0e6d8a1b42",
    "percent": 100,
    "persona_id": "me",
    "stage": "done",
    "started_at": "2026-11-21T09:00:00Z",
    "status": "completed",
    "url": "https://birds.example.org/owls",
    "warnings": [],
}
"""Names that mean the same in many schemas."""

FALLBACKS: Final[Mapping[str, Any]] = {
    "integer": 1,
    "number": 0.5,
    "boolean": True,
    "object": {},
    "null": None,
}


def complete(document: Node, operation: Node) -> None:
    """Give each body and each good answer of an operation its example."""
    answers = [a for status, a in operation["responses"].items() if status.startswith("2")]
    for node in (operation.get("requestBody", {}), *answers):
        for media_type, content in node.get("content", {}).items():
            if media_type in ("application/json", "text/event-stream", "application/x-ndjson"):
                content["example"] = of_schema(document, content["schema"])
                content["schema"] = _published(content["schema"])


def of_schema(document: Node, schema: Node, name: str = "") -> Any:
    """An example of what a schema describes; `name` is the field that it stands in."""
    if schema.get("example", OF_ITS_PARTS) is not OF_ITS_PARTS:
        return schema["example"]
    schema = resolve(document, _not_null(schema))
    if "oneOf" in schema:
        return of_schema(document, schema["oneOf"][0], name)
    if "properties" in schema:
        return _object(document, schema)
    if "examples" not in schema and name in BY_NAME:
        return BY_NAME[name]
    if "items" in schema:
        return [of_schema(document, schema["items"], name)]
    return _plain(schema)


def _object(document: Node, schema: Node) -> dict[str, Any]:
    """All that is required, and what says its example."""
    required = schema.get("required", ())
    return {
        name: of_schema(document, child, name)
        for name, child in schema["properties"].items()
        if name in required or "example" in child
    }


def _not_null(schema: Node) -> Node:
    others = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    return others[0] if others else schema


def _plain(schema: Node) -> Any:
    types = schema.get("type", "object")
    kinds = types if isinstance(types, list) else [types]
    if prefix := PREFIX.match(schema.get("pattern", "")):
        return example_id(prefix[1])
    for known in ("examples", "enum"):
        if schema.get(known):
            return schema[known][0]
    if "null" in kinds:
        return None
    if "default" in schema or "minimum" in schema:
        return schema.get("default", schema.get("minimum"))
    if kinds[0] == "string":
        return "text".ljust(schema.get("minLength", 0), "-")
    return FALLBACKS[kinds[0]]


def publish(document: Node) -> None:
    """Take from all schemas what only their examples were made of."""
    schemas = document["components"]["schemas"]
    schemas.update({name: _published(schema) for name, schema in schemas.items()})


def _published(schema: Node) -> Node:
    if "properties" not in schema:
        return schema
    properties = {
        name: {key: value for key, value in field.items() if key != "example"}
        for name, field in schema["properties"].items()
    }
    return {**schema, "properties": properties}
