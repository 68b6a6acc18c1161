"""The official OpenAI client in conversation with the server and a node."""

import threading
from collections.abc import Callable
from dataclasses import asdict
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import openai
import pytest
import redis

from app.core import db
from app.domains.providers.chats.relay import broker
from app.domains.providers.chats.relay.relay import RelayTimeouts
from app.domains.providers.providers import price_quotes
from tests import chatting, servers
from tests.chatting import MODEL, PATIENT, Work, text
from tests.integration.chats.conftest import Stage
from tests.integration.chats.refusals import REFUSED
from tests.patience import PATIENCE_SECONDS

COST = "0.000013"  # of 9 tokens in at 1, 2 tokens out at 2 USD a million


def test_a_plain_answer_comes_with_its_cost_which_its_provider_earns(answering: Stage) -> None:
    answer = answering.ask()
    assert answer.choices[0].message.content == "Hello world"
    assert answer.choices[0].finish_reason == "stop"
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (9, 2)
    assert (answer.usage.cost, answer.pricing_revision) == (COST, 1)
    assert answer.offer_id == answering.node.offer_id
    earned = answering.earned()
    assert str(earned) == COST + "000"
    assert answering.balances() == {"credit": 10 - earned, "held": 0}
    sql = (
        "select role, state, amount from reward_entries where amount = %s order by id desc limit 1"
    )
    with db.reading() as reader:
        (entry,) = reader.execute(sql, [earned]).fetchall()
    assert entry == ("provider", "available", earned)


def test_a_stream_ends_with_its_cost(answering: Stage) -> None:
    events = list(answering.ask(stream=True))
    said = [e.choices[0].delta.content for e in events[:-1]]
    assert said == ["Hello", " world"]
    assert (events[0].offer_id, events[0].pricing_revision) == (answering.node.offer_id, 1)
    assert events[-1].usage.cost == COST
    assert answering.chats() == [("completed", 9, 2, answering.earned())]


def test_usage_that_was_asked_for_has_an_event_of_its_own(answering: Stage) -> None:
    events = list(answering.ask(stream=True, stream_options={"include_usage": True}))
    assert events[-1].choices == []
    assert events[-1].usage.total_tokens == 11


def test_without_a_selection_an_offer_is_chosen(answering: Stage) -> None:
    answer = answering.ask(selection=None, extra_body={})
    assert answer.offer_id == answering.node.offer_id


CROWD = """
    with old as (select account_id, gen_random_uuid()::text as device_id
                 from provider_offers, generate_series(1, 200) where id = %(id)s),
    devices as (insert into provider_devices (account_id, device_id, capacity, seen_at)
                select account_id, device_id, 1, %(seen_at)s::timestamptz from old),
    offers as (
        insert into provider_offers
            (id, account_id, device_id, model, model_revision, pricing_revision, input_rate,
             output_rate, public_name, serving, auto_eligible, published, listed, max_context)
        select ('00000000' || substr(device_id, 9))::uuid, account_id, device_id, %(model)s, 'r1',
               1, %(input_rate)s::numeric, 0, 'old', true, true, true, true, %(max_context)s
        from old returning id)
    insert into provider_offer_prices (offer_id, revision, input_rate, output_rate)
    select id, 1, %(input_rate)s::numeric, 0 from offers
    """


def crowd(
    stage: Stage, *, seen_at: str | None = "now", input_rate: str = "0", max_context: int = 8192
) -> None:
    """More cheap offers of the model than one looks at."""
    of = {"id": stage.node.offer_id, "model": MODEL, "seen_at": seen_at}
    with db.transaction() as tx:
        tx.execute(CROWD, {**of, "input_rate": input_rate, "max_context": max_context})


@pytest.mark.parametrize(
    ("cheap", "wanted"),
    [
        ({"seen_at": None}, {}),
        ({"max_context": 10}, {"max_tokens": 100}),
        ({"input_rate": "1.5"}, {"extra_body": {"max_price": {"input": "1"}}}),
    ],
    ids=["gone", "context too small", "beyond one bound of the price"],
)
def test_cheap_offers_that_cannot_be_used_hide_none(
    answering: Stage, cheap: dict[str, Any], wanted: dict[str, Any]
) -> None:
    crowd(answering, **cheap)
    answer = answering.ask(selection=None, **{"extra_body": {}, **wanted})
    assert answer.offer_id == answering.node.offer_id


