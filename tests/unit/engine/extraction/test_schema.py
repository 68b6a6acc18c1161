"""The subset of JSON Schema that describes a record, and the plan made of it."""

import contextlib
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.engine.extraction.schema.keywords import KEYWORDS
from app.engine.extraction.schema.patterns import compiled
from app.engine.extraction.schema.schema import Plan, SchemaRefused, plan
from tests.costs import times_as_much


def fields(**properties: Any) -> dict[str, Any]:
    return {
        field.name: field for field in plan({"type": "object", "properties": properties}).fields
    }


def problems(schema: Any) -> list[tuple[str, str]]:
    with pytest.raises(SchemaRefused) as refused:
        plan(schema)
    return refused.value.problems


def pointers(schema: Any) -> list[str]:
    return [pointer for pointer, _ in problems(schema)]


PYDANTIC = {
    "$defs": {
        "Brand": {
            "properties": {"name": {"title": "Name", "type": "string"}},
            "required": ["name"],
            "title": "Brand",
            "type": "object",
        }
    },
    "properties": {
        "name": {"title": "Name", "type": "string"},
        "price": {
            "anyOf": [{"minimum": 0, "type": "number"}, {"type": "null"}],
            "default": None,
            "title": "Price",
        },
        "brand": {"$ref": "#/$defs/Brand", "description": "who makes it"},
        "variants": {"items": {"$ref": "#/$defs/Brand"}, "title": "Variants", "type": "array"},
    },
    "required": ["name", "brand", "variants"],
    "title": "Product",
    "type": "object",
}


def test_what_pydantic_writes_is_accepted() -> None:
    made = plan(PYDANTIC)
    assert [(x.pointer, x.type, x.required, x.nullable) for x in made.fields] == [
        ("/name", "string", True, False),
        ("/price", "number", False, True),
        ("/brand", "object", True, False),
        ("/variants", "array", True, False),
    ]


def test_a_reference_is_written_out_with_what_stands_beside_it() -> None:
    brand = plan(PYDANTIC).fields[2]
    assert brand.description == "who makes it"
    assert brand.items is not None
    assert [x.pointer for x in brand.items.fields] == ["/brand/name"]


def test_pointers_below_an_array_of_objects_begin_at_its_item() -> None:
    variants = plan(PYDANTIC).fields[3]
    assert variants.items is not None
    assert [x.pointer for x in variants.items.fields] == ["/name"]


def test_a_pointer_escapes_what_has_a_meaning_in_it() -> None:
    assert fields(**{"a/b~c": {"type": "string"}})["a/b~c"].pointer == "/a~1b~0c"


def test_an_array_of_scalars_has_an_item() -> None:
    item = fields(tags={"type": "array", "items": {"type": "string", "maxLength": 9}})["tags"].item
    assert item is not None
    assert (item.type, item.max_length) == ("string", 9)


@pytest.mark.parametrize("name", ["datePublished", "date_published", "Date published", "posted_on"])
def test_names_of_one_thing_have_the_same_words(name: str) -> None:
    assert fields(**{name: {"type": "string"}})[name].words == frozenset({"#published"})


def test_words_are_stemmed_and_come_from_title_and_quoted_words_too() -> None:
    field = fields(x={"type": "string", "title": "Doors", "description": 'as under "Net weight"'})[
        "x"
    ]
    assert field.words == frozenset({"x", "door", "net", "#weight"})


@pytest.mark.parametrize(
    ("name", "description", "unit"),
    [
        ("total_time_minutes", "", "min"),
        ("weight", "shipping weight in kg", "kg"),
        ("widthMm", "", "mm"),
        ("weight", "The weight (g) as printed", "g"),
        ("vitamin_d", "", None),
        ("minutes_of_meeting", "", None),
        ("count", "in stock", None),
        ("duration_min", "", "min"),
        ("stay_min", "", None),
        ("walk_min", "in minutes", "min"),
    ],
)
def test_the_unit_comes_from_name_or_description(
    name: str, description: str, unit: str | None
) -> None:
    assert fields(**{name: {"type": "number", "description": description}})[name].unit == unit


