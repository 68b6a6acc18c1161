"""The state of a field follows from its quotes in the stored page, and from other readings."""

from typing import Any

import pytest

from app.web.citations import provenance
from app.web.citations.quotes import digest

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
        "content_hash": digest(TEXT),
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


def states(text: str | None = TEXT, *, second: Any = (), **changes: Any) -> dict[str, str]:
    fields = provenance.fields_of(record(**changes), SCHEMA, text, second)
    return {field.name: field.state for field in fields}


def test_a_value_whose_quote_stands_in_the_stored_page_has_a_quote_and_no_more() -> None:
    assert states() == {"name": "quote_found", "price": "quote_found", "colour": "not_found"}


def test_a_value_is_confirmed_by_a_second_extraction_that_read_it_as_well() -> None:
    assert states(second=[{"pointer": "/price", "verdict": "agreed"}])["price"] == "confirmed"


def test_a_value_that_is_no_more_than_probable_is_unsure_until_it_is_confirmed() -> None:
    doubtful = [{**each, "confidence": 0.7} for each in record()["provenance"]]
    assert states(provenance=doubtful)["price"] == "unsure"
    agreed = [{"pointer": "/price", "verdict": "agreed"}]
    assert states(provenance=doubtful, second=agreed)["price"] == "confirmed"


def test_a_second_extraction_that_could_not_compare_confirms_nothing() -> None:
    second = [{"pointer": "/price", "verdict": "not_comparable"}]
    assert states(second=second)["price"] == "quote_found"


def test_a_stored_page_that_was_changed_takes_the_state_from_its_quotes() -> None:
    assert states(f"{TEXT} today")["price"] == "page_has_changed"


def test_a_quote_that_stands_elsewhere_in_its_page_is_moved() -> None:
    text = f"New!\n{TEXT}"
    moved = [{**each, "content_hash": digest(text)} for each in record()["provenance"]]
    assert states(text, provenance=moved)["price"] == "moved"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Desk lamp\nPrice: $999 incl. VAT", "quote_not_found_in_stored_page"),
        (None, "not_checked"),
    ],
)
def test_a_quote_that_does_not_stand_there_is_no_proof(text: str | None, state: str) -> None:
    assert states(text)["price"] == state


def test_readings_that_were_not_sure_enough_leave_a_field_unsure_or_in_conflict() -> None:
    one, two = {"/colour": [candidate("red")]}, {"/colour": [candidate("red"), candidate("blue")]}
    assert states(candidates=one)["colour"] == "low_confidence"
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
