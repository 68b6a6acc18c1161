"""Classes that stand for the schema of a record."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import BaseModel

from citegrid.nouns.records.job_requests import schema_of


@dataclass
class Brand:
    name: str


@dataclass
class Lamp:
    name: str
    price: Annotated[float, "in euros"]
    stock: int | None
    brand: Brand
    kind: Literal["desk", "floor"] = "desk"
    tags: list[str] = field(default_factory=list)


def of(hint: Any) -> Any:
    made = dataclass(type("Made", (), {"__annotations__": {"a": hint}}))
    return schema_of(made)["properties"]["a"]


def test_a_dataclass_is_an_object_whose_fields_without_a_default_are_required() -> None:
    assert schema_of(Lamp) == {
        "type": "object",
        "title": "Lamp",
        "properties": {
            "name": {"type": "string"},
            "price": {"type": "number", "description": "in euros"},
            "stock": {"type": ["integer", "null"]},
            "brand": {
                "type": "object",
                "title": "Brand",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
            "kind": {"enum": ["desk", "floor"]},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["name", "price", "stock", "brand"],
    }


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (bool, {"type": "boolean"}),
        (Decimal, {"type": "number"}),
        (date, {"type": "string", "format": "date"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (timedelta, {"type": "string", "format": "duration"}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (Optional[str], {"type": ["string", "null"]}),  # noqa: UP045
        (
            Literal["a"] | None,
            {"anyOf": [{"enum": ["a"]}, {"type": "null"}]},
        ),
    ],
)
def test_a_type_is_the_schema_of_its_values(hint: Any, schema: Any) -> None:
    assert of(hint) == schema


def test_a_pydantic_class_writes_its_own() -> None:
    class Product(BaseModel):
        name: str

    assert schema_of(Product) == Product.model_json_schema()


def test_a_schema_stays_as_it_is() -> None:
    given = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert schema_of(given) is given


@pytest.mark.parametrize("hint", [int | str, dict[str, int], list, bytes, object])
def test_what_no_page_states_is_refused(hint: Any) -> None:
    with pytest.raises(TypeError):
        of(hint)


def test_any_other_class_is_refused() -> None:
    with pytest.raises(TypeError):
        schema_of(int)