def test_the_node_gets_the_request_without_what_is_ours(answering: Stage) -> None:
    answering.ask(temperature=0.5, max_tokens=7, user="somebody", metadata={"a": "b"})
    (work,) = answering.node.taken
    assert work.input["request"] == {
        "model": MODEL,
        "messages": [{"role": "user", "content": "hi"}],
        "temperature": 0.5,
        "max_tokens": 7,
    }


def test_calls_of_tools_arrive_whole(answering: Stage) -> None:
    def call(work: Work) -> None:
        for part in ('{"city": ', '"Rome"}'):
            chunk = text("")
            function = {"name": "weather" if work.seq == 0 else None, "arguments": part}
            chunk["choices"][0]["delta"] = {
                "tool_calls": [{"index": 0, "id": "call_1", "function": function}]
            }
            work.push(chunk)
        work.push(text("", "tool_calls"), done=True)

    answering.node.script = call
    tool = {"type": "function", "function": {"name": "weather", "parameters": {}}}
    choice = answering.ask(tools=[tool]).choices[0]
    assert choice.finish_reason == "tool_calls"
    assert choice.message.tool_calls[0].function.arguments == '{"city": "Rome"}'


@pytest.mark.parametrize(
    ("prepare", "status", "code", "retried"),
    REFUSED,
)
def test_a_selection_is_kept_or_refused(
    stage: Stage,
    prepare: Callable[[Stage], dict[str, Any]],
    status: int,
    code: str,
    retried: str | None,
) -> None:
    changes = prepare(stage)
    with pytest.raises(openai.APIStatusError) as refused:
        stage.ask(**changes)
    assert (refused.value.status_code, refused.value.code) == (status, code)
    assert refused.value.response.headers.get("x-should-retry") == retried
    assert stage.chats() == []


def test_a_computer_that_is_full_is_busy(stage: Stage) -> None:
    release = chatting.threading.Event()

    def hold(work: Work) -> None:
        work.push(text("a"))
        release.wait(PATIENCE_SECONDS)
        work.say("b")

    stage.set_capacity(1)
    stage.node.script = hold
    stage.node.start()
    first = stage.ask(stream=True)
    next(first)
    with pytest.raises(openai.ConflictError) as refused:
        stage.ask()
    release.set()
    list(first)
    assert refused.value.code == "provider_offer_busy"


def test_a_node_that_does_not_claim_costs_nothing(stage: Stage) -> None:
    stage.app.extensions["chats"].limits = RelayTimeouts(claim=0.1)
    with pytest.raises(openai.InternalServerError) as refused:
        stage.ask()
    assert refused.value.code == "provider_not_responding"
    assert refused.value.response.headers["x-should-retry"] == "false"
    assert stage.balances() == {"credit": 10, "held": 0}


