"""The examples of the interface: what schemas allow, and lines of curl that the server takes."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pytest
from flask import Flask
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from app.core import db, ids
from app.domains.account.accounts.sign_in import passwords
from app.web.interface import curl
from app.web.interface.operations import items
from tests import builders, interface

Operation = tuple[str, str, dict[str, Any]]


DOCUMENT = interface.document()
OPERATIONS = list(items(DOCUMENT))


def contents(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    """Media type and content of the body and the good answers."""
    node = operation[2]
    answers = [a for status, a in node["responses"].items() if status.startswith("2")]
    for each in (node.get("requestBody", {}), *answers):
        yield from each.get("content", {}).items()


def test_each_body_and_answer_has_an_example_that_its_schema_allows() -> None:
    wrong = [
        (operation[2]["operationId"], error.message)
        for operation in OPERATIONS
        for media_type, content in contents(operation)
        if not media_type.startswith(("image/", "application/zip"))
        for error in validator(content["schema"]).iter_errors(content["example"])
    ]
    assert wrong == []


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def test_schemas_are_published_without_what_their_examples_are_made_of() -> None:
    fields = [
        field
        for schema in DOCUMENT["components"]["schemas"].values()
        for field in schema.get("properties", {}).values()
    ]
    assert not [field for field in fields if "example" in field]


def test_the_quotes_of_the_example_stand_in_its_page() -> None:
    shown = {
        each[2]["operationId"]: content["example"]
        for each in OPERATIONS
        for media_type, content in contents(each)
        if media_type == "application/json"
    }
    result, page = shown["getSearch"]["result"], shown["getSearchSnapshot"]
    for citation in result["citations"]:
        assert page["text"][citation["start"] : citation["end"]] == citation["quote"]
    assert result["sources"][0]["content_hash"] == page["content_hash"]


@pytest.mark.parametrize(
    ("operation_id", "title"),
    [
        ("createSearch", "Create a search"),
        ("listSearches", "List searches"),
        ("rollApiKey", "Roll an API key"),
        ("getOwnProviderProfile", "Get your provider profile"),
        ("deleteCurrentToken", "Delete the current token"),
    ],
)
def test_a_title_is_what_people_write(operation_id: str, title: str) -> None:
    assert curl.title(operation_id) == title


def test_no_two_operations_have_one_title() -> None:
    titles = [curl.title(node["operationId"]) for _, _, node in OPERATIONS]
    assert len(set(titles)) == len(titles)


@dataclass
class Sent:
    """What a line of curl sends."""

    method: str = "GET"
    address: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    body: str | None = None


def read(line: str, variables: dict[str, str]) -> Sent:
    """The line as a shell and curl read it."""
    for name, value in variables.items():
        line = line.replace(f"${name}", value)
    program, *words = shlex.split(line.replace("\\\n", ""))
    assert program == "curl"
    sent, rest = Sent(), iter(words)
    for word in rest:
        if word == "-X":
            sent.method = next(rest)
        elif word == "-H":
            name, _, value = next(rest).partition(": ")
            sent.headers[name] = value
        elif word == "-d":
            sent.body = next(rest)
        elif word == "-o":
            next(rest)
        elif word != "-N":
            sent.address = word
    return sent


@pytest.fixture(scope="module")
def password_hash() -> str:
    """Of the password that the examples give; once, since it takes time."""
    body = DOCUMENT["paths"]["/v1/tokens"]["post"]["requestBody"]["content"]["application/json"]
    return passwords.hasher.hash(body["example"]["password"])


@pytest.fixture
def variables(site: Flask, redis_url: str, password_hash: str) -> dict[str, str]:
    """What the shell of a caller holds, whom nobody has limited."""
    settings = site.extensions["settings"]
    with db.transaction() as tx:
        account = builders.account(tx, f"{ids.new()}@example.org")
        tx.execute("update accounts set password_hash = %s, operator = true", [password_hash])
        return {
            "SERVICE_BASE_URL": "",
            "SERVICE_API_KEY": builders.api_key(tx, settings, account),
            "ACCESS_TOKEN": builders.access_token(tx, settings, account),
            "PAYMENT_SIGNATURE": "bm9uZQ==",
        }


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each[2]["operationId"])
def test_each_line_of_curl_is_understood(
    operation: Operation, site: Flask, variables: dict[str, str]
) -> None:
    path, method, node = operation
    sent = read(curl.line(DOCUMENT, path, method, node), variables)
    answer: TestResponse = site.test_client().open(
        unquote(sent.address), method=sent.method, headers=sent.headers, data=sent.body
    )
    assert str(answer.status_code) in node["responses"]
    assert answer.status_code < 400 or code(answer) not in NOT_UNDERSTOOD


NOT_UNDERSTOOD = {
    "malformed_json",
    "method_not_allowed",
    "not_found",
    "unsupported_media_type",
    "validation_failed",
}
"""What the example is about may be absent; the request itself has to be right."""


def code(answer: TestResponse) -> str:
    return str(json.loads(answer.data)["error"]["code"])
