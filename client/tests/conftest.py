"""Both clients over answers that a test makes up; no network, no waiting."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from citegrid import AsyncClient, Client, Policy

BASE_URL = "https://citegrid.example.org"
AT_ONCE = Policy(jitter=lambda: 0.0)
"""Pauses only as long as a server asks for."""

Handler = Callable[[httpx.Request], httpx.Response]
Use = Callable[[Any], Any]
Ask = Callable[..., Any]


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
    for name in ("SERVICE_BASE_URL", "SERVICE_API_KEY", "CITEGRID_PROFILE", "CITEGRID_LOG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture(params=[_blocking, _awaiting], ids=["blocking", "awaiting"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """`ask(handler, lambda client: client.searches.get("srch_a"))`, on either client."""
    chosen: Ask = request.param
    return chosen
