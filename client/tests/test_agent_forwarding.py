"""Whose address the service is told when the tools are called over HTTP; in memory."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from conftest import BASE_URL
from starlette.testclient import TestClient

from citegrid.mcp.http import application

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "service_list_searches", "arguments": {}},
}
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "Authorization": "Bearer cgk_secret",
    "MCP-Protocol-Version": "2025-11-25",
}
HERE, ELSEWHERE = "127.0.0.1", "192.0.2.1"


def told(
    peer: str, host: str = "127.0.0.1:8765", lines: Sequence[str] = (), **headers: str
) -> str | None:
    """The `X-Forwarded-For` with which the service was asked."""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json={"searches": [], "has_more": False, "next_cursor": None})

    served: Any = application(
        BASE_URL, ["tools.example.org"], transport=httpx.MockTransport(answer)
    )
    given = [*{**HEADERS, "Host": host, **headers}.items()]
    given += [("X-Forwarded-For", line) for line in lines]
    with TestClient(served, base_url="http://127.0.0.1", client=(peer, 50_000)) as client:
        assert client.post("/mcp", json=CALL, headers=given).status_code == 200
    (request,) = asked
    return request.headers.get("X-Forwarded-For")


def test_a_call_from_this_machine_is_its_own() -> None:
    assert told(HERE) is None


def test_a_caller_from_elsewhere_is_named() -> None:
    assert told(ELSEWHERE) == ELSEWHERE


def test_who_is_called_by_another_name_stands_behind_a_proxy() -> None:
    assert told(HERE, "tools.example.org") == HERE


@pytest.mark.parametrize("name", ["Forwarded", "Via", "X-Real-IP"])
def test_a_proxy_that_says_so_is_one(name: str) -> None:
    assert told(HERE, **{name: "proxy"}) == HERE


def test_whom_a_proxy_calls_for_is_passed_on() -> None:
    assert told(HERE, lines=[ELSEWHERE]) == f"{ELSEWHERE}, {HERE}"


def test_a_line_of_the_callers_own_does_not_hide_what_a_proxy_adds() -> None:
    assert told(HERE, lines=["203.0.113.9", ELSEWHERE]) == f"203.0.113.9, {ELSEWHERE}, {HERE}"
