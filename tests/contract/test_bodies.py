"""No schema of a body has a field whose cost has no bound."""

from collections.abc import Iterator

from flask import Flask
from marshmallow import Schema, fields

from app.core.http.fields import Items


def bodies(app: Flask) -> Iterator[Schema]:
    """The schema of every body that a route takes."""
    for view in app.view_functions.values():
        arguments = getattr(view, "_apidoc", {}).get("arguments", {})
        for parameter in arguments.get("parameters", []):
            if parameter["in"] == "json":
                yield parameter["schema"]


def test_bodies_consist_of_fields_whose_cost_is_bounded(app: Flask) -> None:
    """Lists are `Items`. Objects inside need a count of their keys before they are taken."""
    unbounded = [
        (type(schema).__name__, name)
        for schema in bodies(app)
        for name, field in schema.load_fields.items()
        if isinstance(field, fields.List | fields.Nested | fields.Mapping)
        and not isinstance(field, Items)
    ]
    assert unbounded == []
