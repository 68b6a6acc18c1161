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
    peer: str, host: str = "127.0.0.1:8765", lines: Sequence[str] = (), header: str = "X-Other"
) -> str | None:
    """The `X-Forwarded-For` with which the service was asked."""
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return httpx.Response(200, json={"searches": [], "has_more": False, "next_cursor": None})

    served: Any = application(
        BASE_URL, ["tools.example.org"], transport=httpx.MockTransport(answer)
    )
    given = [*{**HEADERS, "Host": host, header: "proxy"}.items()]
    given += [("X-Forwarded-For", line) for line in lines]
    with TestClient(served, base_url="http://127.0.0.1", client=(peer, 50_000)) as client:
        assert client.post("/mcp", json=CALL, headers=given).status_code == 200
    (request,) = asked
    return request.headers.get("X-Forwarded-For")


LINES = [ELSEWHERE], ["203.0.113.9", ELSEWHERE]


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        pytest.param({}, None, id="a call from this machine is its own"),
        pytest.param({"peer": ELSEWHERE}, ELSEWHERE, id="from elsewhere"),
        pytest.param({"host": "tools.example.org"}, HERE, id="by another name: behind a proxy"),
        pytest.param({"header": "Forwarded"}, HERE, id="a proxy that says so"),
        pytest.param({"header": "Via"}, HERE, id="another one"),
        pytest.param({"header": "X-Real-IP"}, HERE, id="a third"),
        pytest.param({"lines": LINES[0]}, f"{ELSEWHERE}, {HERE}", id="whom a proxy calls for"),
        pytest.param(
            {"lines": LINES[1]},
            f"203.0.113.9, {ELSEWHERE}, {HERE}",
            id="no line hides what is added",
        ),
    ],
)
def test_the_service_is_told_who_calls(asked: dict[str, Any], named: str | None) -> None:
    assert told(**{"peer": HERE, **asked}) == named
