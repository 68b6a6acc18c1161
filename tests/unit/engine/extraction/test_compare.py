"""What counts as the same value, and what tells records apart."""

from typing import Any

import pytest

from app.engine.extraction.compare import identity, same, value_at
from app.engine.extraction.schema import Field, plan


def field(**schema: Any) -> Field:
    return plan({"type": "object", "properties": {"it": schema}}).fields[0]


TEXT, NUMBER = field(type="string"), field(type="number")
DATE, URL = field(type="string", format="date"), field(type="string", format="uri")
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
        (NUMBER, 9.5, 9.50),
        (NUMBER, 3, 3.0),
        (DATE, "2026-03", "2026-03-04"),
        (URL, "https://A.test/x?b=1&a=2&utm_source=n#top", "https://a.test/x?a=2&b=1"),
        (TAGS, ["a", "b", "b"], ["b", "a", "b"]),
        (
            OFFERS,
            [{"seller": "A", "price": 1}, {"seller": "B", "price": 2}],
            [{"seller": "B", "price": 2.0}, {"seller": "A", "price": 1}],
        ),
        (None, None, None),
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
        (NUMBER, 9.5, 9.51),
        (NUMBER, True, 1),
        (DATE, "2026-03-04", "2026-03-05"),
        (URL, "https://a.test/x?a=1", "https://a.test/x?a=2"),
        (TAGS, ["a", "b"], ["a", "b", "b"]),
        (OFFERS, [{"seller": "A", "price": 1}], [{"seller": "A", "price": 2}]),
        (None, 0, None),
        (TEXT, "1", 1),
    ],
)
def test_values_that_differ(of: Field | None, a: Any, b: Any) -> None:
    assert not same(of, a, b)
    assert not same(of, b, a)


RECORD = plan(
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "sku": {"type": "string"},
            "page": {"type": "string", "format": "uri"},
        },
        "required": ["name"],
    }
)


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
