"""The correction of a record on its page: a new job whose example it is."""

import json
from collections.abc import Mapping
from typing import Any, Final

from app.core.errors import Invalid

MOST_EXAMPLES: Final = 10
_PREFIX: Final = "data."
_TEXTUAL: Final = frozenset({"string", None})

Form = Mapping[str, str]


def fields(schema: Mapping[str, Any] | None, data: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The inputs of the form: name, label and first value, of each field of the schema."""
    properties = (schema or {}).get("properties") or dict.fromkeys(data)
    return [(f"{_PREFIX}{name}", name, _written(data.get(name))) for name in properties]


def request_body(request: Mapping[str, Any], form: Form) -> dict[str, Any]:
    """A request with a corrected record as the newest of its examples. Raises Invalid."""
    properties = (request.get("schema") or {}).get("properties") or {}
    data = {
        name: _read(name, text, properties.get(name) or {})
        for name, text in _given(form)
        if text.strip()
    }
    url = form.get("url", "")
    others = [each for each in request.get("examples") or () if each["url"] != url]
    return {**request, "examples": [{"url": url, "data": data}, *others][:MOST_EXAMPLES]}


def _given(form: Form) -> list[tuple[str, str]]:
    return [(k.removeprefix(_PREFIX), text) for k, text in form.items() if k.startswith(_PREFIX)]


def _written(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read(name: str, text: str, schema: Mapping[str, Any]) -> Any:
    """A text as it stands where the schema allows one, else JSON."""
    stated = schema.get("type")
    types = set(stated) if isinstance(stated, list) else {stated}
    if not types.isdisjoint(_TEXTUAL):
        return text.replace("\r\n", "\n").strip()
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        problem = f"Must be JSON, such as {_EXAMPLES.get(str(stated), 'a number')}."
        raise Invalid.at(f"/{_PREFIX}{name}", problem) from None


_EXAMPLES: Final = {"array": '["one", "two"]', "boolean": "true", "object": '{"name": "…"}'}
