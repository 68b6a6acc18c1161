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


@pytest.mark.parametrize(
    ("call", "forwarded"),
    [
        pytest.param({"peer": HERE}, None, id="a call from this machine"),
        pytest.param({"peer": ELSEWHERE}, ELSEWHERE, id="a call from elsewhere"),
        pytest.param({"peer": HERE, "host": "tools.example.org"}, HERE, id="by another name"),
        pytest.param({"peer": HERE, "Forwarded": "proxy"}, HERE, id="a proxy that says Forwarded"),
        pytest.param({"peer": HERE, "Via": "proxy"}, HERE, id="a proxy that says Via"),
        pytest.param({"peer": HERE, "X-Real-IP": "proxy"}, HERE, id="a proxy that says X-Real-IP"),
        pytest.param(
            {"peer": HERE, "lines": [ELSEWHERE]},
            f"{ELSEWHERE}, {HERE}",
            id="for whom a proxy calls",
        ),
        pytest.param(
            {"peer": HERE, "lines": ["203.0.113.9", ELSEWHERE]},
            f"203.0.113.9, {ELSEWHERE}, {HERE}",
            id="a line of the caller hides nothing that a proxy adds",
        ),
    ],
)
def test_the_service_is_told_who_calls(call: dict[str, Any], forwarded: str | None) -> None:
    assert told(**call) == forwarded
