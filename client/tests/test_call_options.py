"""Copies of a client with other options, and calls with a timeout of their own."""

import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

import httpx
import pytest
from answers import COMPLETED, RUNNING, Recording, events, refusal
from chat_answers import WHOLE
from conftest import BASE_URL, Ask, Use

from citegrid import Credentials, errors
from citegrid.paid import PaidClient, PaymentContext

PAID = PaymentContext(
    base_url=BASE_URL,
    body={},
    network="eip155:1",
    asset="0x0",
    amount="1",
    pay_to="0x0",
    payer="0x0",
    nonce="0x0",
    valid_before=0,
    payment_id="pay_a",
    payment_signature="signed",
    search_id="srch_a",
    access_token="cgt_secret",
)


def found() -> httpx.Response:
    return httpx.Response(200, json=COMPLETED)


def seconds(server: Recording) -> float:
    """How long the first answer was waited for."""
    waits: dict[str, float] = server.asked[0].extensions["timeout"]
    return waits["read"]


def listed() -> httpx.Response:
    return httpx.Response(200, json={"searches": [RUNNING], "has_more": False, "next_cursor": None})


def chat() -> httpx.Response:
    return httpx.Response(200, json=WHOLE)


WAITS: dict[str, tuple[Callable[[], httpx.Response], Use, float, float]] = {
    "as long as a copy says": (found, lambda c: c.with_options(timeout=3).searches.get("a"), 0, 3),
    "as long as a call says": (found, lambda c: c.searches.get("a", timeout=3), 0, 3),
    "longer than others": (found, lambda c: c.searches.get("a", timeout=300), 30, 300),
    "for each page of a list": (listed, lambda c: c.searches.iterate(timeout=3), 0, 3),
    "longer by what it holds": (found, lambda c: c.searches.get("a", wait=20, timeout=3), 3, 23),
    "for a chat, as long as is said": (chat, lambda c: c.chats.create("m", [], timeout=3), 0, 3),
    "for a chat, its own time": (chat, lambda c: c.chats.create("m", []), 600, math.inf),
    "for a stream, beyond its silences": (
        lambda: events(("completed", "1", COMPLETED)),
        lambda c: c.with_options(timeout=3).searches.events("srch_a"),
        15,
        math.inf,
    ),
}


@pytest.mark.parametrize(("answer", "use", "above", "most"), WAITS.values(), ids=WAITS)
def test_an_answer_is_waited_for(
    ask: Ask, answer: Callable[[], httpx.Response], use: Use, above: float, most: float
) -> None:
    server = Recording(answer())
    ask(server, use)
    assert above < seconds(server) <= most


def test_the_client_that_was_copied_stays_as_it_is(ask: Ask) -> None:
    server = Recording(found())

    def use(client: Any) -> Any:
        client.with_options(timeout=3, headers={"X-Team": "owls"})
        return client.searches.get("srch_a")

    ask(server, use)
    assert (seconds(server), "x-team" in server.asked[0].headers) == (30, False)


def test_a_timeout_is_not_sent(ask: Ask) -> None:
    server = Recording(listed())
    ask(server, lambda c: c.searches.list(limit=1, timeout=3))
    assert dict(server.asked[0].url.params) == {"limit": "1"}


def test_a_copy_has_its_own_number_of_retries(ask: Ask) -> None:
    server = Recording(httpx.ConnectError("gone"))
    with pytest.raises(errors.ConnectionFailed):
        ask(server, lambda c: c.with_options(retries=0).searches.get("srch_a"))
    assert len(server.asked) == 1


def test_a_copy_sends_its_headers(ask: Ask) -> None:
    server = Recording(found())
    headers = {"X-Team": "owls", "user-agent": "report/1"}
    ask(server, lambda c: c.with_options(headers=headers).searches.get("srch_a"))
    sent = server.asked[0].headers
    assert (sent["x-team"], sent.get_list("user-agent")) == ("owls", ["report/1"])


def test_a_copy_of_a_copy_has_the_options_of_both(ask: Ask) -> None:
    server = Recording(found())

    def use(client: Any) -> Any:
        team = client.with_options(headers={"X-Team": "owls"})
        return team.with_options(timeout=3).searches.get("srch_a")

    ask(server, use)
    assert 0 < seconds(server) <= 3
    assert server.asked[0].headers["x-team"] == "owls"


def test_a_session_that_a_copy_refreshed_is_the_clients(ask: Ask) -> None:
    tokens = {"access_token": "new", "token_type": "bearer", "expires_in": 1, "refresh_token": "r2"}
    server = Recording(
        refusal(401, "auth_expired_token"), httpx.Response(200, json=tokens), found()
    )
    held = Credentials(access_token="old", refresh_token="r1")
    ask(
        server,
        lambda c: c.with_options(retries=0).searches.get("srch_a"),
        api_key=None,
        credentials=held,
    )
    assert held.access_token == "new"


def test_a_call_of_the_paid_client_takes_a_timeout() -> None:
    page = {"url": "https://example.org/", "title": None, "text": "", "content_hash": "sha256:"}
    dates = {"language": None, "published_at": None, "fetched_at": "2026-11-20T08:00:00Z"}
    server = Recording(httpx.Response(200, json={**page, **dates}))
    with PaidClient(BASE_URL, transport=httpx.MockTransport(server)) as client:
        client.snapshot("srch_a", 1, payment_context=PAID, timeout=3)
    assert 0 < seconds(server) <= 3


NO_TIMES = (0, -1, math.inf, math.nan)
NAIVE = datetime(2026, 11, 21)  # noqa: DTZ001 (that is the point)


def headers(**sent: str) -> Use:
    return lambda c: c.with_options(headers=sent).searches.get("srch_a")


def key(text: str) -> Use:
    return lambda c: c.searches.create("q", idempotency_key=text)


@pytest.mark.parametrize(
    ("use", "named"),
    [
        *((lambda c, t=t: c.searches.get("a", timeout=t), "timeout") for t in NO_TIMES),
        (lambda c: c.with_options(retries=-1).searches.get("a"), "retries"),
        *((headers(**{name: "x"}), name) for name in ("Authorization", "x-api-key", "Host")),
        (headers(**{"Idempotency-Key": "x"}), "Idempotency-Key"),
        *((headers(**{name: "secret"}), "") for name in ("X A", "")),
        (headers(**{"X-A": "secret\r\nX-B: 1"}), ""),
        *((key(text), "Idempotency-Key") for text in ("für immer", "a\nb", "\udcff")),
        *((lambda c, id=id: c.searches.get(id), "") for id in ("", ".", "..", "\udcff")),
        (lambda c: c.searches.list(contains="\udcff"), ""),
        (lambda c: c.api_keys.create("ci", ["search"], expires_at=NAIVE), ""),
    ],
)
def test_what_cannot_be_sent_is_an_invalid_argument_and_not_shown(
    ask: Ask, use: Use, named: str
) -> None:
    with pytest.raises(errors.InvalidArgument) as raised:
        ask(Recording(), use)
    told = str(raised.value)
    assert (named in told, "secret" in told) == (True, False)
