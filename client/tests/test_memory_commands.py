"""`citegrid memory` over answers that tests make up."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from conftest import RecordedRun
from job_answers import page

from citegrid import Client, UnusableAnswer

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
ADDED = httpx.Response(201, json={"memory": WHOLE})


def test_a_text_is_sent_once_it_is_approved(recorded: RecordedRun) -> None:
    done, (request,) = recorded(
        ADDED, "memory", "add", "me", "Owns a boat", "--tag", "sea", "--yes"
    )
    assert json.loads(request.content) == {
        "type": "fact",
        "content": "Owns a boat",
        "source": "user_approved",
        "tags": ["sea"],
    }
    assert done.stdout == "mem_a\n"


def test_a_memory_is_a_line(recorded: RecordedRun) -> None:
    done, (request,) = recorded(page("memory", [MEMORY]), "memory", "list", "me", "--query", "boat")
    assert request.url.params["q"] == "boat"
    assert done.stdout == "mem_a\tfact\tsea\t2030-01-01\tOwns a boat\n"


@pytest.fixture
def in_auckland(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Where a day begins half a day earlier than in UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Pacific/Auckland")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("in_auckland")
def test_the_date_on_which_a_memory_expires_is_listed_as_it_was_given(
    recorded: RecordedRun,
) -> None:
    _, (request,) = recorded(ADDED, "memory", "add", "me", "x", "--expires", "2027-01-31", "--yes")
    kept = {**MEMORY, "expires_at": json.loads(request.content)["expires_at"]}
    listed, _ = recorded(page("memory", [kept]), "memory", "list", "me")
    assert "\t2027-01-31\t" in listed.stdout


def test_erasing_all_confirms_with_the_name(recorded: RecordedRun) -> None:
    _, (request,) = recorded(httpx.Response(204), "memory", "erase", "me", "--all", "--yes")
    assert (request.method, request.url.params["confirm"]) == ("DELETE", "me")


def test_an_export_has_a_memory_for_each_line(recorded: RecordedRun) -> None:
    lines = "\n".join(json.dumps(WHOLE) for _ in range(2))
    done, _ = recorded(httpx.Response(200, text=lines), "memory", "export", "me")
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
