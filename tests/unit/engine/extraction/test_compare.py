"""What counts as the same value, and what tells records apart."""

from functools import partial
from typing import Any

import pytest

from app.engine.extraction.schema.schema import Field, plan
from app.engine.extraction.values.compare import identity, same, value_at
from tests.costs import times_as_much
from tests.plans import ADDRESS, plan_of


def field(**schema: Any) -> Field:
    return plan({"type": "object", "properties": {"it": schema}}).fields[0]


TEXT, NUMBER = field(type="string"), field(type="number")
DATE, URL = field(type="string", format="date"), field(type="string", format="uri")
MOMENT = field(type="string", format="date-time")
PRICE = field(type="string", title="price")
TAGS = field(type="array", items={"type": "string"})
OFFERS = field(
    type="array",
    items={
        "type": "object",
        "properties": {"seller": {"type": "string"}, "price": {"type": "number"}},
    },
)


@pytest.mark.parametrize(
    ("of", "a", "b"),
    [
        (TEXT, "It’s  “here” – now", 'It\'s "here" - now'),
        (TEXT, "Ｗｉｄｅ\u00a0text", "Wide text"),
        (TEXT, "09:42 (UTC)", "09:42"),
        (TEXT, "4 May 2024, 09:42:10 UTC", "4 May 2024, 09:42:10"),
        (NUMBER, 9.5, 9.50),
        (DATE, "2026-03", "2026-03-04"),
        (URL, "https://A.test/x?b=1&a=2&utm_source=n#top", "https://a.test/x?a=2&b=1"),
        (TAGS, ["a", "b", "b"], ["b", "a", "b"]),
        (
            OFFERS,
            [{"seller": "A", "price": 1}, {"seller": "B", "price": 2}],
            [{"seller": "B", "price": 2.0}, {"seller": "A", "price": 1}],
        ),
        (None, None, None),
        (MOMENT, "2026-03-04T10:00:00Z", "2026-03-04T11:00:00+01:00"),
        (MOMENT, "2026-03-04", "2026-03-04T11:00:00+01:00"),
        (PRICE, "5,00 €", "€ 5.00"),
        (PRICE, "on request", "on  request"),
    ],
)
def test_values_that_say_the_same(of: Field | None, a: Any, b: Any) -> None:
    assert same(of, a, b)
    assert same(of, b, a)


@pytest.mark.parametrize(
    ("of", "a", "b"),
    [
        (TEXT, "Lamp", "lamp"),
        (TEXT, "Lamp", None),
        (TEXT, "09:42 (CET)", "09:42"),
        (TEXT, "Lamp (UTC)", "Lamp"),
        (NUMBER, 9.5, 9.51),
        (NUMBER, True, 1),
        (DATE, "2026-03-04", "2026-03-05"),
        (URL, "https://a.test/x?a=1", "https://a.test/x?a=2"),
        (TAGS, ["a", "b"], ["a", "b", "b"]),
        (OFFERS, [{"seller": "A", "price": 1}], [{"seller": "A", "price": 2}]),
        (None, 0, None),
        (TEXT, "1", 1),
        (MOMENT, "2026-03-04T10:00:00Z", "2026-03-04T10:00:00+01:00"),
        (PRICE, "5,00 €", "$5.00"),
        (PRICE, "5,00 €", "5,01 €"),
    ],
)
def test_values_that_differ(of: Field | None, a: Any, b: Any) -> None:
    assert not same(of, a, b)
    assert not same(of, b, a)


def test_the_order_of_a_list_counts_only_when_it_is_said_to() -> None:
    lists = (["a", "b"], ["b", "a"])
    assert (same(TAGS, *lists), same(TAGS, *lists, ordered=True)) == (True, False)


def test_long_lists_are_compared_in_linear_time() -> None:
    few, many = ([f"item {i}" for i in range(length)] for length in (1_000, 20_000))
    assert same(TAGS, many, many[::-1])
    assert times_as_much(partial(compared, many), partial(compared, few), 100) < 100


def compared(items: list[str]) -> bool:
    return same(TAGS, items, items[::-1])


def test_the_address_of_an_image_is_no_identity() -> None:
    pictured = plan({"properties": {"image": {"type": "string", "format": "uri"}}})
    assert identity(pictured, {"image": "https://a.test/1.png"}) is None


RECORD = plan_of("name", name={"type": "string"}, sku={"type": "string"}, page=ADDRESS)


@pytest.mark.parametrize(
    ("data", "known_by"),
    [
        (
            {"name": "Lamp", "sku": "X1", "page": "https://a.test/1?utm_x=2"},
            "page=https://a.test/1",
        ),
        ({"name": "Lamp", "sku": "X1"}, "sku=X1"),
        ({"name": " Lamp  one"}, "name=Lamp one"),
        ({}, None),
    ],
)
def test_a_record_is_known_by_its_address_its_id_or_its_first_required_text(
    data: dict[str, Any], known_by: str | None
) -> None:
    assert identity(RECORD, data) == known_by


def test_a_pointer_names_what_is_in_a_record() -> None:
    data = {"a/b": {"c": [1, 2]}}
    assert value_at(data, "/a~1b/c/1") == 2
    assert value_at(data, "/a~1b/d/1") is None
    assert value_at(data, "/a~1b/c/7") is None
    assert value_at(data, "/a~1b/c/²") is None


def test_a_record_is_known_by_its_name_before_another_required_text() -> None:
    properties = {name: {"type": "string"} for name in ("role", "name")}
    people = plan({"type": "object", "properties": properties, "required": ["role"]})
    assert identity(people, {"role": "Cook", "name": "Ana"}) == "name=Ana"
