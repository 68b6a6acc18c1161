"""Our own checks of a record: its quotes, another reading, another source."""

import json
import random

import pytest

from app.engine.extraction.records.readings import Entity, FieldReading
from app.engine.extraction.schema.schema import plan
from app.engine.extraction.values.typed import Context
from app.engine.judging import checks, planted_errors, second_extraction, second_source
from app.engine.judging.checks import RecordChecks, Verdict
from app.engine.judging.second_extraction import Reread
from app.engine.judging.singles import values
from bench.planted_ways import WAYS
from tests.judged import RECORD, SCHEMA, TEXT

PLAN = plan(SCHEMA)
NOWHERE = Context("https://shop.example/lamp", "en")


def quotes(record: planted_errors.Form, *, every: bool = True) -> checks.CheckOutcome:
    return checks.quotes(PLAN, record["data"], record["provenance"], TEXT, NOWHERE, every=every)


def entity(**stated: tuple[object, float]) -> Entity:
    fields = {f"/{name}": (FieldReading(*each, "labels", name),) for name, each in stated.items()}
    return Entity(1.0, 0, fields)


def reread(*entities: Entity, title: str = "Blue lamp") -> checks.CheckOutcome:
    return second_extraction.reread(PLAN, RECORD, TEXT, Reread({"visible": entities}, title))


@pytest.mark.parametrize(
    ("quotes", "second", "source", "state", "doubted"),
    [
        ("agreed", "agreed", "silent", "accepted", False),
        ("agreed", "silent", "agreed", "accepted", False),
        ("agreed", "silent", "silent", "unresolved", False),
        ("agreed", "contradicted", "agreed", "unresolved", True),
        ("contradicted", "contradicted", "agreed", "rejected", True),
        ("silent", "agreed", "agreed", "unresolved", False),
    ],
)
def test_accepting_takes_quotes_and_another_check(
    quotes: Verdict, second: Verdict, source: Verdict, state: str, doubted: bool
) -> None:
    outcome = RecordChecks(quotes, second, source)
    assert (outcome.state, outcome.doubted) == (state, doubted)
    assert RecordChecks.from_json(outcome.as_json()) == outcome


def test_a_good_record_follows_from_its_quotes() -> None:
    assert quotes(RECORD).verdict == "agreed"


def test_a_quote_that_stands_elsewhere_is_none() -> None:
    moved = [{**each, "start": each["start"] + 1} for each in RECORD["provenance"]]
    assert quotes({**RECORD, "provenance": moved}).contradicted == ("/name", "/price", "/colour")


def test_where_citations_are_required_a_value_needs_one() -> None:
    without = {**RECORD, "provenance": RECORD["provenance"][1:]}
    assert quotes(without).contradicted == ("/name",)
    assert quotes(without, every=False).verdict == "agreed"


def test_half_of_a_name_is_not_the_name() -> None:
    assert not checks.stands_by_itself("Blue", TEXT)
    assert checks.stands_by_itself("Blue lamp", TEXT)


def test_another_value_that_a_reading_is_sure_of_contradicts() -> None:
    assert reread(entity(name=("Green desk", 0.9), price=(20, 0.9))).contradicted == ("/name",)


def test_where_its_name_stands_before_a_value_that_is_the_one() -> None:
    assert reread(entity(name=("Blue lamp", 0.9), price=(30, 0.9))).verdict == "agreed"


def test_a_reading_that_is_not_sure_says_nothing() -> None:
    assert reread(entity(name=("Green desk", 0.4))).verdict == "silent"


def test_two_values_as_likely_contradict_each_other() -> None:
    several = (FieldReading("red", 0.9, "labels", "a"), FieldReading("green", 0.9, "labels", "b"))
    known = Entity(1.0, 0, {**entity(name=("Blue lamp", 0.9)).fields, "/colour": several})
    assert reread(known).verdict == "agreed"


def test_a_name_of_which_the_title_has_nothing_is_doubted() -> None:
    assert reread(entity(), title="Terms of service").contradicted == ("/name",)


def test_a_page_on_which_nothing_is_read_says_nothing() -> None:
    assert reread().verdict == "silent"


@pytest.mark.parametrize("way", WAYS)
def test_what_is_planted_differs_in_one_value(way: str) -> None:
    dice = random.Random(4)
    for value in values(PLAN, RECORD["data"]):
        planted = planted_errors.plant(WAYS[way], value, RECORD, TEXT, dice)
        if planted is not None:
            before, after = RECORD["data"], planted["data"]
            assert [name for name in before if before[name] != after[name]] == [value.pointer[1:]]


def test_a_quote_of_what_is_planted_elsewhere_stands_there() -> None:
    dice = random.Random(5)
    planted = planted_errors.exchanged(PLAN, RECORD, TEXT, dice)
    assert planted is not None
    for each in planted["provenance"]:
        assert TEXT.startswith(each["quote"], each["start"])


def test_another_source_has_to_state_all_that_tells() -> None:
    data = {"name": "Kavo 12", "price": 20}
    assert second_source.question(PLAN, data) == "Kavo 12 20"
    assert second_source.states(PLAN, data, "The Kavo-12 costs 20 EUR.")
    assert not second_source.states(PLAN, data, "The Kavo-12 costs 30 EUR.")
    assert second_source.question(PLAN, {"name": "Kavo"}) is None


def test_a_copy_is_no_other_source() -> None:
    line = "The Kavo 12 is a lamp that our kitchen has used for three weeks now."
    assert second_source.is_copy(line, f"Menu\n{line}\n")
    assert not second_source.is_copy(line, json.dumps(RECORD))
