"""Slices as values, and values from their quotes again."""

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.engine.extraction.schema.schema import Field
from app.engine.extraction.values import choices
from app.engine.extraction.values.values import fits, recompute, typed, typed_item
from tests.costs import times_as_much
from tests.unit.engine.extraction.reading import context, field, read, value

TEXT = field(type="string")
ADDRESS = field(type="string", format="uri")


@pytest.mark.parametrize(
    ("text", "expected", "transform"),
    [
        ("Lamp", "Lamp", "none"),
        (" – Lamp:", "Lamp", "trim"),
        ("A \n  lamp", "A lamp", "collapse"),
        ("Mac &amp; Cheese", "Mac & Cheese", "entity"),
        ("<p>Hi <b>you</b></p>", "Hi you", "entity"),
        ("List<int>", "List<int>", "none"),
        ("-5°C", "-5°C", "none"),
    ],
)
def test_a_text_has_the_least_transform(text: str, expected: str, transform: str) -> None:
    found = read(text, TEXT)
    assert found is not None
    assert (found.value, found.transform) == (expected, transform)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a@shop.test", "a@shop.test"),
        ("a [at] shop.test", "a [at] shop.test"),
        ("Write to us", None),
    ],
)
def test_a_mail_address_has_its_sign(text: str, expected: str | None) -> None:
    assert value(text, field("email", type="string")) == expected


def test_what_belongs_to_mail_or_a_phone_is_no_address_or_number() -> None:
    assert value("Thunderbird", field("email_client", type="string")) == "Thunderbird"
    assert value("Galaxy", field("phone_model", type="string")) == "Galaxy"
    assert value("see website", field("office_phone", type="string")) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/a", "https://shop.test/a"),
        ("img.jpg", "https://shop.test/a/img.jpg"),
        ("//cdn.test/z", "https://cdn.test/z"),
        ("?q=1", "https://shop.test/a/b?q=1"),
        ("www.x.com/a", "https://www.x.com/a"),
        ("javascript:alert(1)", None),
        ("Read more", None),
        ("3.5", None),
        ("https://a.test/c d", None),
        ("http://[::1", None),
    ],
)
def test_an_address_is_absolute_and_of_the_web(text: str, expected: str | None) -> None:
    assert value(text, ADDRESS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In stock", "InStock"),
        ("in stock, 3 left", "InStock"),
        ("https://schema.org/OutOfStock", "OutOfStock"),
        ("pre order", "Pre-order"),
        ("Out", "OutOfStock"),
        ("In", None),
        ("stock", None),
        ("Pre-ordered", None),
        ("!", None),
    ],
)
def test_one_of_an_enumeration_is_named_folded_or_by_its_beginning(
    text: str, expected: str | None
) -> None:
    of = field(enum=["InStock", "OutOfStock", "Pre-order", "Inside"])
    assert value(text, of) == expected


def test_one_of_an_enumeration_of_numbers_is_a_number() -> None:
    assert value("2", field(enum=[1, 2])) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes", True),
        ("https://schema.org/InStock", True),
        ("✗", False),
        ("Sold out", False),
        ("nein", False),
        ("maybe", None),
        ("Yes, we can", None),
    ],
)
def test_yes_and_no_are_read(text: str, expected: bool | None) -> None:
    assert value(text, field(type="boolean")) is expected


def test_an_item_of_a_list_loses_its_bullet() -> None:
    of = field(type="array", items={"type": "string"})
    found = typed_item("2. Stir", of, context())
    assert found is not None
    assert (found.value, found.transform) == ("Stir", "list_item")


def test_a_pattern_has_to_be_met() -> None:
    of = field(type="string", pattern=r"^\d{3}$")
    assert [value(text, of) for text in ("123", "1234")] == ["123", None]


