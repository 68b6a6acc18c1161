"""The tools for agent hosts over the real application."""

import itertools
import json
from typing import Any

import anyio
import httpx
import pytest
from citegrid.mcp.tools import wait
from flask import Flask
from mcp import Client, MCPError

from app.core.config.settings import Settings
from tests import builders
from tests.integration.client.agent_hosts import Host, host_of
from tests.integration.client.conftest import QUESTION, InThread, Recorder


@pytest.fixture
def host(app: Flask, owner: dict[str, str]) -> Host:
    return host_of(app, owner["X-API-Key"])


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polls of which several fit into a second."""
    monkeypatch.setattr(wait, "POLL_SECONDS", 0.05)


@pytest.fixture
def answered(host: Host, settings: Settings, owls: None) -> str:
    """The id of a search that is completed."""
    id: str = host("service_start_search", query=QUESTION).found["search_id"]
    builders.work(settings, id)
    return id


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_question_is_answered_within_one_call(
    host: Host, mode: str, settings: Settings, owls: None
) -> None:
    host.mode = mode
    told = host(
        "service_search",
        query=QUESTION,
        noted=lambda note: builders.work(settings, note.partition(":")[0]),
    )
    assert told.found["status"] == "completed"
    assert "four to seven eggs" in told.found["answer"]


def test_a_search_has_its_quotes_as_a_resource_and_a_report(host: Host, answered: str) -> None:
    mime_type, text = host.read(f"search://{answered}")
    assert mime_type == "application/json"
    whole = json.loads(text)
    assert whole == host.transport.recorder.answers[-1]
    (source,) = host("service_get_search", search_id=answered).found["sources"]
    assert [(x["n"], x["text"]) for x in source["quotes"]] == [
        (citation["n"], citation["quote"]) for citation in whole["result"]["citations"]
    ]
    mime_type, report = host.read(f"search://{answered}/report")
    assert mime_type == "text/markdown"
    answer, _, sources = report.partition("\n\n## Sources\n\n")
    assert answer.startswith(f"# {QUESTION}\n\n")
    assert "A clutch holds four to seven eggs" in answer
    assert sources.startswith("1. [Barn owls](<https://birds.example.org/owls>)\n    > [1] ")


def test_a_search_is_started_read_listed_and_cancelled(host: Host) -> None:
    started = host("service_start_search", query=QUESTION).found
    id = started["search_id"]
    assert (started["status"], started["resource_uri"]) == ("running", f"search://{id}")
    assert host("service_get_search", search_id=id).found == started
    (listed,) = host("service_list_searches").found["searches"]
    assert (listed["search_id"], listed["query"]) == (id, QUESTION)
    assert host("service_cancel_search", search_id=id).found["outcome"] == "cancelled"
    again = host("service_cancel_search", search_id=id).found
    assert (again["status"], again["outcome"]) == ("cancelled", "already_finished")


def test_what_takes_longer_than_the_wait_notes_its_progress_and_says_how_to_go_on(
    host: Host, often: None
) -> None:
    told = host("service_search", query=QUESTION, wait_seconds=1)
    id = told.found["search_id"]
    assert told.found["status"] == "running"
    assert f'service_get_search with search_id "{id}"' in told.found["next_step"]
    assert told.notes[0][1].startswith(f"{id}: running, queued, 0 sources")
    values = [value for value, _ in told.notes]
    assert len(values) > 2
    assert all(a < b for a, b in itertools.pairwise(values))
    with pytest.raises(MCPError, match=r"not_ready.*service_get_search") as raised:
        host.read(f"search://{id}/report")
    assert raised.value.error.code == -32603


def test_getting_waits_for_the_end(host: Host, settings: Settings, owls: None) -> None:
    id = host("service_start_search", query=QUESTION).found["search_id"]
    told = host(
        "service_get_search",
        search_id=id,
        wait_seconds=20,
        noted=lambda _: builders.work(settings, id),
    )
    assert told.found["status"] == "completed"


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_a_call_that_the_host_gives_up_leaves_the_search_running(
    host: Host, often: None, mode: str
) -> None:
    host.mode = mode

    async def give_up(client: Client) -> None:
        with pytest.raises(MCPError):
            await client.call_tool("service_search", {"query": QUESTION}, read_timeout_seconds=5)

    host.use(give_up)
    (listed,) = host("service_list_searches").found["searches"]
    assert (listed["query"], listed["status"]) == (QUESTION, "running")


def test_others_are_answered_while_one_waits(host: Host) -> None:
    async def both(client: Client) -> list[str]:
        ended = []

        async def call(tool: str, **arguments: Any) -> None:
            await client.call_tool(tool, arguments)
            ended.append(tool)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: call("service_search", query=QUESTION, wait_seconds=1))
            tasks.start_soon(lambda: call("service_list_searches"))
        return ended

    assert host.use(both) == ["service_list_searches", "service_search"]


class DropsTheFirstAnswer(httpx.AsyncBaseTransport):
    """The server has done its work, and the connection breaks."""

    def __init__(self, app: Flask) -> None:
        self._inner, self._dropped = InThread(Recorder(app)), False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        if not self._dropped:
            self._dropped = True
            raise httpx.ReadError("gone")
        return response


def test_a_start_whose_answer_got_lost_makes_one_search(app: Flask, owner: dict[str, str]) -> None:
    host = Host(DropsTheFirstAnswer(app), owner["X-API-Key"])
    id = host("service_start_search", query=QUESTION).found["search_id"]
    (listed,) = host("service_list_searches").found["searches"]
    assert listed["search_id"] == id


@pytest.mark.parametrize(("name", "arguments"), [("research", {}), ("zip", {"question": "?"})])
def test_a_prompt_that_cannot_be_given_is_an_error_of_the_caller(
    host: Host, name: str, arguments: dict[str, str]
) -> None:
    async def ask(client: Client) -> int:
        try:
            await client.get_prompt(name, arguments)
        except MCPError as error:
            return error.code
        return 0

    assert host.use(ask) == -32602
