"""What holds for every answer, whichever route gives it."""

import io
import re
from typing import Any

from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from tests.caller import Caller

SEARCH = "/external/v1/search"
REQUEST_ID = re.compile(r"req_[a-z2-7]{26}")
JSON = {"Content-Type": "application/json"}


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["error"]["code"]


# Errors have one shape.


def test_an_address_has_one_spelling_and_any_other_gets_an_error_as_json(
    client: FlaskClient,
) -> None:
    for path in ("/nothing/here", "//v1/account", "/v1//account", "/v1/account/", "/V1/account"):
        assert code(client.get(path, base_url="http://localhost")) == (404, "not_found"), path
    answer = client.get("/v1/nothing", headers={"Accept": "text/html"})
    assert (answer.mimetype, code(answer)) == ("application/json", (404, "not_found"))


def test_options_and_an_unknown_method_name_the_known_ones(client: FlaskClient) -> None:
    options = client.options("/v1/account")
    refused = [client.open("/v1/account", method=method) for method in ("PUT", "BREW")]
    assert options.status_code == 200
    assert [code(answer) for answer in refused] == [(405, "method_not_allowed")] * 2
    for answer in (options, *refused):
        assert set(answer.headers["Allow"].split(", ")) == {"DELETE", "GET", "HEAD", "OPTIONS"}


def test_another_content_type_is_415(client: FlaskClient, owner: dict[str, str]) -> None:
    for type in ("text/plain", "", "application/x-www-form-urlencoded"):
        headers = {**owner, "Content-Type": type}
        answer = client.post(SEARCH, data=b'{"query": "q"}', headers=headers)
        assert code(answer) == (415, "unsupported_media_type"), type


def test_a_body_that_is_no_object_is_400(ada: Caller) -> None:
    for raw in (b"[]", b'"q"', b"1", b"null", b"true"):
        answer = ada.ask("POST", SEARCH, data=raw, headers=JSON)
        assert code(answer) == (400, "validation_failed"), raw
    twice = ada.ask("POST", SEARCH, data=b'{"query": "a", "query": "b"}', headers=JSON)
    assert code(twice) == (400, "malformed_json")


def test_a_body_over_a_mebibyte_is_413(ada: Caller) -> None:
    raw = b'{"query": "' + b"x" * (1 << 20) + b'"}'
    answer = ada.ask("POST", SEARCH, data=raw, headers=JSON)
    assert code(answer) == (413, "payload_too_large")


def test_values_are_not_echoed(ada: Caller) -> None:
    body = {"query": "bell\x07-sesame", "depth": "sesame", "max_sources": "sesame"}
    assert "sesame" not in ada.post(SEARCH, body).text


def test_a_view_that_raises_tells_the_caller_nothing_and_is_logged_with_the_request(
    broken: Flask, log_lines: io.StringIO
) -> None:
    answer = broken.test_client().get("/broken")
    assert code(answer) == (500, "internal_error")
    assert "4711" not in answer.text
    assert "RuntimeError" not in answer.text
    said = next(line for line in log_lines.getvalue().splitlines() if "unexpected" in line)
    assert answer.headers["X-Request-Id"] in said


# X-Request-Id.


def test_every_answer_names_its_request_and_is_not_sniffed(client: FlaskClient) -> None:
    for method, path in (
        ("GET", "/healthz"),
        ("GET", "/docs"),
        ("GET", "/openapi.json"),
        ("GET", "/nothing"),
        ("PUT", "/v1/account"),
        ("GET", "/v1/account"),
        ("OPTIONS", "/v1/account"),
        ("HEAD", "/healthz"),
        ("POST", "/v1/tokens"),
    ):
        answer = client.open(path, method=method, headers={"X-Request-Id": "mine"})
        assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"]), method
        assert answer.headers["X-Content-Type-Options"] == "nosniff", path
        if answer.status_code >= 400:
            assert answer.get_json()["error"]["request_id"] == answer.headers["X-Request-Id"]


def test_a_stream_names_its_request(ada: Caller) -> None:
    id = ada.post(SEARCH, {"query": "q"}).get_json()["id"]
    ada.post(f"{SEARCH}/{id}/cancel")
    answer = ada.get(f"{SEARCH}/{id}/events")
    assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])


def test_a_static_file_is_public_and_names_its_request(client: FlaskClient) -> None:
    with client.get("/static/app.css") as answer:
        assert REQUEST_ID.fullmatch(answer.headers["X-Request-Id"])
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_the_request_id_goes_with_the_job(ada: Caller) -> None:
    answer = ada.post(SEARCH, {"query": "q"})
    with db.reading() as reader:
        assert db.value(reader, "select request_id from jobs") == answer.headers["X-Request-Id"]


# Who else may read an answer.


def test_public_pages_are_for_any_origin(client: FlaskClient) -> None:
    for path in ("/openapi.json", "/healthz"):
        answer = client.get(path, headers={"Origin": "https://elsewhere.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "RateLimit" in answer.headers["Access-Control-Expose-Headers"]
        assert "Access-Control-Allow-Credentials" not in answer.headers


def test_nothing_else_is_for_other_origins(client: FlaskClient) -> None:
    for method, path in (
        ("GET", "/v1/account"),
        ("GET", SEARCH),
        ("POST", "/v1/tokens"),
        ("OPTIONS", "/v1/tokens"),
        ("GET", "/metrics"),
        ("GET", "/nothing"),
    ):
        answer = client.open(path, method=method, headers={"Origin": "https://elsewhere.example"})
        assert "Access-Control-Allow-Origin" not in answer.headers, method


def test_what_is_private_or_momentary_is_stored_nowhere(client: FlaskClient) -> None:
    for path in ("/v1/account", SEARCH, "/nothing", "/healthz", "/metrics"):
        assert client.get(path).headers["Cache-Control"] == "no-store", path


# Query strings, bodies and methods nobody asked for.


def test_a_view_without_parameters_takes_none_and_names_it(
    client: FlaskClient, signed_in: dict[str, str]
) -> None:
    for query in ("x=1", "x", "limit=1", "x=1&x=2", "%ff=1"):
        answer = client.get(f"/v1/account?{query}", headers=signed_in)
        assert code(answer) == (400, "validation_failed"), query
    answer = client.get("/v1/account?a%2Fb=1", headers=signed_in)
    details = [{"field": "/a~1b", "problem": "Unknown field."}]
    assert answer.get_json()["error"]["details"] == details
    assert code(client.get("/v1/account?x=1")) == (401, "auth_no_token")


def test_a_parameter_is_taken_in_one_form_only(ada: Caller) -> None:
    for query in (
        "limit=1&limit=1",
        "limit=0",
        "limit=201",
        "limit=1_0",
        "limit=%C2%B2",
        "limit=",
        "limit=1.0",
        "cursor=x",
        "status=x",
        "status=%00",
        "x=1",
    ):
        assert code(ada.get(f"{SEARCH}?{query}")) == (400, "validation_failed")
    answer = ada.post(f"{SEARCH}?dry_run=1", {"query": "q"})
    assert code(answer) == (400, "validation_failed")


def test_a_body_of_a_get_is_ignored(ada: Caller) -> None:
    answer = ada.ask("GET", SEARCH, data=b"\xff{", headers=JSON)
    assert answer.status_code == 200


def test_head_answers_as_get_without_the_body(ada: Caller, client: FlaskClient) -> None:
    answer = ada.ask("HEAD", SEARCH)
    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.mimetype == "application/json"
    assert client.head(SEARCH).status_code == 401
