"""Waiting for a search, by long poll and by its events."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from answers import COMPLETED, FAILED, RUNNING, accepted, events, in_turn, refusal
from conftest import BASE_URL, Ask

from citegrid import AsyncClient, Client, Policy, SearchNotCompleted, StillRunning, errors
from citegrid.nouns import polling
from citegrid.transport import sync_runner

MOVED = ("progress", "1", {"id": "srch_a", "status": "running", **RUNNING["progress"]})
QUEUED = ("status", "0", {"id": "srch_a", "status": "running"})
ENDED = ("completed", "end-succeeded", COMPLETED)
FORM = {"Content-Type": "text/event-stream"}


@pytest.fixture
def ask(ask_either: Ask) -> Ask:
    return ask_either


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two polls, and before a stream is opened again."""
    monkeypatch.setattr(polling, "PAUSE_SECONDS", 0.0)
    monkeypatch.setattr("citegrid.service.REOPEN_SECONDS", 0.0)


def answer(body: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json=body)


def test_waiting_asks_until_the_search_is_finished(ask: Ask) -> None:
    server = in_turn(answer(RUNNING), answer(RUNNING), answer(COMPLETED))
    assert ask(server, lambda c: c.searches.wait("srch_a")).status == "completed"


def test_a_server_that_cannot_hold_its_answer_is_not_asked_without_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    only_here = SimpleNamespace(sleep=pauses.append)  # other threads sleep as ever
    monkeypatch.setattr(sync_runner, "time", only_here)
    monkeypatch.setattr(polling, "PAUSE_SECONDS", 7.0)
    transport = httpx.MockTransport(in_turn(answer(RUNNING), answer(RUNNING), answer(COMPLETED)))
    with Client(BASE_URL, transport=transport) as client:
        client.searches.wait("srch_a")
    assert pauses == [7.0, 7.0]


def test_waiting_returns_a_search_that_failed(ask: Ask) -> None:
    search = ask(in_turn(answer(FAILED)), lambda c: c.searches.wait("srch_a"))
    assert search.error.code == "deadline_exceeded"


def test_waiting_ends_with_its_time_and_names_the_search(ask: Ask) -> None:
    def server(request: httpx.Request) -> httpx.Response:
        assert 0 <= float(request.url.params["wait"]) <= 0.05
        return answer(RUNNING)

    with pytest.raises(StillRunning) as raised:
        ask(server, lambda c: c.searches.wait("srch_a", timeout=0.05))
    assert raised.value.id == "srch_a"


def test_the_server_is_asked_to_hold_its_answer(ask: Ask) -> None:
    def server(request: httpx.Request) -> httpx.Response:
        assert request.url.params["wait"] == "30.0"
        assert request.extensions["timeout"]["read"] == 60.0
        return answer(COMPLETED)

    ask(server, lambda c: c.searches.wait("srch_a"))


def test_asking_returns_the_result(ask: Ask) -> None:
    result = ask(in_turn(accepted(), answer(COMPLETED)), lambda c: c.searches.ask("How many?"))
    assert result.answer == "Four to seven eggs. [1]"


def test_asking_raises_what_a_search_ended_with(ask: Ask) -> None:
    with pytest.raises(SearchNotCompleted, match="ended as failed: Too late") as raised:
        ask(in_turn(accepted(), answer(FAILED)), lambda c: c.searches.ask("How many?"))
    assert raised.value.search.id == "srch_a"


def test_events_are_told_until_the_last(ask: Ask) -> None:
    found = ask(in_turn(events(QUEUED, MOVED, ENDED)), lambda c: c.searches.events("srch_a"))
    assert [event.event for event in found] == ["status", "progress", "completed"]
    assert found[1].progress.percent == 10
    assert found[2].search.result.answered


def test_a_stream_that_breaks_is_opened_again_after_the_last_event(ask: Ask) -> None:
    asked: list[str | None] = []
    answers = in_turn(events(QUEUED, MOVED), httpx.ConnectError("gone"), events(ENDED))

    def server(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("Last-Event-ID"))
        return answers(request)

    found = ask(server, lambda c: c.searches.events("srch_a"))
    assert [event.event for event in found] == ["status", "progress", "completed"]
    assert asked == [None, "1", "1"]


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A stream that never ends and knows whether it was closed."""

    def __init__(self) -> None:
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield b"event: status\nid: 0\ndata: " + json.dumps(QUEUED[2]).encode() + b"\n\n"

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


def test_whoever_leaves_a_stream_closes_it() -> None:
    pieces = Pieces()
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=pieces, headers=FORM))
    with Client(BASE_URL, transport=transport) as client:
        events = client.searches.events("srch_a")
        assert next(events).event == "status"
        assert not pieces.closed
        events.close()
        assert pieces.closed


def test_whoever_leaves_an_awaited_stream_closes_it() -> None:
    pieces = Pieces()
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=pieces, headers=FORM))

    async def main() -> None:
        async with AsyncClient(BASE_URL, transport=transport) as client:
            events = client.searches.events("srch_a")
            assert (await anext(events)).event == "status"
            assert not pieces.closed
            await events.aclose()
            assert pieces.closed

    asyncio.run(main())


def test_a_stream_of_which_all_was_seen_is_empty(ask: Ask) -> None:
    server = in_turn(httpx.Response(204))
    use = lambda c: c.searches.events("srch_a", last_event_id="end-succeeded")  # noqa: E731
    assert ask(server, use) == []


def test_a_stream_that_never_says_anything_is_given_up(ask: Ask) -> None:
    server = in_turn(*(events() for _ in range(3)))
    policy = Policy(retries=2, jitter=lambda: 0.0)
    with pytest.raises(errors.ConnectionFailed):
        ask(server, lambda c: c.searches.events("srch_a"), policy=policy)


def test_a_stream_of_something_missing_raises(ask: Ask) -> None:
    server = in_turn(refusal(404, "search_not_found"))
    with pytest.raises(errors.NotFound, match="search_not_found"):
        ask(server, lambda c: c.searches.events("srch_a"))


def test_events_end_with_their_time(ask: Ask) -> None:
    moments = iter(range(1000))
    policy = Policy(clock=lambda: float(next(moments)), jitter=lambda: 0.0)
    server = in_turn(*(events(QUEUED) for _ in range(20)))
    with pytest.raises(StillRunning):
        ask(server, lambda c: c.searches.events("srch_a", timeout=10), policy=policy)


@pytest.mark.parametrize("data", ["{", "[]", "5", '{"id": 5}'])
def test_an_event_of_another_form_is_unusable(ask: Ask, data: str) -> None:
    text = f"event: progress\ndata: {data}\n\n"
    answer = httpx.Response(200, text=text, headers=FORM)
    with pytest.raises(errors.UnusableAnswer):
        ask(in_turn(answer), lambda c: c.searches.events("srch_a"))


def test_a_page_of_something_on_the_way_is_no_stream(ask: Ask) -> None:
    page = httpx.Response(200, html="<html>")
    with pytest.raises(errors.UnusableAnswer, match="not text/event-stream"):
        ask(in_turn(page), lambda c: c.searches.events("srch_a"))
