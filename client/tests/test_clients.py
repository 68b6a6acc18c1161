"""What both clients send, and what they never let out."""

import gzip
import json
import logging
import traceback
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import httpx
import pytest
from answers import COMPLETED, RUNNING, Recording, accepted, refusal
from conftest import AT_ONCE, BASE_URL, Ask

from citegrid import AsyncClient, Client, Credentials, Policy, errors

SECRETS = {"api_key": "cgk_secret", "access_token": "cgt_secret", "refresh_token": "cgr_secret"}
LISTED = {"searches": [RUNNING], "has_more": False, "next_cursor": None}


def test_a_result_is_typed(ask: Ask) -> None:
    search = ask(Recording(httpx.Response(200, json=COMPLETED)), lambda c: c.searches.get("srch_a"))
    assert search.completed_at == datetime(2026, 11, 21, 9, 0, 1, 250_000, tzinfo=UTC)
    assert search.result.source(1).url == "https://birds.example.org/owls"


def test_an_iterator_takes_the_size_of_its_pages_and_where_to_begin(ask: Ask) -> None:
    last = {"searches": [], "has_more": False, "next_cursor": None}
    server = Recording(httpx.Response(200, json=last))
    ask(server, lambda c: c.searches.iterate(status="failed", limit=50, cursor="c1"))
    assert dict(server.asked[0].url.params) == {"status": "failed", "limit": "50", "cursor": "c1"}


def test_a_time_in_a_query_is_sent_in_utc(ask: Ask) -> None:
    server = Recording(
        httpx.Response(200, json={"tasks": [], "has_more": False, "next_cursor": None})
    )
    since = datetime(2026, 11, 21, 10, tzinfo=timezone(timedelta(hours=1)))
    ask(server, lambda c: c.operations.tasks(since=since), access_token="cgt_secret")
    assert dict(server.asked[0].url.params) == {"since": "2026-11-21T09:00:00Z"}


def test_an_option_that_does_not_exist_is_not_sent(ask: Ask) -> None:
    with pytest.raises(TypeError, match="colour"):
        ask(Recording(accepted()), lambda c: c.searches.create("Why?", colour="red"))


def test_only_what_is_given_is_sent(ask: Ask) -> None:
    server = Recording(accepted())
    ask(server, lambda c: c.searches.create("Why?", include_domains=["example.org"]))
    body = {"query": "Why?", "include_domains": ["example.org"]}
    assert json.loads(server.asked[0].content) == body


def test_an_end_is_taken_away_with_none_and_kept_with_nothing(ask: Ask) -> None:
    server = Recording(refusal(404, "api_key_not_found"))
    with pytest.raises(errors.NotFound, match="api_key_not_found"):
        ask(server, lambda c: c.api_keys.update("key_a", expires_at=None))
    assert json.loads(server.asked[0].content) == {"expires_at": None}


def test_what_fills_a_path_cannot_leave_its_place(ask: Ask) -> None:
    server = Recording(refusal(404, "search_not_found"))
    with pytest.raises(errors.NotFound, match="search_not_found"):
        ask(server, lambda c: c.searches.get("../../v1/account?x#y"))
    assert server.asked[0].url.raw_path == b"/external/v1/search/..%2F..%2Fv1%2Faccount%3Fx%23y"


def test_a_retried_post_keeps_its_idempotency_key(ask: Ask) -> None:
    server = Recording(httpx.ConnectError("gone"), accepted())
    ask(server, lambda c: c.searches.create("Why?"))
    first, second = (request.headers["Idempotency-Key"] for request in server.asked)
    assert first == second


def test_two_calls_have_two_idempotency_keys(ask: Ask) -> None:
    server = Recording(accepted(), accepted())
    ask(server, lambda c: c.searches.create("Why?"))
    ask(server, lambda c: c.searches.create("Why?"))
    first, second = (request.headers["Idempotency-Key"] for request in server.asked)
    assert first != second


def test_an_idempotency_key_can_be_chosen(ask: Ask) -> None:
    server = Recording(accepted())
    ask(server, lambda c: c.searches.create("Why?", idempotency_key="order-17"))
    assert server.asked[0].headers["Idempotency-Key"] == "order-17"


def test_a_patch_is_not_sent_twice(ask: Ask) -> None:
    server = Recording(httpx.ConnectError("gone"))
    with pytest.raises(errors.ConnectionFailed):
        ask(server, lambda c: c.api_keys.update("key_a", name="ci"))
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("given", "use", "header"),
    [
        (SECRETS, lambda c: c.searches.list(), {"x-api-key": "cgk_secret"}),
        (SECRETS, lambda c: c.accounts.get(), {"authorization": "Bearer cgt_secret"}),
        ({"access_token": "t"}, lambda c: c.searches.list(), {"authorization": "Bearer t"}),
        ({"api_key": "k"}, lambda c: c.accounts.get(), {"x-api-key": "k"}),
        (SECRETS, lambda c: c.offers.get("x"), {}),
    ],
)
def test_each_operation_gets_the_credential_it_takes(
    ask: Ask, given: dict[str, str], use: Any, header: dict[str, str]
) -> None:
    server = Recording(refusal(403, "api_key_scope"))
    with pytest.raises(errors.ApiKeyScope):
        ask(server, use, **{"api_key": None, **given})
    sent = {"x-api-key", "authorization"} & server.asked[0].headers.keys()
    assert {name: server.asked[0].headers[name] for name in sent} == header


