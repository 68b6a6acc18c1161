"""What an error says: which server, why, and which request; and what a debug log does not say."""

import logging
import pickle
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from answers import COMPLETED, FAILED, RUNNING, accepted, events, in_turn, refusal
from conftest import BASE_URL, Ask

from citegrid import Client, Policy, SearchNotCompleted, errors
from citegrid.nouns.search.search_results import Search
from citegrid.transport import logs
from citegrid.transport.codec import decode
from citegrid.transport.exchange import Request
from citegrid.transport.transfer import failure

ONCE = Policy(retries=0)
NAMED = {"X-Request-Id": "req_b"}


@pytest.fixture
def ask(ask_either: Ask) -> Ask:
    return ask_either


@pytest.fixture
def nobody_listens() -> Iterator[str]:
    """An address at which connections are refused."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


def test_a_refused_connection_names_the_address_and_its_cause(nobody_listens: str) -> None:
    with (
        Client(nobody_listens, policy=ONCE) as client,
        pytest.raises(errors.ConnectionFailed) as raised,
    ):
        client.health.get()
    assert nobody_listens in str(raised.value)
    assert "refused" in str(raised.value)
    assert isinstance(raised.value.__cause__, ConnectionRefusedError)


def test_an_answer_that_is_too_late_names_the_address(ask: Ask) -> None:
    with pytest.raises(errors.AnswerTimedOut, match=BASE_URL):
        ask(in_turn(httpx.ReadTimeout("slow")), lambda c: c.health.get(), policy=ONCE)


def test_an_answer_of_something_else_names_the_address(ask: Ask) -> None:
    with pytest.raises(errors.UnusableAnswer, match=BASE_URL):
        ask(in_turn(httpx.Response(200, text="<html>")), lambda c: c.health.get())


def test_the_address_of_an_error_holds_no_secret() -> None:
    request = Request("POST", "https://user:pass@rpc.example.org/v2/key?k=1", {}, None, True)
    text = str(failure(httpx.ConnectError("gone"), request.origin))
    assert "https://rpc.example.org" in text
    assert not {"pass", "key", "k=1"} & set(text.replace("/", " ").split())


def test_a_cause_that_may_repeat_a_header_is_not_kept() -> None:
    try:
        try:
            raise ValueError("Illegal header value b'cgk_secret'")
        except ValueError as inner:
            raise httpx.LocalProtocolError("illegal") from inner
    except httpx.LocalProtocolError as error:
        failed = failure(error, BASE_URL)
    assert failed.__cause__ is None
    assert "secret" not in str(failed)


@pytest.mark.parametrize(
    ("answer", "use"),
    [
        (RUNNING, lambda c: c.searches.get("srch_a")),
        (
            {"searches": [], "has_more": False, "next_cursor": None},
            lambda c: c.searches.list(),
        ),
        (
            {"status": "ready", "database": "ok", "redis": "ok", "dispatchers": "ok"},
            lambda c: c.health.get(),
        ),
    ],
    ids=["search", "page", "readiness"],
)
def test_a_result_carries_its_request(ask: Ask, answer: object, use: object) -> None:
    result = ask(in_turn(httpx.Response(200, json=answer, headers=NAMED)), use)
    assert result.request_id == "req_b"


def test_an_answer_carries_the_request_that_read_it(ask: Ask) -> None:
    read = httpx.Response(200, json=COMPLETED, headers=NAMED)
    assert ask(in_turn(accepted(), read), lambda c: c.searches.ask("Why?")).request_id == "req_b"


def test_an_event_carries_its_request(ask: Ask) -> None:
    stream = events(("completed", "end", COMPLETED))
    stream.headers.update(NAMED)
    (event,) = ask(in_turn(stream), lambda c: c.searches.events("srch_a"))
    assert event.request_id == "req_b"


def test_a_search_that_failed_carries_the_request_that_said_so(ask: Ask) -> None:
    read = httpx.Response(200, json=FAILED, headers=NAMED)
    with pytest.raises(SearchNotCompleted) as raised:
        ask(in_turn(accepted(), read), lambda c: c.searches.ask("Why?"))
    assert raised.value.request_id == "req_b"


def test_an_unusable_answer_carries_its_request(ask: Ask) -> None:
    with pytest.raises(errors.UnusableAnswer) as raised:
        ask(in_turn(httpx.Response(200, text="{}", headers=NAMED)), lambda c: c.health.get())
    assert raised.value.request_id == "req_b"


def test_a_result_is_equal_whichever_request_read_it(ask: Ask) -> None:
    one, other = (
        ask(in_turn(httpx.Response(200, json=RUNNING, headers=h)), lambda c: c.searches.get("a"))
        for h in ({}, NAMED)
    )
    assert one == other


@pytest.fixture
def debug(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """CITEGRID_LOG=debug, and logging as it was afterwards."""
    monkeypatch.setenv("CITEGRID_LOG", "debug")
    level = logs.LOGGER.level
    yield
    logs.LOGGER.setLevel(level)
    logs.LOGGER.handlers.clear()
    logs.LOGGER.propagate = True


def test_the_debug_log_names_requests_and_no_secrets(
    ask: Ask, debug: None, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = refusal(503, "overloaded", {"Retry-After": "1", **NAMED})
    accepted = httpx.Response(202, json={"id": "srch_secret", "status": "running"})
    secrets = {"api_key": "cgk_secret", "access_token": "cgt_secret", "refresh_token": "r_secret"}
    policy = Policy(jitter=lambda: 0.0, retries=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", lambda _: None)
        patch.setattr("anyio.sleep", _at_once)
        ask(
            in_turn(refused, accepted),
            lambda c: c.searches.create("a secret question", idempotency_key="secret"),
            policy=policy,
            **secrets,
        )
    logged = capsys.readouterr().err
    assert f"POST {BASE_URL}/external/v1/search: 503 in " in logged
    assert "request req_b" in logged
    assert "secret" not in logged


async def _at_once(_seconds: float) -> None:
    """Does not wait."""


def test_without_the_variable_nothing_is_configured(ask: Ask) -> None:
    ask(in_turn(httpx.Response(200, json=RUNNING)), lambda c: c.searches.get("srch_a"))
    assert logging.getLogger("citegrid").handlers == []


def test_a_page_of_something_on_the_way_deletes_nothing(ask: Ask) -> None:
    page = httpx.Response(200, html="<html>")
    with pytest.raises(errors.UnusableAnswer, match=BASE_URL):
        ask(in_turn(page), lambda c: c.jobs.delete("job_a"))


def test_a_page_of_something_on_the_way_is_no_export(ask: Ask, tmp_path: Path) -> None:
    page = httpx.Response(200, html="<html>")
    with pytest.raises(errors.UnusableAnswer, match="not text/csv"):
        ask(in_turn(page), lambda c: c.jobs.export("job_a", tmp_path / "records.csv"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "error",
    [
        errors.StillRunning("srch_a"),
        errors.NotFound("Gone.", code="search_not_found", request_id="req_a"),
        SearchNotCompleted(decode(Search, FAILED)),
    ],
)
def test_an_error_passes_between_processes(error: errors.CitegridError) -> None:
    received = pickle.loads(pickle.dumps(error))  # noqa: S301 (our own)
    assert (type(received), str(received)) == (type(error), str(error))
    assert vars(received) == vars(error)
