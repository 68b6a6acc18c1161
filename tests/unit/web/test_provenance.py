"""The state of a field follows from its quotes in the stored page, and from other readings."""

from typing import Any

import pytest

from app.web.citations import provenance

TEXT = "Desk lamp\nPrice: $1,299.50 incl. VAT"
SCHEMA = {"properties": {"name": {}, "price": {}, "colour": {}}}


def source(pointer: str, quote: str, start: int) -> dict[str, Any]:
    return {
        "pointer": pointer,
        "quote": quote,
        "start": start,
        "end": start + len(quote),
        "prefix": TEXT[max(0, TEXT.find(quote) - 7) : TEXT.find(quote)],
        "suffix": "",
    }


def record(**changes: Any) -> dict[str, Any]:
    return {
        "data": {"name": "Desk lamp", "price": 1299.5},
        "provenance": [source("/name", "Desk lamp", 0), source("/price", "$1,299.50", 17)],
        "candidates": {},
        "unsatisfied": [],
        **changes,
    }


def candidate(value: Any) -> dict[str, Any]:
    return {"value": value, "confidence": 0.4, "quote": str(value), "start": 0, "end": 3}


def states(text: str | None = TEXT, *, doubts: Any = (), **changes: Any) -> dict[str, str]:
    fields = provenance.fields_of(record(**changes), SCHEMA, text, doubts)
    return {field.name: field.state for field in fields}


def test_a_value_is_verified_where_its_quote_stands_in_the_stored_page() -> None:
    assert states() == {"name": "verified", "price": "verified", "colour": "not_found"}


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (f"New!\n{TEXT}", "moved"),
        ("Desk lamp\nPrice: $999 incl. VAT", "quote_not_found_in_stored_page"),
        (None, "unverified"),
    ],
)
def test_a_quote_that_does_not_stand_there_is_no_proof(text: str | None, state: str) -> None:
    assert states(text)["price"] == state


def test_readings_that_were_not_sure_enough_leave_a_field_unverified_or_in_conflict() -> None:
    one, two = {"/colour": [candidate("red")]}, {"/colour": [candidate("red"), candidate("blue")]}
    assert states(candidates=one)["colour"] == "unverified"
    assert states(candidates=two)["colour"] == "conflict"


def test_a_second_extraction_that_read_something_else_is_a_conflict() -> None:
    doubt = {"pointer": "/price", "verdict": "differs", "second": 47, "second_provenance": None}
    fields = provenance.fields_of(record(), SCHEMA, TEXT, [doubt])
    assert (fields[1].state, fields[1].others[0].value) == ("conflict", "47")


def test_objects_and_lists_of_objects_are_opened_and_plain_lists_are_one_field() -> None:
    data = {"offers": [{"price": 1}, {"price": 2}], "tags": ["a", "b"], "size": {"width": 3}}
    schema = {"properties": {"size": {"properties": {"width": {}, "height": {}}}}}
    fields = provenance.fields_of(record(data=data, provenance=[]), schema, TEXT)
    assert {field.name: field.value for field in fields} == {
        "size.width": "3",
        "size.height": None,
        "offers.0.price": "1",
        "offers.1.price": "2",
        "tags": "a; b",
    }
