"""The interface as a document: /openapi.json for machines, and its areas for pages."""

import json
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from math import ceil

import orjson
from flask import Blueprint, Flask, Response, current_app, render_template
from markupsafe import Markup, escape

from app.core.http import Api, public
from app.web.interface import curl, openapi
from app.web.interface.nodes import Node, resolve
from app.web.interface.operations import items
from app.web.interface.renditions import Rendition

bp = Blueprint("docs", __name__)

MOST_OPERATIONS = 12
MOST_WORDS = 20


class Interface:
    """The OpenAPI document of an application, made when it is first wanted, and kept."""

    def __init__(self, app: Flask, api: Api) -> None:
        self._app, self._api = app, api
        self._making = threading.Lock()
        self._made: Node | None = None

    @property
    def document(self) -> Node:
        """The document that flask-smorest writes, completed from what the views declare."""
        with self._making:
            if self._made is None:
                document = self._api.document()
                openapi.complete(document, self._app)
                self._made = document
            return self._made

    @cached_property
    def text(self) -> Rendition:
        text = orjson.dumps(self.document, option=orjson.OPT_INDENT_2)
        return Rendition.of(text, "application/json")

    @cached_property
    def areas(self) -> "dict[str, Area]":
        """The document for people, by the names of its areas."""
        operations: dict[str, list[Node]] = defaultdict(list)
        for path, method, operation in items(self.document):
            shown = _shown(self.document, path, method, operation)
            operations[operation["tags"][0]].append(shown)
        areas = [
            area
            for tag in self.document["tags"]
            for area in _parts(tag["name"], tag["description"], operations[tag["name"]])
        ]
        return {area.name: area for area in areas}

    def find(self, text: str) -> "list[tuple[Area, Node]]":
        """The operations that have every word, those with all in their names first."""
        words = text.lower().split()[:MOST_WORDS]
        named, others = [], []
        for area in self.areas.values():
            for operation in area.operations:
                name, whole = _searched(area, operation)
                if all(word in name for word in words):
                    named.append((area, operation))
                elif all(word in whole for word in words):
                    others.append((area, operation))
        return named + others


def _parts(name: str, description: str, operations: list[Node]) -> "Iterator[Area]":
    """One area, or several of about the same size if it would be a long page."""
    count = max(1, ceil(len(operations) / MOST_OPERATIONS))
    size = ceil(len(operations) / count)
    for n in range(count):
        part = f"{name}-{n + 1}" if n else name
        yield Area(part, description, operations[n * size : (n + 1) * size])


def _searched(area: "Area", operation: Node) -> tuple[str, str]:
    name = f"{operation['id']} {operation['title']} {operation['path']}".lower()
    rest = f"{area.title} {operation['summary']} {operation['description']}".lower()
    return name, f"{name} {rest}"


class Area:
    """Operations that belong together: a page of the documentation."""

    def __init__(self, name: str, description: str, operations: list[Node]) -> None:
        self.name, self.description, self.operations = name, description, operations
        self.title = re.sub("[-_]", " ", name).capitalize().replace("Api ", "API ")

    @cached_property
    def html(self) -> Markup:
        """The operations; made in a request, which the template needs, and kept."""
        return Markup(render_template("docs/_area.html", area=self))  # noqa: S704 (a template's)


def publish(app: Flask, api: Api) -> None:
    app.extensions["interface"] = Interface(app, api)


def interface(app: Flask) -> Interface:
    offered: Interface = app.extensions["interface"]
    return offered


@bp.get("/openapi.json")
@public
def document() -> Response:
    """The interface for machines: OpenAPI 3.1."""
    return interface(current_app).text.answer()


@bp.app_template_filter("inline")
def inline(text: str) -> Markup:
    """Escaped text in which `words in backticks` are code."""
    parts = (escape(part) for part in text.split("`"))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if index % 2 else part
        for index, part in enumerate(parts)
    )


CREDENTIALS = {
    0: "none",
    1: "access token of a signed-in account",
    2: "API key (`X-API-Key` or `Authorization: Bearer`), or the account's access token",
}


def _shown(spec: Node, path: str, method: str, operation: Node) -> Node:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    parameters = spec["paths"][path].get("parameters", []) + operation.get("parameters", [])
    answers = operation["responses"].items()
    return {
        "id": operation["operationId"],
        "title": curl.title(operation["operationId"]),
        "curl": curl.line(spec, path, method, operation),
        "path": path,
        "method": method,
        "preview": operation.get("x-status") == "preview",
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "credential": CREDENTIALS[len(operation["security"])],
        "parameters": [_parameter(resolve(spec, parameter)) for parameter in parameters],
        "body": _fields(spec, body.get("schema", {})),
        "body_example": _pretty(body),
        "answers": [
            {
                "status": status,
                "description": answer["description"],
                "fields": _fields(spec, _answer_schema(answer)),
                "example": _example(answer),
            }
            for status, answer in answers
            if status[0] == "2"
        ],
        "errors": [
            (status, code, spec["components"]["examples"][code]["value"]["error"]["message"])
            for status, answer in answers
            if status[0] != "2"
            for code in answer["content"]["application/json"]["examples"]
        ],
    }


def _parameter(parameter: Node) -> Node:
    schema = parameter["schema"]
    return {
        "name": parameter["name"],
        "type": _type(schema),
        "required": parameter.get("required", False),
        "notes": _notes({**schema, "description": parameter.get("description", "")}),
        "in": parameter["in"],
    }


def _answer_schema(answer: Node) -> Node:
    schema: Node = answer.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _example(answer: Node) -> str:
    """Returns an answer as it comes over the wire: JSON, or the lines of an event."""
    content = answer.get("content", {})
    if event := content.get("text/event-stream", {}).get("example"):
        return "".join(f"{name}: {event[name]}\n" for name in ("event", "id", "data"))
    return _pretty(content.get("application/json", {}))


def _pretty(content: Node) -> str:
    return json.dumps(content["example"], indent=2) if "example" in content else ""


def _fields(spec: Node, schema: Node, prefix: str = "", depth: int = 0) -> list[Node]:
    """The properties of a schema, nested ones below their parent with dotted names."""
    schema = resolve(spec, schema)
    required = schema.get("required", [])
    rows: list[Node] = []
    for name, child in schema.get("properties", {}).items():
        rows.append(
            {
                "name": prefix + name,
                "type": _type(child),
                "required": name in required,
                "notes": _notes(child),
            }
        )
        if depth < 3:
            rows += _fields(spec, child.get("items", child), f"{prefix}{name}.", depth + 1)
    return rows


def _type(schema: Node) -> str:
    if "items" in schema:
        return f"array of {_type(schema['items'])}"
    kind = schema.get("type", "object")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


BOUNDS = (
    ("minimum", "maximum", ""),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " items"),
)


def _notes(schema: Node) -> str:
    """Returns what a reader must know of a value; patterns are for machines, in the document."""
    facts = [
        f"{_range(schema.get(least), schema.get(most))}{unit}"
        for least, most, unit in BOUNDS
        if least in schema or most in schema
    ]
    if "format" in schema:
        facts.append(f"format {schema['format']}")
    if "default" in schema:
        facts.append(f"default `{schema['default']}`")
    if "enum" in schema:
        facts.append("one of " + ", ".join(f"`{value}`" for value in schema["enum"]))
    return " ".join(filter(None, [schema.get("description", ""), "; ".join(facts)]))


def _range(least: float | None, most: float | None) -> str:
    if least is None:
        return f"at most {most}"
    return f"at least {least}" if most is None else f"{least} to {most}"
