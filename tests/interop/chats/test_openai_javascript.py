"""The official JavaScript client of OpenAI holds the conversations that the Python one holds."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from app.domains.providers.chats.relay.relay import RelayTimeouts
from tests import servers
from tests.chatting import MODEL, Work, text
from tests.integration.chats.conftest import Stage
from tests.integration.chats.refusals import REFUSED
from tests.interop.chats.conftest import JavaScriptClient

pytestmark = [pytest.mark.interop, pytest.mark.timeout(120)]

COST = "0.000013"  # of 9 tokens in at 1, 2 tokens out at 2 USD a million
ONCE = {"headers": {"Idempotency-Key": "once"}}
RETRIED = 3
"""Attempts of this client at what it may repeat."""


def words(outcome: dict[str, Any]) -> list[str]:
    return [e["choices"][0]["delta"].get("content") for e in outcome["events"] if e["choices"]]


def refusal(outcome: dict[str, Any]) -> tuple[int | None, str]:
    assert "error" in outcome, outcome
    return outcome["error"]["status"], outcome["error"]["code"]


def test_a_plain_answer_comes_with_its_cost_and_offer(
    javascript: JavaScriptClient, answering: Stage
) -> None:
    answer = javascript.ask(answering)["answer"]
    assert answer["choices"][0]["message"]["content"] == "Hello world"
    assert answer["choices"][0]["finish_reason"] == "stop"
    assert (answer["usage"]["prompt_tokens"], answer["usage"]["completion_tokens"]) == (9, 2)
    assert (answer["usage"]["cost"], answer["pricing_revision"]) == (COST, 1)
    assert answer["offer_id"] == answering.node.offer_id
    assert answering.balances() == {"credit": 10 - answering.earned(), "held": 0}


def test_a_stream_ends_with_its_cost(javascript: JavaScriptClient, answering: Stage) -> None:
    outcome = javascript.ask(answering, stream=True)
    assert words(outcome)[:2] == ["Hello", " world"]
    first, last = outcome["events"][0], outcome["events"][-1]
    assert (first["offer_id"], first["pricing_revision"]) == (answering.node.offer_id, 1)
    assert last["usage"]["cost"] == COST
    assert "error" not in outcome


def test_calls_of_tools_arrive_whole(javascript: JavaScriptClient, answering: Stage) -> None:
    def call(work: Work) -> None:
        chunk = text("")
        function = {"name": "weather", "arguments": '{"city": "Rome"}'}
        chunk["choices"][0]["delta"] = {
            "tool_calls": [{"index": 0, "id": "call_1", "function": function}]
        }
        work.push(chunk)
        work.push(text("", "tool_calls"), done=True)

    answering.node.script = call
    tool = {"type": "function", "function": {"name": "weather", "parameters": {}}}
    choice = javascript.ask(answering, tools=[tool])["answer"]["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["function"]["arguments"] == '{"city": "Rome"}'


@pytest.mark.parametrize(("prepare", "status", "code", "retried"), REFUSED)
def test_a_selection_is_kept_or_refused(
    javascript: JavaScriptClient,
    stage: Stage,
    prepare: Callable[[Stage], dict[str, Any]],
    status: int,
    code: str,
    retried: str | None,
) -> None:
    outcome = javascript.ask(stage, **prepare(stage))
    assert refusal(outcome) == (status, code)
    assert outcome["error"]["shouldRetry"] == retried
    assert outcome["attempts"] == (RETRIED if status == 503 else 1)
    assert stage.chats() == []


def test_a_node_that_does_not_claim_is_asked_once(
    javascript: JavaScriptClient, stage: Stage
) -> None:
    stage.app.extensions["chats"].limits = RelayTimeouts(claim=0.1)
    outcome = javascript.ask(stage)
    assert refusal(outcome) == (503, "provider_not_responding")
    assert (outcome["error"]["shouldRetry"], outcome["attempts"]) == ("false", 1)
    assert stage.balances() == {"credit": 10, "held": 0}


def test_a_provider_that_fails_within_a_stream_ends_it_with_an_error(
    javascript: JavaScriptClient, answering: Stage
) -> None:
    answering.node.script = lambda work: work.fail("backend_unavailable", text("Once upon"))
    outcome = javascript.ask(answering, stream=True)
    assert words(outcome) == ["Once upon"]
    assert (outcome["error"]["code"], outcome["attempts"]) == ("provider_failed", 1)


def test_a_failed_answer_that_is_not_streamed_is_not_asked_for_again(
    javascript: JavaScriptClient, answering: Stage
) -> None:
    answering.node.script = lambda work: work.fail("backend_unavailable", text("Once upon"))
    outcome = javascript.ask(answering)
    assert refusal(outcome) == (502, "provider_failed")
    assert (outcome["error"]["shouldRetry"], outcome["attempts"]) == ("false", 1)
    assert answering.balances() == {"credit": 10, "held": 0}


def test_a_client_that_leaves_pays_what_was_delivered_and_the_node_stops(
    javascript: JavaScriptClient, stage: Stage
) -> None:
    stopped = threading.Event()

    def talk(work: Work) -> None:
        while not work.push(text("word "))[1]["stop"]:
            threading.Event().wait(0.02)
        stopped.set()

    stage.node.script = talk
    stage.node.start()
    assert words(javascript.ask(stage, stream=True, leave_after=1)) == ["word "]
    assert stopped.wait(20)
    servers.until(lambda: stage.chats()[0][0] is not None)
    ended, _, tokens, cost = stage.chats()[0]
    assert ended == "client_left"
    assert tokens >= 1
    assert stage.balances() == {"credit": 10 - cost, "held": 0}


def test_a_repeated_request_is_answered_and_charged_once(
    javascript: JavaScriptClient, answering: Stage
) -> None:
    first, again = (javascript.ask(answering, options=ONCE)["answer"] for _ in range(2))
    assert again["id"] == first["id"]
    assert len(answering.chats()) == 1
    changed = javascript.ask(answering, options=ONCE, max_tokens=5)
    assert refusal(changed) == (409, "idempotency_key_reused")


def test_models_are_those_of_public_offers(javascript: JavaScriptClient, stage: Stage) -> None:
    assert [model["id"] for model in javascript.models(stage)] == [MODEL]
