"""No schema of a body has a field whose cost has no bound, or a name that cannot be shown."""

from collections.abc import Iterator

from flask import Flask
from marshmallow import Schema, fields

from app.core.http.fields import Items, Part
from app.core.http.names import NAME
from app.core.http.variants import VariantsSchema
from app.domains.library.documents.metadata import DocumentMetadata
from app.domains.providers.work.schemas import Output
from app.domains.records.page_jobs import bodies as bodies_of_jobs


def bodies(app: Flask) -> Iterator[Schema]:
    """The schema of every body that a route takes."""
    for view in app.view_functions.values():
        arguments = getattr(view, "_apidoc", {}).get("arguments", {})
        for parameter in arguments.get("parameters", []):
            if parameter["in"] == "json":
                yield parameter["schema"]


def parts(schema: Schema) -> Iterator[Schema]:
    """The schema and whatever stands in it, each variant too."""
    yield schema
    for variant in schema.all().values() if isinstance(schema, VariantsSchema) else ():
        yield from parts(variant())
    for field in schema.load_fields.values():
        inner = field.inner if isinstance(field, Items) else field
        if isinstance(inner, Part):
            yield from parts(inner.schema)


MEASURED = (
    *(Items, Part, bodies_of_jobs.Metadata, bodies_of_jobs.ExampleData),
    bodies_of_jobs.RecordSchema,
    DocumentMetadata,
    Output,
)
"""What counts before it takes; the schema of records is measured (extraction/schema)."""


def test_bodies_consist_of_fields_whose_cost_is_bounded(app: Flask) -> None:
    """Lists are `Items`. Objects inside need a count of their keys before they are taken."""
    unbounded = [
        (type(schema).__name__, name)
        for body in bodies(app)
        for schema in parts(body)
        for name, field in schema.load_fields.items()
        if isinstance(field, fields.List | fields.Nested | fields.Mapping)
        and not isinstance(field, MEASURED)
    ]
    assert unbounded == []


NAMED_BY_A_PROTOCOL = {"MessageIn"}


def test_names_that_people_give_can_be_seen_and_turn_no_text_around(app: Flask) -> None:
    shown = {
        (type(schema).__name__, name): field.metadata.get("pattern")
        for body in bodies(app)
        for schema in parts(body)
        for name, field in schema.load_fields.items()
        if name in ("name", "title") or name.endswith("_name")
    }
    loose = {schema for (schema, _), pattern in shown.items() if pattern != NAME}
    assert len(shown) > 7
    assert loose == NAMED_BY_A_PROTOCOL
