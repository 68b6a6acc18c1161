"""Filters, keys, queries and addresses of items."""

from typing import Any

import pytest

from app.domains.records.workflows import steps
from app.engine.extraction.values.compare import value_at

LAMP = {
    "name": "Desk  Lamp",
    "price": 39.0,
    "on": "2026-03-01",
    "tags": ["Oak", "Brass"],
    "maker": {"name": "Alder & Sons", "a/b": 1},
    "links": ["https://a.test/1", "mailto:x", "http://a.test/2"],
    "url": "https://a.test/",
    "stock": True,
    "sold": None,
}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/name", "Desk  Lamp"),
        ("/maker/name", "Alder & Sons"),
        ("/maker/a~1b", 1),
        ("/tags/1", "Brass"),
        ("/tags/2", None),
        ("/tags/x", None),
        ("/name/0", None),
        ("/none", None),
    ],
)
def test_a_pointer_leads_to_a_value_or_nowhere(pointer: str, value: Any) -> None:
    assert value_at(LAMP, pointer) == value


def stays(pointer: str, operator: str, value: Any = None) -> bool:
    return steps.stays({"pointer": pointer, "operator": operator, "value": value}, LAMP)


@pytest.mark.parametrize(
    ("pointer", "operator", "value"),
    [
        ("/price", "eq", 39),
        ("/name", "eq", "desk lamp"),
        ("/price", "ne", 40),
        ("/none", "ne", 40),
        ("/price", "lt", 39.5),
        ("/price", "le", 39),
        ("/price", "gt", 38),
        ("/price", "ge", 39),
        ("/on", "lt", "2026-03-02"),
        ("/name", "contains", "LAMP"),
        ("/tags", "contains", "oak"),
        ("/tags", "exists", None),
        ("/sold", "exists", False),
        ("/name", "matches", r"^Desk\s+L"),
    ],
)
def test_an_item_stays_when(pointer: str, operator: str, value: Any) -> None:
    assert stays(pointer, operator, value)


@pytest.mark.parametrize(
    ("pointer", "operator", "value"),
    [
        ("/price", "eq", "39"),
        ("/stock", "eq", 1),
        ("/price", "lt", "99"),
        ("/none", "lt", 99),
        ("/stock", "ge", 0),
        ("/tags", "lt", "z"),
        ("/price", "contains", "3"),
        ("/tags", "contains", "oa"),
        ("/price", "matches", "3"),
        ("/sold", "exists", True),
        ("/name", "exists", False),
    ],
)
def test_an_item_goes_when(pointer: str, operator: str, value: Any) -> None:
    assert not stays(pointer, operator, value)


def test_a_hostile_pattern_takes_no_time() -> None:
    condition = {"pointer": "/name", "operator": "matches", "value": "^(a+)+$"}
    assert not steps.stays(condition, {"name": "a" * 20_000 + "b"})


def test_values_that_look_alike_have_one_key() -> None:
    one, other = {"name": "Desk Lamp", "price": 39}, {"name": " desk  LAMP", "price": 39.0}
    assert steps.key(["/name", "/price"], one) == steps.key(["/name", "/price"], other)


def test_values_of_other_fields_do_not_matter() -> None:
    assert steps.key(["/name"], {"name": "A", "x": 1}) == steps.key(["/name"], {"name": "A"})


def test_different_values_have_different_keys() -> None:
    assert steps.key(["/a", "/b"], {"a": "x"}) != steps.key(["/a", "/b"], {"b": "x"})


def test_an_item_without_any_of_the_values_has_no_key() -> None:
    assert steps.key(["/a", "/b"], {"c": 1}) is None


def test_a_query_takes_values_of_its_item() -> None:
    query = steps.query("{/name} by {/maker/name} {/tags}", LAMP)
    assert query == "Desk Lamp by Alder & Sons Oak Brass"


@pytest.mark.parametrize("template", ["{/none} review", "{/sold}", "{/maker}"])
def test_an_item_without_the_value_makes_no_query(template: str) -> None:
    assert steps.query(template, LAMP) is None


def test_a_value_with_a_placeholder_is_only_text() -> None:
    assert steps.query("{/a}", {"a": "{/b}", "b": "x"}) == "{/b}"


def test_addresses_are_those_of_the_web() -> None:
    assert steps.addresses(LAMP, "/links") == ["https://a.test/1", "http://a.test/2"]
    assert steps.addresses(LAMP, "/url") == ["https://a.test/"]
    assert steps.addresses(LAMP, "/price") == []


def test_addresses_that_differ_in_case_are_two_things() -> None:
    one, other = {"url": "https://a.example/AbC"}, {"url": "https://a.example/aBC"}
    assert steps.key(["/url"], one) != steps.key(["/url"], other)
