"""Signing in, and tokens that expire."""

import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from answers import COMPLETED, events, in_turn, refusal
from conftest import AT_ONCE, BASE_URL, Ask, Use

from citegrid import Client, Credentials, Tokens, errors

OWN = {
    "account": {"id": "acct_a", "email": "a@example.org", "created_at": "2026-11-21T09:00:00Z"},
    "credit": [],
}


@pytest.fixture
def ask(ask_either: Ask) -> Ask:
    return ask_either


def tokens(n: int) -> dict[str, Any]:
    return {
        "access_token": f"access-{n}",
        "token_type": "Bearer",
        "expires_in": 3600,
        "refresh_token": f"refresh-{n}",
    }


class Server:
    """Knows one access token at a time, and refreshes it."""

    def __init__(self) -> None:
        self.current = 1
        self.refreshed: list[str] = []
        self._lock = threading.Lock()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/tokens/refresh":
            with self._lock:
                self.refreshed.append(request.headers["Idempotency-Key"])
                self.current = 2
            return httpx.Response(201, json=tokens(2))
        if request.headers.get("Authorization") == f"Bearer access-{self.current}":
            return httpx.Response(200, json=OWN)
        return refusal(401, "auth_expired_token")


def expired(told: list[Tokens] | None = None) -> Credentials:
    on_refresh = told.append if told is not None else None
    return Credentials(access_token="access-0", refresh_token="refresh-0", on_refresh=on_refresh)


def test_signing_in_is_enough_for_what_follows(ask: Ask) -> None:
    server = in_turn(httpx.Response(201, json=tokens(1)), httpx.Response(200, json=OWN))
    credentials = Credentials()
    ask(server, lambda c: c.sign_in("a@example.org", "correct horse"), credentials=credentials)
    assert credentials.access_token == "access-1"
    own = ask(server, lambda c: c.accounts.get(), credentials=credentials)
    assert own.account.email == "a@example.org"


def test_signing_out_forgets_the_tokens(ask: Ask) -> None:
    credentials = expired()
    ask(in_turn(httpx.Response(204)), lambda c: c.sign_out(), credentials=credentials)
    assert (credentials.access_token, credentials.refresh_token) == (None, None)


def test_an_expired_token_is_refreshed_and_the_call_done(ask: Ask) -> None:
    told: list[Tokens] = []
    own = ask(Server(), lambda c: c.accounts.get(), credentials=expired(told))
    assert own.account.id == "acct_a"
    assert [t.access_token for t in told] == ["access-2"]


def test_a_token_that_another_process_refreshed_is_refreshed_as_well(ask: Ask) -> None:
    server = in_turn(
        refusal(401, "auth_revoked_token"),
        httpx.Response(201, json=tokens(2)),
        httpx.Response(200, json=OWN),
    )
    assert ask(server, lambda c: c.accounts.get(), credentials=expired()).account.id == "acct_a"


def test_a_stream_is_opened_with_a_refreshed_token(ask: Ask) -> None:
    server = in_turn(
        refusal(401, "auth_expired_token"),
        httpx.Response(201, json=tokens(2)),
        events(("completed", "end", COMPLETED)),
    )
    (event,) = ask(server, lambda c: c.searches.events("srch_a"), credentials=expired())
    assert event.event == "completed"


def test_a_token_is_refreshed_once_for_a_call(ask: Ask) -> None:
    server = in_turn(
        refusal(401, "auth_expired_token"),
        httpx.Response(201, json=tokens(2)),
        refusal(401, "auth_expired_token"),
    )
    with pytest.raises(errors.AuthExpiredToken):
        ask(server, lambda c: c.accounts.get(), credentials=expired())


@pytest.mark.parametrize(
    ("credentials", "use"),
    [
        (Credentials(access_token="access-0"), lambda c: c.accounts.get()),
        (Credentials("cgk_old", "access-0", "refresh-0"), lambda c: c.searches.list()),
    ],
    ids=["without a refresh token", "an API key"],
)
def test_what_cannot_be_refreshed_is_an_error(ask: Ask, credentials: Credentials, use: Use) -> None:
    with pytest.raises(errors.AuthExpiredToken):
        ask(in_turn(refusal(401, "auth_expired_token")), use, credentials=credentials)


def test_threads_that_refresh_at_once_ask_for_the_same_thing() -> None:
    together = threading.Barrier(4)
    server = Server()

    def handler(request: httpx.Request) -> httpx.Response:
        if request.headers.get("Authorization") == "Bearer access-0":
            together.wait(timeout=600)  # all of them hear that it has expired
        return server(request)

    with Client(
        BASE_URL,
        credentials=expired(),
        policy=AT_ONCE,
        transport=httpx.MockTransport(handler),
    ) as client:
        threads = [threading.Thread(target=client.accounts.get) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(set(server.refreshed)) == 1


def test_who_stole_a_refresh_token_cannot_know_its_idempotency_key() -> None:
    assert expired().refresh_key() != expired().refresh_key()


def test_tokens_show_no_secret() -> None:
    shown = repr(Tokens("access-1", "Bearer", 3600, "refresh-1"))
    assert shown == "Tokens(token_type='Bearer', expires_in=3600)"


def test_an_export_is_opened_with_a_refreshed_token(ask: Ask, tmp_path: Path) -> None:
    def server(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/tokens/refresh":
            return httpx.Response(201, json=tokens(2))
        if request.headers["Authorization"] == "Bearer access-2":
            form = {"Content-Type": "application/x-ndjson"}
            return httpx.Response(200, content=b"{}\n", headers=form)
        return refusal(401, "auth_expired_token")

    target = tmp_path / "records.ndjson"
    ask(server, lambda c: c.jobs.export("job_a", target), credentials=expired())
    assert target.read_bytes() == b"{}\n"