@pytest.mark.parametrize(
    ("name", "description", "currency"),
    [
        ("price_eur", "", "EUR"),
        ("price", "in USD", "USD"),
        ("price", "the price in euros", "EUR"),
        ("world_cup", "", None),
        ("price", "the price in total", None),
    ],
)
def test_the_currency_comes_from_name_or_description(
    name: str, description: str, currency: str | None
) -> None:
    found = fields(**{name: {"type": "number", "description": description}})[name].currency
    assert found == currency


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({}, "string"),
        ({"enum": [1, 2]}, "integer"),
        ({"enum": [1, 2.5, None]}, "number"),
        ({"minimum": 3}, "number"),
        ({"properties": {"a": {}}}, "object"),
        ({"items": {}}, "array"),
        ({"const": True}, "boolean"),
    ],
)
def test_a_type_that_is_not_stated_is_the_one_its_keywords_are_for(
    schema: dict[str, Any], kind: str
) -> None:
    assert fields(a=schema)["a"].type == kind


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ([], ""),
        ({}, ""),
        ({"type": "string"}, ""),
        ({"type": "object"}, ""),
        ({"type": "object", "properties": {}}, "/properties"),
        ({"properties": {"a": {}}, "required": ["a", "b"]}, "/required/1"),
        ({"properties": {"a": {"oneOf": []}}}, "/properties/a/oneOf"),
        ({"properties": {"a": True}}, "/properties/a"),
        ({"properties": {"a": {"type": ["string", "number"]}}}, "/properties/a/type"),
        ({"properties": {"a": {"type": "null"}}}, "/properties/a/type"),
        ({"properties": {"a": {"anyOf": [{}, {}]}}}, "/properties/a/anyOf"),
        ({"properties": {"a": {"$ref": "https://x.test/s"}}}, "/properties/a/$ref"),
        ({"properties": {"a": {"$ref": "#/$defs/b"}}}, "/properties/a/$ref"),
        ({"properties": {"a": {"$ref": "#"}}}, "/properties/a/$ref"),
        ({"properties": {"a": {"enum": []}}}, "/properties/a/enum"),
        ({"properties": {"a": {"enum": ["x" * 201]}}}, "/properties/a/enum"),
        ({"properties": {"a": {"minLength": -1}}}, "/properties/a/minLength"),
        ({"properties": {"a": {"maximum": "9"}}}, "/properties/a/maximum"),
        ({"properties": {"a": {"items": {"items": {}}}}}, "/properties/a/items"),
        ({"properties": {"a": {"additionalProperties": {}}}}, "/properties/a/additionalProperties"),
        ({"properties": {"": {}}}, "/properties/"),
        ({"properties": {"a": {"minimum": 5, "maximum": 3}}}, "/properties/a/maximum"),
        (
            {"properties": {"a": {"minimum": 5, "exclusiveMaximum": 5}}},
            "/properties/a/exclusiveMaximum",
        ),
        ({"properties": {"a": {"exclusiveMinimum": 5, "maximum": 5}}}, "/properties/a/maximum"),
        ({"properties": {"a": {"minLength": 5, "maxLength": 3}}}, "/properties/a/maxLength"),
        (
            {"properties": {"a": {"items": {}, "minItems": 2, "maxItems": 1}}},
            "/properties/a/maxItems",
        ),
        ({"properties": {"a": {"pattern": "(?=a)b"}}}, "/properties/a/pattern"),
        ({"properties": {"a": {"pattern": "(a"}}}, "/properties/a/pattern"),
        ({"properties": {"a": {"pattern": r"(\w) \1"}}}, "/properties/a/pattern"),
    ],
)
def test_what_is_outside_the_subset_is_refused_where_it_stands(schema: Any, pointer: str) -> None:
    assert pointers(schema) == [pointer]


def test_bounds_may_meet() -> None:
    assert fields(a={"minimum": 5, "maximum": 5})["a"].maximum == 5


def test_bounds_that_leave_no_value_are_named() -> None:
    with pytest.raises(SchemaRefused, match="maximum is 3, and minimum is 5"):
        plan({"properties": {"a": {"minimum": 5, "maximum": 3}}})


def test_a_problem_inside_a_definition_points_there() -> None:
    schema = {
        "$defs": {"A": {"type": "string", "minLength": "x"}},
        "properties": {"a": {"$ref": "#/$defs/A"}},
    }
    assert pointers(schema) == ["/$defs/A/minLength"]


def test_a_reference_and_what_stands_beside_it_may_not_contradict() -> None:
    schema = {
        "$defs": {"A": {"type": "string"}},
        "properties": {"a": {"$ref": "#/$defs/A", "type": "integer"}},
    }
    assert pointers(schema) == ["/$defs/A/type"]


def test_an_object_holds_one_array_of_objects() -> None:
    rows = {"type": "array", "items": {"properties": {"x": {}}}}
    assert pointers({"properties": {"a": rows, "b": rows}}) == ["/properties/b"]


def test_several_problems_are_named_together() -> None:
    schema = {"properties": {"a": {"not": {}}, "b": {"type": "text"}}, "required": ["c"]}
    assert pointers(schema) == ["/required/0", "/properties/a/not", "/properties/b/type"]


