"""`citegrid alerts` over answers that tests make up."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from job_answers import page

from citegrid import Client
from citegrid.cli import command
from citegrid.cli.main import commands

Run = Callable[..., tuple[Result, list[httpx.Request]]]
ALERT: dict[str, Any] = {
    "id": "alrt_a",
    "monitor": "job_a",
    "campaign": None,
    "queue": None,
    "condition": "failing",
    "threshold": 3.0,
    "email": "ada@example.org",
    "webhook": None,
    "state": "unconfirmed",
    "told_at": None,
    "created_at": "2026-11-22T09:00:00Z",
}
MADE = httpx.Response(201, json={"alert": ALERT})


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SERVICE_BASE_URL", "https://citegrid.example.org")
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_secret")

    def invoke(answer: httpx.Response, *arguments: str) -> tuple[Result, list[httpx.Request]]:
        asked: list[httpx.Request] = []

        def handler(request: httpx.Request) -> httpx.Response:
            asked.append(request)
            return answer

        transport = httpx.MockTransport(handler)
        monkeypatch.setattr(command, "Client", partial(Client, transport=transport))
        done = CliRunner().invoke(commands, ["alerts", *arguments], prog_name="citegrid")
        return done, asked

    return invoke


def test_an_alert_is_made_of_what_was_given(run: Run) -> None:
    done, (asked,) = run(
        MADE, "add", "failing", "3", "--monitor", "job_a", "--email", "ada@example.org"
    )
    assert json.loads(asked.content) == {
        "condition": "failing",
        "threshold": 3.0,
        "monitor": "job_a",
        "email": "ada@example.org",
    }
    assert done.stdout == "alrt_a unconfirmed\n"


def test_a_condition_without_a_threshold_sends_none(run: Run) -> None:
    _, (asked,) = run(MADE, "add", "ended", "--campaign", "camp_a", "--webhook", "whk_a")
    assert "threshold" not in json.loads(asked.content)


def test_the_list_says_what_each_is_about(run: Run) -> None:
    done, _ = run(page("alerts", [ALERT]), "list")
    assert done.stdout == "alrt_a\tunconfirmed\tjob_a\tfailing 3\tada@example.org\n"


def test_one_is_removed(run: Run) -> None:
    _, (asked,) = run(httpx.Response(204), "remove", "alrt_a", "--yes")
    assert (asked.method, asked.url.path) == ("DELETE", "/v1/alerts/alrt_a")