def test_a_redirect_is_not_followed(ask_either: Ask) -> None:
    elsewhere = {"Location": "https://elsewhere.example.org/"}
    server = Recording(httpx.Response(307, headers=elsewhere))
    with pytest.raises(errors.ApiError, match="redirects"):
        ask_either(server, lambda c: c.searches.list())
    assert len(server.asked) == 1


def test_an_answer_is_read_up_to_its_bound_after_decompression(ask_either: Ask) -> None:
    packed = gzip.compress(b" " * 200_000 + b"{}")
    server = Recording(httpx.Response(200, content=packed, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(errors.UnusableAnswer, match="larger than 100000 bytes"):
        ask_either(server, lambda c: c.searches.list(), policy=Policy(answer_bytes=100_000))


def test_an_answer_that_drips_ends_at_the_deadline(ask_either: Ask) -> None:
    moments = iter(range(0, 1000, 40))
    policy = Policy(clock=lambda: float(next(moments)))
    server = Recording(httpx.Response(200, content=b"{}"))
    with pytest.raises(errors.DeadlineReached):
        ask_either(server, lambda c: c.searches.list(), policy=policy)


@pytest.mark.parametrize("content", [b"<html>", b"[]", b'{"searches": 5}', b"\xff"])
def test_an_answer_of_another_form_is_unusable(ask: Ask, content: bytes) -> None:
    with pytest.raises(errors.UnusableAnswer):
        ask(Recording(httpx.Response(200, content=content)), lambda c: c.searches.list())


def test_all_pages_are_walked(ask_either: Ask) -> None:
    first = {"searches": [RUNNING], "has_more": True, "next_cursor": "cur_a"}
    server = Recording(httpx.Response(200, json=first), httpx.Response(200, json=LISTED))
    assert len(ask_either(server, lambda c: c.searches.iterate())) == 2
    assert server.asked[1].url.params["cursor"] == "cur_a"


def test_a_cursor_that_does_not_move_ends_the_walk(ask: Ask) -> None:
    stuck = {"searches": [RUNNING], "has_more": True, "next_cursor": "cur_a"}
    server = Recording(*(httpx.Response(200, json=stuck) for _ in range(2)))
    assert len(ask(server, lambda c: c.searches.iterate())) == 2


@pytest.mark.parametrize("client", [Client, AsyncClient])
def test_a_client_shows_no_secret(client: type[Client] | type[AsyncClient]) -> None:
    shown = repr(client(BASE_URL, **SECRETS))
    assert shown == f"{client.__name__}('{BASE_URL}')"


def test_credentials_and_new_secrets_show_none() -> None:
    assert "secret" not in repr(Credentials(**SECRETS))


@pytest.mark.parametrize(
    "answer",
    [
        lambda: httpx.ConnectError("gone"),
        lambda: httpx.ReadTimeout("slow"),
        lambda: refusal(500, "internal_error"),
        lambda: httpx.Response(200, content=b"{"),
    ],
    ids=["broken", "slow", "refused", "unusable"],
)
def test_no_secret_is_in_what_is_raised_or_logged(
    ask_either: Ask,
    answer: Callable[[], httpx.Response | Exception],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    policy = Policy(retries=0)
    with pytest.raises(errors.CitegridError) as raised:
        ask_either(Recording(answer()), lambda c: c.searches.list(), policy=policy, **SECRETS)
    error: BaseException | None = raised.value
    shown = "".join(traceback.format_exception(error)) + caplog.text + repr(vars(error))
    assert "secret" not in shown.replace("test_no_secret", "")
    while error is not None:  # nor in httpx's request, which its errors hold
        assert not hasattr(error, "request")
        error = error.__context__


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "käse"])
def test_an_impossible_key_is_refused_without_being_shown(key: str) -> None:
    with pytest.raises(ValueError, match="A key or token") as raised:
        Client(BASE_URL, key)
    assert not key or key not in str(raised.value)


def test_a_proxy_of_the_environment_does_not_see_the_key_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.org:3128")
    with Client("http://127.0.0.1:8000", "cgk_secret") as client:
        assert client._runner._http._mounts == {}


def test_help_shows_what_a_method_takes() -> None:
    with Client(BASE_URL, policy=AT_ONCE) as client:
        assert client.searches.get.__doc__.startswith("Read a search")
