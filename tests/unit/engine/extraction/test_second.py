"""A record is extracted a second time by the other family of methods, and compared by field."""

import json

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.records import Record
from app.engine.extraction.records.second_extraction import FieldComparison, Verdict, second
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.text.forms import Malformed
from tests.plans import TEXT, plan_of

URL = "https://example.com/lamp"
PLAN = plan_of("name", called="Product", name=TEXT, brand=TEXT, color=TEXT)
SHOWN = {"name": "Blue Lamp", "brand": "Acme", "color": "Blue"}


def page(stated: dict[str, str], shown: dict[str, str]) -> str:
    script = json.dumps({"@context": "https://schema.org", "@type": "Product", **stated})
    rows = "".join(
        f"<tr><th>{key.title()}</th><td>{value}</td></tr>" for key, value in shown.items()
    )
    return (
        f"<html lang=en><head><title>{shown.get('name', '')}</title>"
        f'<script type="application/ld+json">{script}</script></head>'
        f"<body><main><h1>{shown.get('name', '')}</h1><table>{rows}</table></main></body></html>"
    )


def first(markup: str, record_plan: Plan = PLAN) -> Record:
    return extract(markup, URL, record_plan).records[0]


def verdict(stated: dict[str, str], shown: dict[str, str]) -> tuple[str, dict[str, str]]:
    markup = page(stated, shown)
    judged = second(markup, URL, PLAN, first(markup))
    return judged.record, {each.pointer: each.verdict for each in judged.fields}


def test_what_is_stated_is_read_again_from_what_is_shown() -> None:
    fields = {"/name": "agreed", "/brand": "agreed", "/color": "agreed"}
    assert verdict(SHOWN, SHOWN) == ("passed", fields)


def test_a_field_that_differs_fails_the_record_if_it_is_required() -> None:
    plan_of_brand = plan({**PLAN.schema, "required": ["name", "brand"]})
    markup = page(SHOWN | {"brand": "Other"}, SHOWN)
    judged = second(markup, URL, plan_of_brand, first(markup, plan_of_brand))
    assert judged.record == "failed"


def test_a_field_that_differs_is_told_of_and_fails_no_record_that_it_does_not_identify() -> None:
    record, fields = verdict(SHOWN | {"color": "Green"}, SHOWN)
    assert (record, fields["/color"]) == ("passed", "differs")


@pytest.mark.parametrize("stated", ["The Blue Lamp", "Blue Lamp by Acme", "BLUE  LAMP!"])
def test_of_two_texts_one_may_contain_the_other(stated: str) -> None:
    assert verdict(SHOWN | {"name": stated}, SHOWN)[1]["/name"] == "agreed"


def test_a_text_that_is_a_small_part_of_another_is_another() -> None:
    shown = SHOWN | {"color": "Blue with a touch of grey at the edges"}
    assert verdict(SHOWN, shown)[1]["/color"] == "differs"


def test_another_currency_differs_though_the_letters_are_the_same() -> None:
    priced = plan({"type": "object", "properties": {"price": {"type": "string"}}})
    markup = page({"price": "20 USD"}, {"price": "20 EUR"})
    judged = second(markup, URL, priced, first(markup, priced))
    assert [each.verdict for each in judged.fields] == ["differs"]


def test_both_values_are_given_with_where_they_were_read() -> None:
    markup = page(SHOWN | {"brand": "Other"}, SHOWN)
    judged = second(markup, URL, PLAN, first(markup))
    brand = next(each for each in judged.fields if each.pointer == "/brand")
    assert (brand.first, brand.second) == ("Other", "Acme")
    assert brand.first_provenance is not None
    assert brand.second_provenance is not None
    assert (brand.first_provenance.method, brand.second_provenance.method) == ("json_ld", "table")


def test_a_field_of_which_the_other_family_says_nothing_cannot_be_compared() -> None:
    record, fields = verdict(SHOWN, {"name": "Blue Lamp", "color": "Blue"})
    assert (record, fields["/brand"]) == ("passed", "not_comparable")


def test_a_record_without_a_required_field_compared_is_not_comparable() -> None:
    markup = page({}, SHOWN).replace("<title>Blue Lamp</title>", "")
    judged = second(markup, URL, PLAN, first(markup))
    assert judged.record == "not_comparable"
    assert {each.verdict for each in judged.fields} == {"not_comparable"}


def test_what_is_shown_is_read_again_from_what_is_stated() -> None:
    markup = page(SHOWN, SHOWN)
    shown = extract(markup, URL, PLAN, family="visible").records[0]
    judged = second(markup, URL, PLAN, shown)
    assert judged.record == "passed"
    assert {each.second_provenance.method for each in judged.fields if each.second_provenance} == {
        "json_ld"
    }


def test_a_verdict_survives_its_json_form() -> None:
    markup = page(SHOWN | {"brand": "Other"}, SHOWN)
    judged = second(markup, URL, PLAN, first(markup))
    assert Verdict.from_json(json.loads(json.dumps(judged.as_json()))) == judged


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"record": "true", "fields": []},
        {"record": "passed", "fields": [{"pointer": "/a"}]},
        {
            "record": "passed",
            "fields": [FieldComparison("/a", "agreed", 1).as_json() | {"verdict": 1}],
        },
    ],
)
def test_what_is_no_verdict_is_refused(form: object) -> None:
    with pytest.raises(Malformed):
        Verdict.from_json(form)
