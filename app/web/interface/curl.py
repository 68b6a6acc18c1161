"""Operations as lines of curl that a shell takes as they stand, and the names people give them."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final
from urllib.parse import quote, urlencode

from app.web.interface import examples
from app.web.interface.nodes import Node, resolve

SERVER: Final = "$SERVICE_BASE_URL"
KEY: Final = "X-API-Key: $SERVICE_API_KEY"
TOKEN: Final = "Authorization: Bearer $ACCESS_TOKEN"  # noqa: S105 (the name of a variable)
WORDS: Final = re.compile(r"[A-Z]?[a-z]+")
BREAK: Final = " \\\n  "
VOWELS: Final = "aeio"
TITLES: Final = {"getAccount": "Get your account"}


def line(document: Node, path: str, method: str, operation: Node) -> str:
    """The operation with its example; secrets and the server stand in variables of the shell."""
    parts = ["curl", *_switches(method, operation), f'"{_address(document, path, operation)}"']
    headers = [f'-H "{header}"' for header in _headers(document, operation)]
    return BREAK.join([" ".join(parts), *headers, *_body(operation)])


def _switches(method: str, operation: Node) -> Iterator[str]:
    if method != "get":
        yield f"-X {method.upper()}"
    media_types = operation["responses"].get("200", {}).get("content", {})
    if "text/event-stream" in media_types:
        yield "-N"
    if any(media_type.startswith("image/") for media_type in media_types):
        yield "-o avatar"


def _address(document: Node, path: str, operation: Node) -> str:
    for parameter in document["paths"][path].get("parameters", []):
        value = quote(str(_value(document, parameter)), safe="")
        path = path.replace("{" + parameter["name"] + "}", value)
    query = {
        each["name"]: _value(document, each)
        for each in _parameters(document, operation)
        if each["in"] == "query" and each.get("required")
    }
    return f"{SERVER}{path}?{urlencode(query, safe='/')}" if query else SERVER + path


def _value(document: Node, parameter: Node) -> Any:
    return examples.of_schema(document, parameter["schema"], parameter["name"])


def _parameters(document: Node, operation: Node) -> list[Node]:
    return [resolve(document, each) for each in operation.get("parameters", [])]


def _headers(document: Node, operation: Node) -> Iterator[str]:
    taken = operation["security"]
    if taken:
        yield KEY if {"apiKey": []} in taken else TOKEN
    elif "402" in operation["responses"] and "requestBody" not in operation:
        yield TOKEN  # of the search that was paid for
    for each in _parameters(document, operation):
        if each["in"] == "header" and each["name"] != "Idempotency-Key":
            yield f"{each['name']}: ${each['name'].upper().replace('-', '_')}"


def _body(operation: Node) -> Iterator[str]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        yield '-H "Content-Type: application/json"'
        yield f"-d '{json.dumps(content['example'])}'"


def title(operation_id: str) -> str:
    """`createApiKey` as people write it: Create an API key."""
    if operation_id in TITLES:
        return TITLES[operation_id]
    verb, *words = (word.lower() for word in WORDS.findall(operation_id))
    names = ["API" if word == "api" else word for word in words]
    if names[0] == "own":
        names[0] = "your"
    elif names[0] == "current":
        names.insert(0, "the")
    elif not names[-1].endswith("s"):
        names.insert(0, "an" if names[0][0].lower() in VOWELS else "a")
    return " ".join([verb.capitalize(), *names])
