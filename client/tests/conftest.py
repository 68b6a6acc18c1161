"""Both clients over answers that a test makes up; no network, no waiting."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from answers import in_turn
from click.testing import CliRunner, Result

from citegrid import AsyncClient, Client, Policy
from citegrid.cli import command
from citegrid.cli.main import commands

BASE_URL = "https://citegrid.example.org"
AT_ONCE = Policy(jitter=lambda: 0.0)
"""Pauses only as long as a server asks for."""

Handler = Callable[[httpx.Request], httpx.Response]
Use = Callable[[Any], Any]
Ask = Callable[..., Any]
Run = Callable[..., Result]
RecordedRun = Callable[..., tuple[Result, list[httpx.Request]]]


def _blocking(handler: Handler, use: Use, **options: Any) -> Any:
    given = {"api_key": "cgk_secret", "policy": AT_ONCE, **options}
    with Client(BASE_URL, transport=httpx.MockTransport(handler), **given) as client:
        used = use(client)
        return list(used) if hasattr(used, "__next__") else used


def _awaiting(handler: Handler, use: Use, **options: Any) -> Any:
    given = {"api_key": "cgk_secret", "policy": AT_ONCE, **options}

    async def main() -> Any:
        async with AsyncClient(BASE_URL, transport=httpx.MockTransport(handler), **given) as client:
            used = use(client)
            if hasattr(used, "__aiter__"):
                return [item async for item in used]
            return await used

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Neither the environment nor the files of whoever runs the tests count."""
    names = ("SERVICE_BASE_URL", "SERVICE_API_KEY", "CITEGRID_PROFILE", "CITEGRID_LOG")
    for name in (*names, "CITEGRID_NODE_ID", "CITEGRID_NODE_TOKEN", "CITEGRID_BACKEND_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture
def ask() -> Ask:
    """`ask(handler, lambda client: client.searches.get("srch_a"))`; both clients run the same
    steps, so the one that blocks is enough for what is not about running them."""
    return _blocking


@pytest.fixture(params=[_blocking, _awaiting], ids=["blocking", "awaiting"])
def ask_either(request: pytest.FixtureRequest) -> Ask:
    """The same on each of them."""
    chosen: Ask = request.param
    return chosen


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    """`run(server, "offer", "list", "m/1")`; `server` answers, or is one answer."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SERVICE_BASE_URL", "https://citegrid.example.org")
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_secret")

    def invoke(server: Any, *arguments: str, stdin: str = "") -> Result:
        handler = server if callable(server) else in_turn(server)
        transport = httpx.MockTransport(handler)
        monkeypatch.setattr(command, "Client", partial(Client, transport=transport))
        return CliRunner().invoke(commands, arguments, input=stdin, prog_name="citegrid")

    return invoke


@pytest.fixture
def recorded(run: Run) -> RecordedRun:
    """`recorded(answer, "alerts", "list")`: how it ended, and the requests, each answered so."""

    def invoke(answer: httpx.Response, *arguments: str) -> tuple[Result, list[httpx.Request]]:
        asked: list[httpx.Request] = []

        def handler(request: httpx.Request) -> httpx.Response:
            asked.append(request)
            return answer

        return run(handler, *arguments), asked

    return invoke
