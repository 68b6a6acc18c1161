"""Operations of the OpenAPI document, with what their views declare."""

from collections.abc import Iterator
from dataclasses import dataclass

from flask import Flask

from app.core.errors import AppError
from app.core.http import access
from app.core.http.idempotency import IdempotencyKeyReused
from app.web.interface.nodes import Node

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the document, with what its view declares."""

    path: str
    method: str
    node: Node
    declared: access.Access
    raised: tuple[type[AppError], ...]
    preview: bool

    @property
    def succeeds(self) -> dict[str, Node]:
        return {s: answer for s, answer in self.node["responses"].items() if s.startswith("2")}

    @property
    def makes(self) -> bool:
        """True if it makes something: then it may be repeated with an `Idempotency-Key`.

        Not what is paid for: there the payment is the key, unless it says otherwise.
        """
        if IdempotencyKeyReused in self.raised:
            return True
        paid = any(error.status == 402 for error in self.raised)
        return not paid and self.method == "post" and bool({"201", "202"} & self.succeeds.keys())


def operations(document: Node, app: Flask) -> Iterator[Operation]:
    endpoints = {
        (template(rule.rule), method.lower()): rule.endpoint
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
    }
    with app.app_context():
        for path, method, node in items(document):
            endpoint = endpoints[path, method]
            declared = access.of_endpoint(endpoint) or access.Access(public=False)
            preview = getattr(app.blueprints.get(endpoint.partition(".")[0]), "preview", False)
            yield Operation(path, method, node, declared, access.raised_by(endpoint), preview)


def items(document: Node) -> Iterator[tuple[str, str, Node]]:
    """Path, method and node of every operation."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def template(rule: str) -> str:
    """Flask's `/a/<string:id>` as OpenAPI's `/a/{id}`."""
    parts = [
        "{" + part[1:-1].rpartition(":")[2] + "}" if part.startswith("<") else part
        for part in rule.split("/")
    ]
    return "/".join(parts)
