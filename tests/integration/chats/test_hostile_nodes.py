"""What a node may send, and what becomes of the rest."""

from decimal import Decimal
from typing import Any

import openai
import pytest

from app.core import db
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import service
from tests import chatting, servers
from tests.chatting import Work, text
from tests.integration.chats.conftest import Stage


def failed(stage: Stage, script: chatting.Script) -> str | None:
    """The code of the error that a stream ends with."""
    stage.node.script = script
    with pytest.raises(openai.APIError) as error:
        list(stage.ask(stream=True))
    return error.value.code


def test_a_missing_batch_ends_the_stream_with_an_error(answering: Stage) -> None:
    def skip(work: Work) -> None:
        work.push(text("a"))
        work.push(text("b"), seq=5)

    assert failed(answering, skip) == "provider_failed"
    (work,) = answering.node.taken
    servers.until(lambda: len(work.answers) == 2)
    assert work.answers[-1][0] == 409
    assert work.answers[-1][1]["error"]["code"] == "chunk_gap"


def test_a_batch_sent_twice_counts_once(answering: Stage) -> None:
    def repeat(work: Work) -> None:
        work.push(text("one "))
        assert work.push(text("one "), seq=0)[0] == 204
        work.push(text("two", "stop"), done=True)

    answering.node.script = repeat
    assert answering.ask().choices[0].message.content == "one two"


def test_a_batch_has_a_greatest_size(answering: Stage) -> None:
    statuses = []

    def flood(work: Work) -> None:
        statuses.append(work.push(text("x" * (10 << 20)))[0])
        work.seq = 0
        work.say("done")

    answering.node.script = flood
    assert answering.ask().choices[0].message.content == "done"
    assert statuses == [413]


def test_a_chat_of_an_account_that_is_suspended_returns_its_hold_at_once(answering: Stage) -> None:
    def be_suspended(work: Work) -> None:
        work.push(text("one "))
        with db.transaction() as tx:
            account_id = nodes.by_id(tx, answering.node.id).account_id
            service.suspend(tx, account_id, "wrong answers")
        work.push(text("two", "stop"), done=True)

    assert failed(answering, be_suspended) == "provider_failed"
    assert answering.balances() == {"credit": Decimal(10), "held": Decimal(0)}


def test_tokens_that_cannot_have_been_are_not_charged(answering: Stage) -> None:
    answering.node.script = lambda work: work.say("Hello", " world", usage=(10**6, 10**6))
    used = answering.ask().usage
    assert used.prompt_tokens <= 200
    assert used.completion_tokens <= len("Hello world") + 16


def test_a_later_batch_than_the_last_changes_nothing(answering: Stage) -> None:
    def go_on(work: Work) -> None:
        work.say("Hello", usage=(9, 1))
        work.push(text("more"), done=True, usage={"prompt_tokens": 99, "completion_tokens": 99})

    answering.node.script = go_on
    assert answering.ask().choices[0].message.content == "Hello"
    assert answering.chats()[0][:3] == ("completed", 9, 1)


def test_another_nodes_chat_cannot_be_answered(stage: Stage) -> None:
    other = chatting.provider(stage.settings, stage.base)
    seen: list[Any] = []

    def intrude(work: Work) -> None:
        body = {"fence": work.fence, "seq": 0, "data": [text("evil")], "done": True}
        seen.append(other.call("POST", f"/v1/work/{work.id}/chunks", body))
        work.say("good")

    stage.node.script = intrude
    stage.node.start()
    assert stage.ask().choices[0].message.content == "good"
    assert seen[0][1]["error"]["code"] == "lease_lost"


def test_a_chat_has_no_result_beside_its_chunks(answering: Stage) -> None:
    def submit(work: Work) -> None:
        body = {"fence": work.fence, "output": {"text": "x"}}
        work.answers.append(work.node.call("POST", f"/v1/work/{work.id}/result", body))
        work.say("good")

    answering.node.script = submit
    assert answering.ask().choices[0].message.content == "good"
    assert answering.node.taken[0].answers[0][0] == 400


def test_a_count_beyond_64_bits_is_garbage_and_no_fault_of_the_server(answering: Stage) -> None:
    pushed: list[int] = []

    def count(work: Work) -> None:
        usage = {"prompt_tokens": 10**30, "completion_tokens": 1}
        pushed.append(work.push(text("one "))[0])
        pushed.append(work.push(text("two", "stop", usage=usage), done=True)[0])

    assert failed(answering, count) == "provider_failed"
    servers.until(lambda: pushed == [200, 200])
