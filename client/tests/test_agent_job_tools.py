"""The tools about extraction, over answers that tests make up."""

import json
from typing import Any

import httpx
import pytest
from agents import found, refused, unasked
from answers import refusal
from job_answers import DONE, FAILED, JOB, Jobs, record

FIELDS = [
    {"name": "name", "description": "The name of the lamp."},
    {"name": "price", "description": "In euros.", "type": "number"},
]
URLS = ["https://shop.example.org/1"]
START = {"urls": URLS, "fields": FIELDS, "wait_seconds": 0}


def test_starting_makes_a_schema_of_the_fields() -> None:
    server = Jobs()
    found(server, "service_start_extraction", **START)
    assert server.body["source"] == {"type": "urls", "urls": URLS}
    assert server.body["schema"] == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "The name of the lamp."},
            "price": {"type": "number", "description": "In euros."},
        },
    }


def test_starting_takes_a_search_and_a_schema_too() -> None:
    server, schema = Jobs(), {"type": "object", "properties": {"a": {"type": "string"}}}
    arguments = {"query": "oak lamps", "record_schema": json.dumps(schema), "wait_seconds": 0}
    found(server, "service_start_extraction", **arguments)
    assert server.body["source"] == {"type": "search", "query": "oak lamps"}
    assert server.body["schema"] == schema


def test_a_job_that_runs_says_how_to_go_on() -> None:
    shown = found(Jobs(JOB), "service_start_extraction", **START)
    assert (shown["job_id"], shown["status"], shown["records_found"]) == ("job_a", "running", 1)
    assert 'service_get_records with job_id "job_a"' in shown["next_step"]


def test_starting_waits_for_the_end() -> None:
    shown = found(Jobs(), "service_start_extraction", **{**START, "wait_seconds": 5})
    assert shown["status"] == "completed"
    assert shown["next_step"].startswith("Finished. Read the records")


def test_cancelling_says_what_is_kept() -> None:
    server = Jobs({**JOB, "status": "cancelled", "stop_reason": "cancelled"})
    shown = found(server, "service_cancel_extraction", job_id="job_a")
    assert [(request.method, request.url.path) for request in server.asked] == [
        ("POST", "/v1/extract/jobs/job_a/cancel")
    ]
    assert shown["status"] == "cancelled"
    assert shown["next_step"] == "Cancelled; what had been read by then is kept."


@pytest.mark.parametrize(
    "arguments",
    [
        {"fields": FIELDS},
        {"urls": URLS, "query": "x", "fields": FIELDS},
        {"urls": URLS},
        {"urls": URLS, "fields": FIELDS, "record_schema": "{}"},
        {"urls": URLS, "record_schema": "[]"},
        {"urls": URLS, "record_schema": "{x"},
        {"urls": URLS * 51, "fields": FIELDS},
        {"urls": URLS, "fields": FIELDS, "max_pages": 101},
        {"urls": URLS, "fields": [{"name": "a", "description": "b", "type": "colour"}]},
        {"urls": URLS, "fields": [{"name": "a", "description": "b", "unit": "kg"}]},
    ],
)
def test_wrong_arguments_are_refused_before_the_service_is_asked(arguments: Any) -> None:
    assert refused(unasked, "service_start_extraction", **arguments).startswith(
        "[invalid_arguments]"
    )


def test_records_come_with_values_quotes_and_addresses() -> None:
    shown = found(Jobs(), "service_get_records", job_id="job_a")
    first = shown["records"][0]
    assert first["url"] == "https://shop.example.org/1"
    assert first["values"] == [
        {"field": "/name", "value": "Lamp 1", "quote": "Lamp 1"},
        {"field": "/price", "value": "9.5", "quote": ""},
    ]
    assert (len(shown["records"]), shown["truncated"]) == (2, False)


def test_nested_values_have_pointers_and_null_is_no_value() -> None:
    data = {"brand": {"na/me": "Alder"}, "tags": ["a", "b"], "price": None, "parts": [{"n": 1}]}
    (shown,) = found(Jobs(records=[record(1, **data)]), "service_get_records", job_id="job_a")[
        "records"
    ]
    assert {each["field"]: each["value"] for each in shown["values"]} == {
        "/name": "Lamp 1",
        "/brand/na~1me": "Alder",
        "/tags": '["a", "b"]',
        "/parts/0/n": "1",
    }


def test_more_records_are_had_with_an_offset() -> None:
    server = Jobs(records=[record(n) for n in range(5)])
    shown = found(server, "service_get_records", job_id="job_a", offset=1, limit=2)
    assert [each["record_id"] for each in shown["records"]] == ["rec_1", "rec_2"]
    assert "offset 3" in shown["next_step"]
    last = found(server, "service_get_records", job_id="job_a", offset=3, limit=2)
    assert (len(last["records"]), last["truncated"]) == (2, False)


def test_records_to_skip_are_had_in_as_few_requests_as_may_be() -> None:
    server = Jobs()
    found(server, "service_get_records", job_id="job_a", offset=500, limit=20)
    assert server.asked[-1].url.params["limit"] == "200"


@pytest.mark.parametrize(("fields", "length"), [(200, 300), (30, 3_000), (1, 90_000)])
def test_a_result_stays_small_whatever_a_record_holds(fields: int, length: int) -> None:
    large = {f"f{n}": '"' * length for n in range(fields)}
    shown = found(
        Jobs(records=[record(n, **large) for n in range(60)]),
        "service_get_records",
        job_id="job_a",
        limit=50,
    )
    assert shown["truncated"]
    assert len(shown["records"]) >= 1
    assert "offset" in shown["next_step"]


def test_a_quote_that_is_cut_is_said_to_be_cut() -> None:
    whole = record(1)
    whole["provenance"][0]["quote"] = "Lamp 1 " * 100
    shown = found(Jobs(records=[whole]), "service_get_records", job_id="job_a")
    assert (len(shown["records"]), shown["truncated"]) == (1, True)
    assert "quotes are cut" in shown["next_step"]


def test_a_failed_job_says_why() -> None:
    shown = found(Jobs(FAILED), "service_get_records", job_id="job_a")
    assert (shown["error_code"], shown["next_step"][:7]) == ("source_unreadable", "Failed.")


def test_no_records_are_said_to_be_none() -> None:
    none = {**DONE, "progress": {**DONE["progress"], "records": 0}}
    shown = found(Jobs(none, []), "service_get_records", job_id="job_a")
    assert "no record was found" in shown["next_step"]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (refusal(403, "api_key_scope"), "[unauthorized] The API key lacks the scope jobs."),
        (refusal(404, "job_not_found"), "[not_found] This account has no such job"),
    ],
)
def test_refusals_are_about_jobs(answer: httpx.Response, text: str) -> None:
    assert refused(lambda _: answer, "service_get_records", job_id="job_a").startswith(text)
