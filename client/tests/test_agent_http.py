"""Who is let in to the tools over HTTP; in memory."""

import json
from collections.abc import Iterator

import httpx
import pytest
from conftest import BASE_URL
from starlette.testclient import TestClient

from citegrid.mcp.http import application
from citegrid.mcp.tools.corpora import MOST_TEXT

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}


def _unasked(_request: httpx.Request) -> httpx.Response:
    raise AssertionError("The service was asked.")


@pytest.fixture
def remote() -> Iterator[TestClient]:
    served = application(BASE_URL, ["tools.example.org"], transport=httpx.MockTransport(_unasked))
    headers = {"Accept": "application/json, text/event-stream"}
    with TestClient(served, base_url="http://127.0.0.1:8765", headers=headers) as client:
        yield client


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Basic a2V5", "Bearer two words"])
def test_whoever_brings_no_key_is_refused(remote: TestClient, authorization: str | None) -> None:
    headers = {} if authorization is None else {"Authorization": authorization}
    refused = remote.post("/mcp", json=HELLO, headers=headers)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert refused.json()["error"]["code"] == "unauthorized"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "elsewhere.example.org"}, 421),
        ({"Host": "tools.example.org"}, 200),
        ({"Host": "tools.example.org:8443"}, 200),
        ({"Origin": "https://elsewhere.example.org"}, 403),
        ({"Origin": "https://tools.example.org"}, 200),
    ],
)
def test_only_names_that_are_allowed_are_answered(
    remote: TestClient, headers: dict[str, str], status: int
) -> None:
    key = {"Authorization": "Bearer cgk_secret"}
    assert remote.post("/mcp", json=HELLO, headers={**headers, **key}).status_code == status


def test_the_longest_document_gets_in_however_it_is_escaped(remote: TestClient) -> None:
    arguments = {"corpus": "notes", "key": "owls.md", "text": "й" * MOST_TEXT}
    params = {"name": "service_add_document", "arguments": arguments}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    headers = {"Authorization": "Bearer cgk_secret", "Content-Type": "application/json"}
    assert remote.post("/mcp", content=call, headers=headers).status_code == 200


def test_no_stream_is_opened_on_which_nothing_would_be_sent(remote: TestClient) -> None:
    headers = {"Authorization": "Bearer anything", "Accept": "text/event-stream"}
    refused = remote.get("/mcp", headers=headers)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")