def test_an_unknown_format_and_a_default_are_warned_of() -> None:
    made = plan({"properties": {"a": {"format": "colour", "default": 3}}})
    assert [warning.split(":")[0] for warning in made.warnings] == ["/properties/a"] * 2


def test_the_plan_of_the_same_schema_is_the_same() -> None:
    assert plan({"properties": {"a": {}}}) is plan({"properties": {"a": {}}})


def _levels(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def _doubling() -> dict[str, Any]:
    halves = {
        f"d{i}": {"properties": {name: {"$ref": f"#/$defs/d{i + 1}"} for name in "abcdefgh"}}
        for i in range(4)
    }
    return {"$defs": {**halves, "d4": {"type": "string"}}, "$ref": "#/$defs/d0"}


def _chain() -> dict[str, Any]:
    links = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(1000)}
    return {"$defs": links, "properties": {f"f{i}": {"$ref": "#/$defs/d0"} for i in range(150)}}


HOSTILE = {
    "10,000 properties": {"properties": {f"f{i}": {"type": "string"} for i in range(10_000)}},
    "300 properties": {"properties": {f"f{i}": {} for i in range(300)}},
    "200 levels": _levels(200),
    "20 levels": _levels(20),
    "30,000 levels": {"properties": {"a": {"default": None}}},
    "recursion": {
        "$defs": {"a": {"properties": {"a": {"$ref": "#/$defs/a"}}}},
        "$ref": "#/$defs/a",
    },
    "a loop": {"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
    "doubling": _doubling(),
    "a chain": _chain(),
    "large patterns": {
        "properties": {f"a{i}": {"pattern": rf"\p{{L}}{{18}}{i}"} for i in range(20)}
    },
    "too large patterns": {
        "properties": {f"a{i}": {"pattern": rf"(\pL\pN\pP){{90}}{i}"} for i in range(20)}
    },
    "nested repetition": {"properties": {"a": {"pattern": "(x{900}){900}"}}},
    "a large number": {"properties": {"a": {"minimum": 10**5000}}},
    "not a number": {"properties": {"a": {"minimum": float("nan")}}},
    "half a character": {"properties": {"\ud800": {}}},
    "NUL": {"properties": {"a\0": {}}},
    "keys that are no text": {"properties": {1: {}}},
}
_lists: Any = []
for _ in range(30_000):
    _lists = [_lists]
HOSTILE["30,000 levels"]["properties"]["a"]["default"] = _lists  # type: ignore[index]


VERSIONS = count()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_schema_is_refused_as_fast_as_a_large_one_is_read(name: str) -> None:
    assert problems(HOSTILE[name])
    assert times_as_much(partial(refuse, HOSTILE[name]), read_large, 10) < 10


def refuse(schema: Any) -> None:
    """As one that nobody has sent before."""
    compiled.cache_clear()
    problems(schema)


def read_large() -> None:
    version = next(VERSIONS)
    text = {"type": "string", "description": f"of version {version}"}
    plan({"properties": {f"property_{i}": text for i in range(190)}})


def test_patterns_that_explode_elsewhere_are_harmless() -> None:
    assert isinstance(plan({"properties": {"a": {"pattern": "^(a|aa)+$"}}}), Plan)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)
KEYWORD = st.sampled_from([*sorted(KEYWORDS), "$ref", "anyOf", "oneOf"])
VALUE = st.sampled_from(
    ["object", "array", "string", "#/$defs/a", ["string", "null"], [{"type": "null"}, {}], "a+"]
)
SCHEMA = st.recursive(
    JSON | VALUE,
    lambda inner: (
        st.dictionaries(KEYWORD, inner | VALUE, max_size=5)
        | st.fixed_dictionaries({"properties": st.dictionaries(st.text(max_size=3), inner)})
        | st.lists(inner, max_size=3)
    ),
    max_leaves=20,
)


@given(JSON | SCHEMA)
def test_nothing_comes_out_but_a_plan_or_a_refusal(schema: Any) -> None:
    with contextlib.suppress(SchemaRefused):
        assert isinstance(plan(schema), Plan)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("instructions_list", "instructions"),
        ("list_of_ingredients", "ingredients"),
        ("name_of_author", "author"),
        ("priceValue", "price"),
        ("published_date_text", "date_published"),
    ],
)
def test_words_about_how_a_value_is_kept_are_no_part_of_a_name(name: str, plain: str) -> None:
    read = fields(**{name: {"type": "string"}, plain: {"type": "string"}})
    assert read[name].words == read[plain].words


@pytest.mark.parametrize("name", ["list", "item_value", "name_of"])
def test_a_name_of_nothing_but_such_words_keeps_them(name: str) -> None:
    assert fields(**{name: {"type": "string"}})[name].words
