"""JSON Schema of what models are asked to reply."""

from collections.abc import Mapping
from typing import Any


def closed_object(properties: Mapping[str, Any]) -> dict[str, Any]:
    """An object of these properties and no others; strict endpoints want all of them required."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def list_of(items: Mapping[str, Any], most: int | None = None) -> dict[str, Any]:
    limit = {} if most is None else {"maxItems": most}
    return {"type": "array", **limit, "items": dict(items)}
