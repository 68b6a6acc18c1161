"""Bodies that are one of several, told apart by their field `type`."""

from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

from flask_smorest import Api
from marshmallow import Schema, ValidationError, validate

from app.core.http import fields


class VariantsSchema(Schema):
    """Subclasses name their variants, or override `all`. Loads as the variant does."""

    variants: ClassVar[Mapping[str, type[Schema]]] = {}

    @classmethod
    def all(cls) -> Mapping[str, type[Schema]]:
        return cls.variants

    def load(self, data: Any, **options: Any) -> Any:
        if not isinstance(data, Mapping):
            raise ValidationError({"_schema": ["Must be an object."]})
        options.pop("many", None)
        return _instance(self._of(data)).load(data, **options)

    def _of(self, data: Mapping[str, Any]) -> type[Schema]:
        if "type" not in data:
            raise ValidationError({"type": ["Missing data for required field."]})
        known, named = self.all(), data["type"]
        if not isinstance(named, str) or named not in known:
            raise ValidationError({"type": [f"Must be one of: {', '.join(sorted(known))}."]})
        return known[named]


@cache
def _instance(variant: type[Schema]) -> Schema:
    """Making one takes longer than loading with it."""
    return variant()


def named(name: str) -> fields.Str:
    return fields.Str(required=True, validate=validate.OneOf([name]))


def document(api: Api) -> None:
    """Write all variants into the OpenAPI document, those within variants too."""
    components, references = api.spec.components, api.ma_plugin.converter.refs
    written: set[str] = set()
    while pending := [
        (key[0], name)
        for key, name in references.items()
        if issubclass(key[0], VariantsSchema) and name not in written
    ]:
        for schema, name in pending:
            written.add(name)
            components.schemas[name] = {
                "oneOf": [_reference(api, x) for x in schema.all().values()]
            }


def _reference(api: Api, variant: type[Schema]) -> dict[str, Any]:
    reference: dict[str, Any] = api.ma_plugin.converter.resolve_nested_schema(variant)
    return reference
