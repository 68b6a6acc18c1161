"""Rows as schemas dump them."""

from dataclasses import dataclass
from typing import Any

from marshmallow import Schema, fields, missing

from app.core.http.fields import RowView


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    state: str
    error: str | None = None


class RowSchema(Schema):
    name = fields.Str(required=True)
    status = fields.Str(required=True)
    state = fields.Str(required=True)
    error = fields.Str()


def dumped(**computed: Any) -> dict[str, Any]:
    shown: dict[str, Any] = RowSchema().dump(RowView(Row("a", "done"), **computed))
    return shown


def test_the_fields_of_the_row_are_read_off_it() -> None:
    assert dumped(status="completed")["name"] == "a"


def test_what_is_computed_stands_before_the_row() -> None:
    assert dumped(state="failed")["state"] == "failed"


def test_what_is_missing_is_left_out() -> None:
    assert "error" not in dumped(error=missing)
