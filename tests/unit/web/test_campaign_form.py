"""From a form to the request for a campaign, and from what is wrong back to its fields."""

import pytest
from werkzeug.datastructures import MultiDict

from app.core.errors import Invalid
from app.web.pages.campaigns.campaign_form import at_fields, request_of

FORM = {
    "name": "Owls",
    "objective": "owls",
    "sources": "web",
    "freshness": "7d",
    "records_target": "10",
    "amount": "5",
    "token": "USD",
    "min_validators": "2",
    "require_citations": "on",
    "when": "",
    "every": " ",
    "ends_at": "2027-01-31T12:00",
}


def test_a_form_becomes_the_body_of_a_request() -> None:
    assert request_of(MultiDict(FORM)) == {
        "name": "Owls",
        "objective": "owls",
        "data_requirements": {"sources": ["web"], "freshness": "7d", "records_target": 10},
        "reward_budget": {"token": "USD", "amount": "5"},
        "validation": {"min_validators": 2, "require_citations": True},
        "ends_at": "2027-01-31T12:00:00Z",
    }


def test_what_is_no_number_is_left_to_the_api() -> None:
    body = request_of(MultiDict({**FORM, "records_target": "many", "min_validators": "٣"}))
    assert body["data_requirements"]["records_target"] == "many"
    assert body["validation"]["min_validators"] == "٣"


@pytest.mark.parametrize("schema", ["{", "[" * 100_000])
def test_a_schema_that_is_no_json_is_told_at_its_field(schema: str) -> None:
    with pytest.raises(Invalid) as refused:
        request_of(MultiDict({**FORM, "schema": schema}))
    assert refused.value.details[0]["field"] == "/schema"


def test_what_is_wrong_in_a_group_is_told_at_the_field_of_that_name() -> None:
    wrong = ["/data_requirements/freshness", "/reward_budget/amount", "/schema/properties/a"]
    error = at_fields(Invalid(details=[{"field": each, "problem": "No."} for each in wrong]), {})
    fields = [each["field"] for each in error.details]
    assert fields == ["/freshness", "/amount", "/schema/properties/a"]


def test_a_schedule_is_an_interval() -> None:
    assert request_of(MultiDict({**FORM, "when": "week"}))["cadence"] == "7d"
    assert request_of(MultiDict({**FORM, "when": "every", "every": "14d"}))["cadence"] == "14d"
    refused = Invalid(details=[{"field": "/cadence", "problem": "No."}])
    assert at_fields(refused, FORM).details[0]["field"] == "/every"


def test_fields_of_rows_are_the_schema_of_records() -> None:
    row = {"field.0.name": "price", "field.0.type": "number", "field.0.on": "on"}
    body = request_of(MultiDict({**FORM, **row}))
    assert body["schema"] == {"type": "object", "properties": {"price": {"type": "number"}}}
