"""`citegrid memory` over answers that tests make up."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from job_answers import page

from citegrid import Client, UnusableAnswer
from citegrid.cli import command
from citegrid.cli.exits import Exit
from citegrid.cli.main import commands

Run = Callable[..., tuple[Result, list[httpx.Request]]]
MEMORY: dict[str, Any] = {
    "id": "mem_a",
    "persona_id": "me",
    "type": "fact",
    "content": "Owns\na boat",
    "source": "user_approved",
    "visibility": "private",
    "tags": ["sea"],
    "version": 1,
    "created_at": "2026-11-21T09:00:00Z",
    "updated_at": "2026-11-21T09:00:00Z",
    "expires_at": "2030-01-01T00:00:00Z",
    "supersedes": None,
    "superseded_by": None,
}
WHOLE = {**MEMORY, "history": []}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SERVICE_BASE_URL", "https://citegrid.example.org")
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_secret")

    def invoke(answer: httpx.Response, *arguments: str) -> tuple[Result, list[httpx.Request]]:
        requests: list[httpx.Request] = []

        def handler(request: httpx.Request) -> httpx.Response:
            requests.append(request)
            return answer

        client = partial(Client, api_key="cgk_secret", transport=httpx.MockTransport(handler))
        monkeypatch.setattr(command, "Client", lambda url, **_: client(url))
        return CliRunner().invoke(commands, ["memory", *arguments], prog_name="citegrid"), requests

    return invoke


ADDED = httpx.Response(201, json={"memory": WHOLE})


def test_a_text_is_sent_once_it_is_approved(run: Run) -> None:
    done, (request,) = run(ADDED, "add", "me", "Owns a boat", "--tag", "sea", "--yes")
    assert json.loads(request.content) == {
        "type": "fact",
        "content": "Owns a boat",
        "source": "user_approved",
        "tags": ["sea"],
    }
    assert done.stdout == "mem_a\n"


def test_a_text_that_nobody_approves_is_not_sent(run: Run) -> None:
    done, requests = run(ADDED, "add", "me", "Owns a boat")
    assert (done.exit_code, requests) == (Exit.USAGE, [])


def test_a_memory_is_a_line(run: Run) -> None:
    done, (request,) = run(page("memory", [MEMORY]), "list", "me", "--query", "boat")
    assert request.url.params["q"] == "boat"
    assert done.stdout == "mem_a\tfact\tsea\t2030-01-01\tOwns a boat\n"


def test_erasing_all_confirms_with_the_name(run: Run) -> None:
    _, (request,) = run(httpx.Response(204), "erase", "me", "--all", "--yes")
    assert (request.method, request.url.params["confirm"]) == ("DELETE", "me")


def test_erasing_takes_an_id_or_all(run: Run) -> None:
    done, requests = run(httpx.Response(204), "erase", "me", "--yes")
    assert (done.exit_code, requests) == (Exit.USAGE, [])


def test_an_export_has_a_memory_for_each_line(run: Run) -> None:
    lines = "\n".join(json.dumps(WHOLE) for _ in range(2))
    done, _ = run(httpx.Response(200, text=lines), "export", "me")
    assert len(json.loads(done.stdout)["memory"]) == 2


def test_an_export_that_broke_off_is_no_export() -> None:
    broken = (
        json.dumps(WHOLE) + '\n{"error": {"code": "storage_unavailable", "message": "Away."}}\n'
    )
    answer = httpx.Response(200, text=broken)
    transport = httpx.MockTransport(lambda _: answer)
    with (
        Client("https://c.example.org", "k", transport=transport) as client,
        pytest.raises(UnusableAnswer, match="broke off: Away"),
    ):
        client.memory.export("me")
