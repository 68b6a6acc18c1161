"""Records against their schemas."""

import json
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from app.engine.extraction.schema.schema import Plan, SchemaRefused, plan
from app.engine.extraction.schema.validation import SchemaViolation, unsatisfied
from tests.costs import times_as_much

SUITE = Path(__file__).parents[5] / "shared" / "data" / "json-schema.tar.xz"
# `additionalProperties` is accepted without effect, and formats are asserted here.
NOT_OURS = {"additionalProperties.json", "format.json", "default.json"}


def of(schema: dict[str, Any], value: Any) -> list[SchemaViolation]:
    return unsatisfied(plan({"properties": {"a": schema}}), {"a": value})


def test_a_record_that_conforms_lacks_nothing() -> None:
    schema = {"properties": {"name": {"type": "string"}, "n": {"type": "integer", "minimum": 1}}}
    assert unsatisfied(plan(schema), {"name": "Lamp", "n": 1}) == []


def test_a_missing_value_is_named_where_it_should_stand() -> None:
    made = plan({"required": ["a/b", "c"], "properties": {"a/b": {}, "c": {}}})
    assert unsatisfied(made, {"c": 1}) == [SchemaViolation("/a~1b", "required", True, None)]


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"type": "integer"}, "x", ("type", "integer", '"x"')),
        ({"enum": ["a", "b"]}, "c", ("enum", ["a", "b"], '"c"')),
        ({"pattern": "^a+$"}, "b", ("pattern", "^a+$", '"b"')),
        ({"format": "date"}, "2021-02-30", ("format", "date", '"2021-02-30"')),
        ({"maximum": 5}, 6, ("maximum", 5, "6")),
        ({"multipleOf": 0.1}, 0.35, ("multipleOf", 0.1, "0.35")),
        ({"uniqueItems": True}, [1, 1.0], ("uniqueItems", True, "[1, 1.0]")),
        ({"maxLength": 3}, "x" * 900, ("maxLength", 3, '"' + "x" * 199)),
    ],
)
def test_what_is_not_kept_is_named_with_what_was_expected(
    schema: dict[str, Any], value: Any, expected: tuple[Any, ...]
) -> None:
    (found,) = of(schema, value)
    assert (found.pointer, found.keyword, found.expected, found.actual) == ("/a", *expected)


def test_a_pointer_leads_into_lists_of_objects() -> None:
    rows = {"type": "array", "items": {"required": ["x"], "properties": {"x": {"type": "string"}}}}
    found = of(rows, [{"x": "1"}, {"x": 2}, {}])
    assert [(each.pointer, each.keyword) for each in found] == [
        ("/a/1/x", "type"),
        ("/a/2/x", "required"),
    ]


@pytest.mark.parametrize(
    ("step", "value", "kept"),
    [(0.1, 0.3, True), (0.01, 19.99, True), (0.5, 1e308, True), (3, 10, False), (1e-9, 1.5, True)],
)
def test_multiples_are_exact(step: float, value: float, kept: bool) -> None:
    assert (of({"multipleOf": step}, value) == []) is kept


@pytest.mark.parametrize("value", [[1, True], [0, False], [[1], [True]], [{"a": 1}, {"a": 2}]])
def test_values_of_different_types_are_different(value: list[Any]) -> None:
    assert of({"uniqueItems": True}, value) == []


def test_null_is_kept_where_the_schema_allows_it() -> None:
    nullable = {"anyOf": [{"enum": ["a"]}, {"type": "null"}]}
    assert of(nullable, None) == []
    assert [each.keyword for each in of({"enum": ["a"]}, None)] == ["enum"]


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date", "2021-04-05", "5 April 2021"),
        ("date-time", "2021-04-05T10:00:00Z", "2021-04-05T10:00:00"),
        ("time", "10:00:00Z", "10:00"),
        ("duration", "PT1H20M", "PT"),
        ("email", "a@b.test", "a@b"),
        ("uri", "https://a.test/b?c#d", "/b"),
        ("uri-reference", "/b", "/b c"),
        ("hostname", "a.test", "-a.test"),
        ("ipv4", "192.0.2.1", "192.0.2.256"),
        ("ipv6", "2001:db8::1", "2001:db8::1::"),
        ("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"),
        ("phone", "+49 30 901820", "12"),
        ("colour", "anything", None),
    ],
)
def test_formats_are_asserted(name: str, good: str, bad: str | None) -> None:
    assert of({"format": name}, good) == []
    assert bad is None or [each.keyword for each in of({"format": name}, bad)] == ["format"]


def test_the_day_of_a_week_is_no_date_of_json_schema() -> None:
    assert [each.keyword for each in of({"format": "date"}, "2021-W14-1")] == ["format"]


def test_at_most_a_hundred_entries_are_kept() -> None:
    assert len(of({"type": "array", "items": {"type": "integer"}}, ["x"] * 1000)) == 100


def test_many_different_objects_are_told_apart_in_linear_time() -> None:
    rows = {"type": "array", "uniqueItems": True, "items": {"properties": {"x": {}}}}
    few, many = ([{"x": i} for i in range(n)] for n in (1_000, 20_000))
    assert of(rows, many) == []
    assert times_as_much(lambda: of(rows, many), lambda: of(rows, few), 100) < 100


def test_an_entry_crosses_a_pipe() -> None:
    (entry,) = of({"maximum": 5}, 6)
    assert SchemaViolation.from_json(json.loads(json.dumps(entry.as_json()))) == entry


def _groups() -> Iterator[tuple[str, dict[str, Any]]]:
    with tarfile.open(SUITE) as archive:
        for member in archive:
            file = archive.extractfile(member)
            name = Path(member.name).name
            if file and name.endswith(".json") and name not in NOT_OURS:
                for group in json.load(file):
                    yield name, group


def _planned(schema: Any) -> Plan | None:
    """The plan of a record whose only property has the suite's schema."""
    if not isinstance(schema, dict):
        return None
    inner = {name: value for name, value in schema.items() if name not in ("$defs", "$schema")}
    try:
        return plan({"$defs": schema.get("$defs", {}), "properties": {"a": inner}})
    except SchemaRefused:
        return None


@pytest.mark.skipif(not SUITE.exists(), reason=f"{SUITE} is absent")
def test_the_public_suite_agrees_as_far_as_its_schemas_are_in_the_subset() -> None:
    ran: Counter[str] = Counter()
    wrong = []
    for name, group in _groups():
        made = _planned(group["schema"])
        for case in group["tests"] if made else ():
            ran[name] += 1
            if (unsatisfied(made, {"a": case["data"]}) == []) != case["valid"]:
                wrong.append((name, group["description"], case["description"]))
    assert wrong == []
    assert {"type.json", "pattern.json", "enum.json", "required.json", "ref.json"} <= ran.keys()
    assert ran.total() > 250
