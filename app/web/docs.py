"""/openapi.json and /docs: the interface, browsable offline, with no asset of anybody else."""

import json
from collections import defaultdict

from flask import Blueprint, Flask, Response, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response as Redirect

from app.core.http import Api, public
from app.web import openapi
from app.web.openapi import METHODS as METHODS
from app.web.openapi import Node, resolve

bp = Blueprint("docs", __name__)


def publish(app: Flask, api: Api) -> None:
    """Complete the document from what the views declare, and keep it ready to serve."""
    document: Node = api.spec.to_dict()
    openapi.complete(document, app)
    app.extensions["openapi"] = document
    app.extensions["openapi_text"] = json.dumps(document, indent=1)


@bp.get("/openapi.json")
@public
def document() -> Response:
    """The interface for machines: OpenAPI 3.1."""
    return Response(current_app.extensions["openapi_text"], mimetype="application/json")


@bp.get("/")
@public
def home() -> Redirect:
    """The documentation says what to do."""
    return redirect(url_for("docs.browse"))


@bp.get("/docs")
@public
def browse() -> Response:
    """Every operation with its parameters, bodies and answers."""
    spec: Node = current_app.extensions["openapi"]
    groups: dict[str, list[Node]] = defaultdict(list)
    for path, method, operation in openapi.items(spec):
        groups[operation.get("tags", ["other"])[0]].append(_shown(spec, path, method, operation))
    page = render_template("docs.html", spec=spec, groups=groups.items())
    headers = {"Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self'"}
    return Response(page, mimetype="text/html", headers=headers)


CREDENTIALS = {
    0: "none",
    1: "access token of a signed-in account",
    2: "API key (X-API-Key or Authorization: Bearer), or the account's access token",
}


def _shown(spec: Node, path: str, method: str, operation: Node) -> Node:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    return {
        "id": operation.get("operationId", f"{method}{path}"),
        "path": path,
        "method": method,
        "summary": operation.get("summary", ""),
        "description": operation.get("description", ""),
        "credential": CREDENTIALS[len(operation["security"])],
        "parameters": [
            {
                "name": parameter["name"],
                "in": parameter["in"],
                "type": _type(parameter.get("schema", {})),
                "required": parameter.get("required", False),
            }
            for parameter in spec["paths"][path].get("parameters", [])
            + operation.get("parameters", [])
        ],
        "body": _fields(spec, body.get("schema", {})),
        "answers": [
            {
                "status": status,
                "description": answer.get("description", ""),
                "fields": _fields(spec, _answer_schema(answer)) if status[0] == "2" else [],
            }
            for status, answer in operation["responses"].items()
        ],
    }


def _answer_schema(answer: Node) -> Node:
    schema: Node = answer.get("content", {}).get("application/json", {}).get("schema", {})
    return schema


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
        inner = child.get("items", child)
        if depth < 3:
            rows += _fields(spec, inner, f"{prefix}{name}.", depth + 1)
    return rows


def _type(schema: Node) -> str:
    if "items" in schema:
        return f"array of {_type(schema['items'])}"
    kind = schema.get("type", "object")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


NOTED = ("enum", "pattern", "minimum", "maximum", "minLength", "maxLength", "maxItems", "default")


def _notes(schema: Node) -> str:
    facts = [f"{name} {schema[name]}" for name in NOTED if name in schema]
    return "; ".join(filter(None, [schema.get("description", ""), *facts]))
