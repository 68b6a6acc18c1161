"""Event streams over a real socket, and the slots of those who wait."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.serving import make_server

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.http.client_connection import Shutdown
from app.core.http.long_poll import LongPolls, Shares
from app.core.ids import Noun
from app.core.redis import events
from app.domains.account.accounts.sign_in import callers
from app.domains.queue.jobs import service as jobs
from tests import builders
from tests.caller import Caller
from tests.patience import PATIENCE_SECONDS
from tests.servers import until

SEARCH = "/external/v1/search"
SLOTS = 2
COMMENT_SECONDS = 0.05


@pytest.fixture
def waiting(app: Flask, settings: Settings) -> LongPolls:
    """Two slots, and a comment every 50 ms."""
    listener = events.Listener(events.connect(settings.redis_url))
    shares = Shares(process=SLOTS, account=SLOTS, address=SLOTS)
    app.extensions["waiting"] = LongPolls(listener, shares, COMMENT_SECONDS)
    return app.extensions["waiting"]  # type: ignore[no-any-return]


@pytest.fixture
def address(app: Flask, waiting: LongPolls) -> Iterator[str]:
    """Where the application listens, with a thread for each request."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def search_id(ada: Caller) -> str:
    id: str = ada.post(SEARCH, {"query": "q"}).get_json()["id"]
    return id


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is remembered, by whose key a request before made the search: for five seconds more it
    would be good although it was revoked."""
    monkeypatch.setattr(callers.cache, "put", lambda *_: None)


@contextmanager
def opened(
    address: str, search_id: str, headers: dict[str, str]
) -> Iterator[http.client.HTTPResponse]:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)
    connection.request("GET", f"{SEARCH}/{search_id}/events", headers=headers)
    answer = connection.getresponse()
    try:
        yield answer
    finally:
        answer.close()
        connection.close()


def block(stream: http.client.HTTPResponse) -> list[str]:
    """The lines up to the next empty one; empty at the end."""
    lines = iter(lambda: stream.readline().decode().rstrip("\n"), "")
    return list(lines)


def event(stream: http.client.HTTPResponse) -> dict[str, str]:
    """The next event, without the comments before it."""
    while (lines := block(stream)) and lines[0].startswith(":"):
        pass
    return dict(line.split(": ", 1) for line in lines)


def report(search_id: str, version: int, percent: int) -> None:
    """Progress as a worker writes it."""
    said = {"percent": percent, "stage": "retrieving", "version": version, "sources_found": 3}
    with db.transaction() as tx:
        tx.execute(
            "update jobs set state = 'running', attempt = 1, worker = 'test',"
            " lease_until = now() + interval '1 min', progress = %s where id = %s",
            (json.dumps(said), ids.internal(Noun.SEARCH, search_id)),
        )


def cancel(search_id: str) -> None:
    with db.transaction() as tx:
        id = ids.internal(Noun.SEARCH, search_id)
        assert isinstance(id, UUID)
        jobs.cancel(tx, id)


def free_slots(waiting: LongPolls) -> int:
    return SLOTS - waiting._slots._taken["process"]


def test_events_come_in_their_order(address: str, search_id: str, owner: dict[str, str]) -> None:
    with opened(address, search_id, owner) as stream:
        assert event(stream)["event"] == "status"
        for version, percent in [(1_000_001, 20), (1_000_002, 70)]:
            report(search_id, version, percent)
            told = event(stream)
            assert (told["event"], told["id"]) == ("progress", str(version))
            assert json.loads(told["data"])["percent"] == percent
        cancel(search_id)
        told = event(stream)
        assert (told["event"], json.loads(told["data"])["status"]) == ("completed", "cancelled")
        assert block(stream) == []


def test_a_worked_search_ends_its_stream_with_the_result(
    address: str, settings: Settings, search_id: str, owner: dict[str, str]
) -> None:
    with opened(address, search_id, owner) as stream:
        assert event(stream)["event"] == "status"
        builders.work(settings, search_id)
        while (told := event(stream))["event"] == "progress":
            pass
        assert told["event"] == "completed"
        assert json.loads(told["data"])["result"]["answered"] is False


def test_a_resumed_stream_goes_on_after_the_last_event(
    address: str, search_id: str, owner: dict[str, str]
) -> None:
    report(search_id, 1_000_001, 20)
    with opened(address, search_id, {**owner, "Last-Event-ID": "1000001"}) as stream:
        assert [block(stream), block(stream)] == [[": still working"], [": still working"]]
        report(search_id, 1_000_002, 70)
        assert event(stream)["id"] == "1000002"


def test_a_stream_resumed_at_its_end_is_204(ada: Caller, search_id: str) -> None:
    ada.post(f"{SEARCH}/{search_id}/cancel")
    path = f"{SEARCH}/{search_id}/events"
    last = next(line for line in ada.get(path).text.split("\n") if "id: " in line)
    seen = {"Last-Event-ID": last.removeprefix("id: ")}
    assert ada.get(path, **seen).status_code == 204


def test_a_client_that_goes_away_frees_its_slot(
    address: str, waiting: LongPolls, search_id: str, owner: dict[str, str]
) -> None:
    with opened(address, search_id, owner) as stream:
        event(stream)
        assert free_slots(waiting) == SLOTS - 1
    until(lambda: free_slots(waiting) == SLOTS)


def test_head_takes_no_slot(ada: Caller, waiting: LongPolls, search_id: str) -> None:
    answer = ada.ask("HEAD", f"{SEARCH}/{search_id}/events")
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert free_slots(waiting) == SLOTS


def test_a_stream_whose_search_is_gone_ends(
    address: str, waiting: LongPolls, search_id: str, owner: dict[str, str]
) -> None:
    with opened(address, search_id, owner) as stream:
        event(stream)
        with db.transaction() as tx:
            tx.execute("delete from searches")
            tx.execute("delete from jobs")
        assert event(stream) == {}
    until(lambda: free_slots(waiting) == SLOTS)


def test_a_stream_ends_with_its_key(
    forgetful: None, address: str, search_id: str, owner: dict[str, str]
) -> None:
    with opened(address, search_id, owner) as stream:
        event(stream)
        with db.transaction() as tx:
            tx.execute("update api_keys set revoked_at = now()")
        assert event(stream) == {}


def test_a_long_poll_answers_no_key_that_was_revoked_meanwhile(
    forgetful: None, address: str, waiting: LongPolls, search_id: str, owner: dict[str, str]
) -> None:
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_SECONDS)
    connection.request("GET", f"{SEARCH}/{search_id}?wait=30", headers=owner)
    until(lambda: free_slots(waiting) < SLOTS)
    with db.transaction() as tx:
        tx.execute("update api_keys set revoked_at = now()")
    assert connection.getresponse().status == 401
    connection.close()


def test_a_stream_ends_when_the_process_has_to(
    address: str, search_id: str, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(address, search_id, owner) as stream:
        assert event(stream)
        monkeypatch.setattr(Shutdown, "requested", True)
        stream.read()  # to its end, which nobody's work brings about