def test_no_chat_is_begun_while_its_prompt_cannot_be_passed_on(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    away = Mock(side_effect=redis.ConnectionError)
    monkeypatch.setattr(stage.app.extensions["chats"].channel, "open", away)
    with pytest.raises(openai.InternalServerError) as refused:
        stage.ask()
    assert (refused.value.status_code, refused.value.code) == (503, "chat_unavailable")


def decline(work: Work) -> None:
    body = {"fence": work.fence, "reason": "overloaded"}
    work.node.call("POST", f"/v1/work/{work.id}/decline", body)


ROLE = {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}


@pytest.mark.parametrize(
    ("script", "code"),
    [
        (decline, "provider_not_responding"),
        (lambda work: work.fail("context_length_exceeded"), "provider_refused"),
        (lambda work: work.fail("backend_unavailable", ROLE), "provider_not_responding"),
        (lambda work: work.fail("backend_unavailable", text("", "stop")), "provider_failed"),
    ],
    ids=["declined", "refused by the model", "a role alone", "an end without a text"],
)
def test_a_stream_without_a_text_costs_nothing(
    answering: Stage, script: chatting.Script, code: str
) -> None:
    answering.node.script = script
    with pytest.raises(openai.APIError) as failed:
        list(answering.ask(stream=True))
    assert failed.value.code == code
    assert answering.balances() == {"credit": 10, "held": 0}


def test_a_provider_that_fails_within_a_stream_ends_it_with_an_error(answering: Stage) -> None:
    answering.node.script = lambda work: work.fail("backend_unavailable", text("Once upon"))
    stream = answering.ask(stream=True)
    assert next(stream).choices[0].delta.content == "Once upon"
    with pytest.raises(openai.APIError) as failed:
        next(stream)
    assert failed.value.code == "provider_failed"
    ended, _, tokens, cost = answering.chats()[0]
    assert (ended, tokens) == ("provider_failed", 3)  # 9 bytes, 4 a token
    assert answering.earned() == cost > 0


def test_a_claim_that_a_crash_undid_within_a_stream_ends_it_unpaid(answering: Stage) -> None:
    ended = threading.Event()
    answering.node.script = lambda work: work.push(text("Once")) and ended.wait(PATIENCE_SECONDS)
    stream = answering.ask(stream=True)
    next(stream)
    with db.transaction() as tx:  # as a restart of the database, which keeps claims for a moment
        tx.execute("update jobs set state = 'queued', attempt = 0, lease_until = null")
        tx.execute("update work set account_id = null, node_id = null")
        tx.execute("delete from work_turns")
    with pytest.raises(openai.APIError):
        list(stream)
    ended.set()
    assert answering.balances() == {"credit": 10, "held": 0}
    assert answering.chats()[0][0] == "lost"


def test_a_provider_that_dies_within_a_stream_ends_it_with_an_error(answering: Stage) -> None:
    limits = answering.app.extensions["chats"].limits = SimpleNamespace(**asdict(PATIENT))
    answering.node.script = lambda work: work.push(text("Once")) and None
    stream = answering.ask(stream=True)
    next(stream)
    limits.silence = 0.0
    with pytest.raises(openai.APIError) as failed:
        next(stream)
    assert failed.value.code == "provider_failed"
    assert answering.balances()["held"] == 0


def test_a_failed_answer_that_is_not_streamed_costs_nothing(answering: Stage) -> None:
    answering.node.script = lambda work: work.fail("backend_unavailable", text("Once upon"))
    with pytest.raises(openai.InternalServerError) as failed:
        answering.ask()
    assert (failed.value.status_code, failed.value.code) == (502, "provider_failed")
    assert failed.value.response.headers["x-should-retry"] == "false"
    assert answering.balances() == {"credit": 10, "held": 0}


def test_a_client_that_leaves_pays_what_was_delivered_and_the_node_stops(stage: Stage) -> None:
    def talk(work: Work) -> None:
        while not (answer := work.push(text("word ")))[1]["stop"]:
            chatting.threading.Event().wait(0.02)
        assert answer[0] == 200

    stage.node.script = talk
    stage.node.start()
    stream = stage.ask(stream=True)
    next(stream)
    stream.close()
    servers.until(lambda: stage.chats()[0][0] is not None)
    servers.until(lambda: stage.node.taken)
    ended, _, tokens, cost = stage.chats()[0]
    assert ended == "client_left"
    assert tokens >= 1
    assert stage.balances() == {"credit": 10 - cost, "held": 0}


def test_an_undecided_chat_goes_on_with_another_offer(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = chatting.provider(stage.settings, stage.base, rates=("9", "9"))
    broker = stage.app.extensions["chats"]
    accept = broker._accept

    def accepted(wanted: Any, selection: Any, former: Any) -> Any:
        silent = str(selection.offer_id) == stage.node.offer_id
        broker.limits = RelayTimeouts(claim=0.0) if silent else PATIENT
        return accept(wanted, selection, former)

    monkeypatch.setattr(broker, "_accept", accepted)
    other.start()  # the cheaper one, which is likelier, claims nothing
    answers = [stage.ask(selection=None, extra_body={}) for _ in range(2)]
    other.stop()
    assert {answer.offer_id for answer in answers} == {other.offer_id}
    assert stage.balances()["held"] == 0


def test_an_undecided_chat_goes_to_an_offer_that_the_credit_covers(
    answering: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    chatting.provider(answering.settings, answering.base, rates=("900", "900"))
    _, answering.key = chatting.consumer(answering.settings, credit="0.01")
    monkeypatch.setattr(broker, "choose", lambda offers, **_: offers[-1])  # the dear one, first
    answer = answering.ask(selection=None, extra_body={})
    assert answer.offer_id == answering.node.offer_id


def test_models_are_those_of_public_offers(stage: Stage) -> None:
    with db.transaction() as tx:
        assert price_quotes.models(tx, 10) == [MODEL]
    assert [model.id for model in stage.client.models.list()] == [MODEL]
