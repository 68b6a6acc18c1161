"""A record is extracted a second time by the other family of methods, and compared by field."""

import json

import pytest

from app.engine.extraction.records.extract import extract
from app.engine.extraction.records.records import Record
from app.engine.extraction.records.second_extraction import FieldComparison, Verdict, second
from app.engine.extraction.schema.schema import Plan, plan
from app.engine.extraction.text.forms import Malformed

URL = "https://example.com/lamp"
PLAN = plan(
    {
        "title": "Product",
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "brand": {"type": "string"},
            "color": {"type": "string"},
        },
        "required": ["name"],
    }
)
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


def test_a_field_that_differs_fails_the_record() -> None:
    record, fields = verdict(SHOWN | {"brand": "Other"}, SHOWN)
    assert (record, fields["/brand"]) == ("failed", "differs")


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
