"""A node of the OpenAPI document, and what its references lead to."""

from typing import Any

Node = dict[str, Any]


def resolve(document: Node, node: Node) -> Node:
    if reference := node.get("$ref"):
        _, _, kind, name = reference.split("/")
        found: Node = document["components"][kind][name]
        return found
    return node
