"""`client.chats.stream` on either client, over answers that tests make up."""

import json
from decimal import Decimal
from typing import Any

import pytest
from answers import Recording, in_turn, refusal
from chat_answers import OFFER, PIECES, piece, stream
from conftest import Ask

from citegrid import errors
from citegrid.nouns.providers.chats import selection

HELLO = [{"role": "user", "content": "hi"}]


def chat(client: Any) -> Any:
    return client.chats.stream("m", HELLO, provider_selection=selection(OFFER, 3))


def test_an_answer_comes_in_parts_and_the_last_says_what_it_cost(ask: Ask) -> None:
    parts = ask(in_turn(stream(*PIECES)), chat)
    assert [part.text for part in parts] == ["Hello", " world", ""]
    assert parts[0].offer_id == OFFER
    assert (parts[-1].usage.total_tokens, parts[-1].usage.cost) == (11, Decimal("0.000013"))


def test_what_was_not_given_is_not_sent(ask: Ask) -> None:
    server = Recording(stream(*PIECES))
    ask(server, lambda client: client.chats.stream("m", HELLO, max_tokens=5, others={"seed": 1}))
    given = {"model": "m", "messages": HELLO, "stream": True, "max_tokens": 5, "seed": 1}
    assert json.loads(server.asked[0].content) == given


def test_a_provider_that_fails_within_the_stream_is_an_error(ask: Ask) -> None:
    failed = {"error": {"code": "provider_failed", "message": "No.", "request_id": "req_a"}}
    with pytest.raises(errors.ProviderFailed) as raised:
        ask(in_turn(stream(piece("Once"), failed, done=False)), chat)
    assert raised.value.request_id == "req_a"


def test_a_stream_that_breaks_off_is_an_error(ask: Ask) -> None:
    with pytest.raises(errors.ConnectionFailed):
        ask(in_turn(stream(piece("Once"), done=False)), chat)


@pytest.mark.parametrize("event", [{}, {"choices": [{}]}, {"choices": [], "usage": {}}])
def test_an_event_of_another_form_is_an_error(ask: Ask, event: dict[str, Any]) -> None:
    with pytest.raises(errors.UnusableAnswer):
        ask(in_turn(stream(piece("Once"), event)), chat)


def test_a_refused_chat_is_not_asked_for_again(ask: Ask) -> None:
    refused = refusal(409, "pricing_revision_changed", {"x-should-retry": "false"})
    with pytest.raises(errors.Conflict, match="pricing_revision_changed"):
        ask(in_turn(refused), chat)
