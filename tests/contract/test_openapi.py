"""The published document is valid, complete, and about the routes there are."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from schemathesis.specs.openapi import definitions

from app.core.errors import catalogue
from app.web.interface.operations import items, template
from tests import interface
from tests.contract.test_doors import is_page

# Pages for people and for the operator's machinery: no part of the interface.
UNDOCUMENTED = {
    "alert_link_pages.stop",
    "assets.send",
    "docs.document",
    "health.live",
    "health.ready",
    "health.scrape",
    "vendor.send",
}

# What an operation refuses beside a key without the scope.
FORBIDDEN_BESIDE = {"deleteAccount": {"deletion_not_confirmed"}}

Operation = tuple[str, str, dict[str, Any]]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(interface.document()))
    return found


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> list[Operation]:
    return list(items(document))


def test_the_document_is_served(client: FlaskClient, document: dict[str, Any]) -> None:
    assert client.get("/openapi.json").get_json() == document


def test_the_document_is_valid_openapi(document: dict[str, Any]) -> None:
    problems = list(definitions.OPENAPI_31_VALIDATOR.iter_errors(document))
    assert problems == []


def test_every_schema_is_valid_json_schema(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    for reference in references(document):
        kind, name = reference.removeprefix("#/components/").split("/")
        assert name in document["components"][kind], reference


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from references(child)


def test_the_document_describes_exactly_the_routes(app: Flask, operations: list[Operation]) -> None:
    routes = {
        (template(rule.rule), method.lower())
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.endpoint not in UNDOCUMENTED and not is_page(app, rule.endpoint)
    }
    assert {(path, method) for path, method, _ in operations} == routes


def test_every_operation_has_a_summary_and_a_described_tag(
    document: dict[str, Any], operations: list[Operation]
) -> None:
    described = {tag["name"] for tag in document["tags"] if tag["description"]}
    for _, _, operation in operations:
        assert operation["summary"]
        assert set(operation["tags"]) <= described


def test_every_operation_documents_what_any_of_them_may_answer(
    operations: list[Operation],
) -> None:
    for path, method, operation in operations:
        assert {"400", "429", "500", "503"} <= operation["responses"].keys(), (method, path)


def test_an_operation_with_a_credential_documents_its_refusals(
    operations: list[Operation],
) -> None:
    for _, _, operation in operations:
        if operation["security"]:
            assert codes(operation, "401") == {
                "auth_no_token",
                "auth_invalid_token",
                "auth_expired_token",
                "auth_revoked_token",
            }
            own = FORBIDDEN_BESIDE.get(operation["operationId"], set())
            assert codes(operation, "403") == {"api_key_scope"} | own


def codes(operation: dict[str, Any], status: str) -> set[str]:
    answer = operation["responses"].get(status)
    return set(answer["content"]["application/json"]["examples"]) if answer else set()


def test_an_operation_with_a_body_documents_what_is_wrong_with_bodies(
    operations: list[Operation],
) -> None:
    for _, _, operation in operations:
        takes_body = "requestBody" in operation
        assert {"413", "415"} <= operation["responses"].keys() or not takes_body
        assert ("malformed_json" in codes(operation, "400")) == takes_body


MAY_BE_MISSING = {
    ("get", "/v1/provider-profile/avatar"),
    ("post", "/v1/chat/completions"),
    ("post", "/external/v1/search"),  # the persona that it names
    ("post", "/v1/corpora"),  # deleted since, when the request is repeated
    ("post", "/v1/extract/verify"),
    ("get", "/v1/account/export"),
    ("get", "/v1/account/export/file"),
}


def test_an_operation_on_one_thing_documents_that_it_may_be_missing(
    operations: list[Operation],
) -> None:
    for path, method, operation in operations:
        may_be_missing = "{" in path or (method, path) in MAY_BE_MISSING
        may_be_missing |= path.startswith("/v1/operations/")  # to others than operators
        if "payments_disabled" not in codes(operation, "404"):
            assert ("404" in operation["responses"]) == may_be_missing, path


def test_a_post_that_makes_something_takes_an_idempotency_key(
    operations: list[Operation],
) -> None:
    for path, method, operation in operations:
        paid = "payment_required" in codes(operation, "402")  # the payment itself is the key
        makes = method == "post" and bool({"201", "202"} & operation["responses"].keys())
        makes = (makes and not paid) or path == "/v1/chat/completions"  # paid from credit
        key = {"$ref": "#/components/parameters/IdempotencyKey"}
        assert (key in operation.get("parameters", [])) == makes, path
        reused = {"idempotency_key_reused", "idempotency_in_progress"} <= codes(operation, "409")
        assert reused == makes, path


def test_every_answer_names_its_headers(operations: list[Operation]) -> None:
    for path, _, operation in operations:
        for status, answer in operation["responses"].items():
            assert "X-Request-Id" in answer["headers"]
            assert ("RateLimit" in answer["headers"]) == (status < "500"), (path, status)
            assert "Retry-After" in answer["headers"] or status not in ("202", "429", "503")


def test_documented_codes_are_those_of_the_catalogue(
    document: dict[str, Any], operations: list[Operation]
) -> None:
    known = {error.code: error for error in catalogue()}
    for _, _, operation in operations:
        for status in operation["responses"]:
            if status[0] != "2":
                assert {known[code].status for code in codes(operation, status)} == {int(status)}


def test_an_accepted_search_links_to_what_can_be_done_with_it(document: dict[str, Any]) -> None:
    links = document["paths"]["/external/v1/search"]["post"]["responses"]["202"]["links"]
    assert links.keys() == {"getSearch", "cancelSearch", "watchSearch", "getSearchSnapshot"}
    assert links["getSearch"]["parameters"] == {"search_id": "$response.body#/id"}


def test_a_new_key_links_to_what_can_be_done_with_it(document: dict[str, Any]) -> None:
    links = document["paths"]["/v1/api-keys"]["post"]["responses"]["201"]["links"]
    assert links.keys() == {"updateApiKey", "deleteApiKey", "rollApiKey"}
    assert links["rollApiKey"]["parameters"] == {"key_id": "$response.body#/api_key/id"}


def test_lists_state_their_bounds(document: dict[str, Any]) -> None:
    for path in ("/external/v1/search", "/v1/api-keys"):
        found = {each.get("name"): each for each in document["paths"][path]["get"]["parameters"]}
        limit = found["limit"]["schema"]
        assert (limit["minimum"], limit["maximum"], limit["default"]) == (1, 200, 50)
        assert found["cursor"]["schema"]["pattern"].startswith("^cur_")


def test_examples_of_bodies_are_what_their_schemas_allow(document: dict[str, Any]) -> None:
    for schema in document["components"]["schemas"].values():
        for field in schema.get("properties", {}).values():
            for example in field.get("examples", ()):
                Draft202012Validator(field).validate(example)
