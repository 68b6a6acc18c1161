"""Fields of records in forms: rows and JSON Schema say the same, and a correction is an example."""

from typing import Any

import pytest

from app.core.errors import Invalid
from app.web.pages.records.forms import field_rows, schema_form
from app.web.pages.records.forms.field_rows import FieldRow

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "What it is called"},
        "price": {"type": "number", "minimum": 0},
        "sizes": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["name"],
    "additionalProperties": False,
}
TEXT = schema_form.written(SCHEMA)


def sent(*rows: FieldRow, base: str = TEXT, text: str | None = None) -> dict[str, str]:
    """What a browser sends of these rows: line breaks as browsers have them."""
    form = {"base": base, "schema": (base if text is None else text).replace("\n", "\r\n")}
    for row in rows:
        for part in ("name", "was", "by", "type", "found", "value"):
            form[f"field.{row.n}.{part}"] = getattr(row, part)
        if row.on:
            form[f"field.{row.n}.on"] = "on"
    return form


def test_rows_of_a_schema_make_the_same_schema() -> None:
    rows = field_rows.of_schema(SCHEMA)
    assert [row.type for row in rows] == ["text", "number", "other"]
    assert schema_form.sent(sent(*rows)).schema == SCHEMA


def test_a_renamed_field_keeps_what_its_row_does_not_show() -> None:
    rows = [FieldRow(0, "title", "name"), FieldRow(1, "cost", "price", type="integer")]
    schema = schema_form.sent(sent(*rows)).schema
    assert schema["properties"] == {
        "title": {"type": "string", "description": "What it is called"},
        "cost": {"type": "integer"},
    }
    assert schema["required"] == ["title"]


def test_fields_that_are_not_ticked_and_rows_without_a_name_are_left_out() -> None:
    rows = [FieldRow(0, "name", "name", on=False), FieldRow(1, "colour"), FieldRow(2)]
    schema = schema_form.sent(sent(*rows)).schema
    assert schema["properties"] == {"colour": {"type": "string"}}
    assert "required" not in schema


def test_edited_json_replaces_the_rows() -> None:
    other = '{"type": "object", "properties": {"a": {"type": "boolean"}}}'
    found = schema_form.again(sent(FieldRow(0, "name", "name"), text=other))
    assert [(row.name, row.type) for row in found.rows] == [("a", "boolean")]
    assert found.base == found.text


def test_json_that_is_none_is_refused_and_shown_again() -> None:
    form = sent(FieldRow(0, "name", "name"), base="", text="{")
    with pytest.raises(Invalid):
        schema_form.sent(form)
    assert schema_form.again(form).text == "{"


def test_a_name_that_stands_twice_is_said_at_its_row() -> None:
    with pytest.raises(Invalid) as error:
        schema_form.sent(sent(FieldRow(0, "name", "name"), FieldRow(7, "name")))
    assert error.value.details[0]["field"] == "/field.7.name"


def read(n: int, name: str, found: str, **changes: Any) -> FieldRow:
    return FieldRow(n, **{"name": name, "by": name, "found": found, "value": found, **changes})


def test_what_was_left_as_it_was_read_is_no_example() -> None:
    assert field_rows.example_of([read(0, "name", "Alder")]) == {}


def test_a_corrected_value_makes_an_example_of_all_that_is_ticked() -> None:
    rows = [
        read(0, "name", "Alder", value="Desk lamp Alder"),
        read(1, "price", "129.5", type="number"),
        read(2, "designed", "14 March 2019", type="date"),
        read(3, "brand", "Oak", on=False),
    ]
    assert field_rows.example_of(rows) == {"name": "Desk lamp Alder", "price": 129.5}


def test_a_renamed_field_teaches_by_its_value() -> None:
    assert field_rows.example_of([read(0, "title", "Alder", by="name")]) == {"title": "Alder"}


@pytest.mark.parametrize(
    ("type", "value"),
    [("number", "cheap"), ("integer", "1.5"), ("integer", "true"), ("list", "{"), ("date", "May")],
)
def test_a_value_that_is_none_of_its_type_is_said_at_its_row(type: str, value: str) -> None:
    with pytest.raises(Invalid) as error:
        field_rows.example_of([read(3, "x", "1", type=type, value=value)])
    assert error.value.details[0]["field"] == "/field.3.value"


def test_problems_of_properties_and_of_example_values_are_put_at_their_rows() -> None:
    problems = ("/schema/properties/a~1b/type", "/examples/0/data/price", "/schema/properties")
    error = Invalid(details=[{"field": each, "problem": "No."} for each in problems])
    rows = [FieldRow(0, "a/b"), FieldRow(4, "price")]
    at = [detail["field"] for detail in field_rows.at_rows(error, rows).details]
    assert at == ["/field.0.name", "/field.4.value", "/schema/properties"]


def test_a_form_of_many_rows_is_cut() -> None:
    form = {f"field.{n}.name": "x" for n in range(1_500)}
    assert len(field_rows.of_form(form)) == 200