@pytest.mark.parametrize(
    ("schema", "good", "bad"),
    [
        ({"type": "number", "minimum": 0}, 0, -1),
        ({"type": "number", "multipleOf": 0.1}, 0.3, 0.35),
        ({"type": "number", "multipleOf": 1e-30}, 5, 1.5e-31),
        ({"type": "string", "maxLength": 3}, "abc", "abcd"),
        ({"const": "a"}, "a", "b"),
    ],
)
def test_a_value_fits_its_bounds_or_not(schema: dict[str, Any], good: Any, bad: Any) -> None:
    assert (fits(field(**schema), good), fits(field(**schema), bad)) == (True, False)


@pytest.mark.parametrize("transform", ["model", "unknown", ""])
def test_what_is_no_function_of_the_quote_is_not_computed(transform: str) -> None:
    assert recompute("a", transform, TEXT, context()) is None


FIELDS = [
    TEXT,
    ADDRESS,
    field(type="string", format="date"),
    field(type="string", format="date-time"),
    field(type="string", format="duration"),
    field(type="string", format="email"),
    field("author", type="string"),
    field("currency", type="string"),
    field("price", type="number"),
    field("weight_kg", type="number"),
    field("total_time_minutes", type="integer"),
    field("year", type="integer"),
    field(type="number", maximum=5),
    field(type="boolean"),
    field(enum=["In stock", "Out of stock", 3]),
]
PIECES = ["1", "12", ".", ",", " ", "-", "–", "€", "$", "USD", "kg", "h", "min", "PT", "/", "2021"]
SLICES = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from([*PIECES, "April", "&amp;", "<b>", "½", "\n", ";", "by "])).map(
        "".join
    ),
)


@given(SLICES, st.sampled_from(FIELDS), st.sampled_from(["en", "de", "xx-zz", None]))
@example("\ud800", TEXT, None)
@example("٣٫٥ €", field("price", type="number"), "ar")
@example("1²", field(type="number"), "en")
def test_a_value_is_computed_from_its_quote_again(
    text: str, of: Field, language: str | None
) -> None:
    known = context(language)
    found = typed(text, of, known)
    if found is not None:
        assert recompute(text, found.transform, of, known) == found.value
        json.dumps(found.value, allow_nan=False)


HOSTILE = ["1", "1,", "1 000", "a", "(", "&amp;", " ", "½", "$1 ", "<p", "1h", ",.-", "/", "\u0301"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_slice_is_read_in_the_time_of_a_few_plain_ones(piece: str) -> None:
    plain = [(TEXT, f"plain {i}" * 5) for i in range(2_000)]
    lengths = (40, 100, 200, 20_000)
    hostile = [(of, (piece * length)[:length]) for of in FIELDS for length in lengths]
    assert times_as_much(partial(read_all, hostile), partial(read_all, plain), 20) < 20


def read_all(slices: list[tuple[Field, str]]) -> None:
    for of, text in slices:
        typed(text, of, context())


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("4.5", [1, 2, 3, 4, 5], None),
        ("45", [4.5], None),
        ("-1", [0, 1], None),
        ("-1", [-1, 1], -1),
        ("4,5", [4, 4.5], 4.5),
        ("3.11.2", ["3.1", "3.11"], "3.11"),
        ("C++ 17", ["C", "C++"], "C++"),
        ("AB- (rare)", ["AB+", "AB-"], "AB-"),
    ],
)
def test_numbers_and_signs_part_the_values_of_an_enumeration(
    text: str, values: list[Any], expected: Any
) -> None:
    assert choices.choose(text, values) == expected


@pytest.mark.parametrize(
    "text",
    [
        "n/a", "n. a.", "TBD", "– n/a –", "To be confirmed", "not specified", "keine Angabe",
        "non communiqué", "not known", "none recorded", "see notes",
    ],
)  # fmt: skip
def test_what_says_that_there_is_no_value_is_none(text: str) -> None:
    assert read(text, field("maker", type="string")) is None


@pytest.mark.parametrize("text", ["not available", "unknown", "To be, or not to be"])
def test_what_a_thing_may_be_is_a_value(text: str) -> None:
    assert value(text, field("state", type="string")) == text


def test_several_values_of_an_enumeration_are_not_the_first_of_them() -> None:
    assert choices.choose("Low / high", ["high", "low"]) is None
