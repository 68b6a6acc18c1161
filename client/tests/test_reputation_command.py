"""`citegrid reputation` over answers that tests make up."""

from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from citegrid import Client
from citegrid.cli import command
from citegrid.cli.main import commands

REPUTATION: dict[str, Any] = {
    "right": 40,
    "wrong": 2,
    "mean": 0.9231,
    "interval_90": [0.8512, 0.9741],
    "in_probation": False,
    "suspended_at": None,
    "suspended_reason": None,
}


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "counts"),
        ({"in_probation": True}, "in probation"),
        ({"suspended_at": "2026-11-21T09:00:00Z"}, "suspended since 2026-11-21 09:00"),
    ],
)
def test_it_says_whether_votes_count(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, changes: dict[str, Any], state: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SERVICE_BASE_URL", "https://citegrid.example.org")
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_secret")
    answer = httpx.Response(200, json={"reputation": REPUTATION | changes})
    client = partial(Client, access_token="cga_s", transport=httpx.MockTransport(lambda _: answer))
    monkeypatch.setattr(command, "Client", lambda url, **_: client(url))
    done = CliRunner().invoke(commands, ["reputation"], prog_name="citegrid")
    assert done.stdout == f"40\t2\t0.92\t0.85 to 0.97\t{state}\n"
