"""A chat requested again with the same `Idempotency-Key`."""

import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import openai
import psycopg
import pytest

from app.core.db import Tx
from app.domains.providers.chats.idempotency import ChatKey
from app.domains.providers.chats.relay import conversation
from app.domains.providers.chats.relay.conversation import Conversation
from app.domains.providers.chats.service import Receipt
from tests.chatting import MODEL, Work, text
from tests.integration.chats.conftest import HELLO, Stage
from tests.patience import PATIENCE_SECONDS

KEY = {"extra_headers": {"Idempotency-Key": "once"}}


def test_a_whole_answer_is_given_again_for_the_same_body_and_charged_once(
    answering: Stage,
) -> None:
    first, again = answering.ask(**KEY), answering.ask(**KEY)
    assert again.id == first.id
    assert again.choices == first.choices
    with pytest.raises(openai.ConflictError) as refused:
        answering.ask(max_tokens=5, **KEY)
    assert refused.value.code == "idempotency_key_reused"
    assert len(answering.chats()) == 1


def test_a_streamed_answer_is_not_kept(answering: Stage) -> None:
    list(answering.ask(stream=True, **KEY))
    with pytest.raises(openai.ConflictError) as refused:
        list(answering.ask(stream=True, **KEY))
    assert refused.value.code == "idempotency_stream_ended"
    assert "chat_" in refused.value.body["details"][0]["problem"]  # type: ignore[index]


def test_meanwhile_it_is_in_progress_even_for_one_who_has_looked_before(
    answering: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = threading.Event()

    def hold(work: Work) -> None:
        work.push(text("a"))
        release.wait(PATIENCE_SECONDS)
        work.say("b")

    def create() -> Any:
        return answering.client.chat.completions.create(  # type: ignore[call-overload]
            model=MODEL, messages=HELLO, stream=True, **KEY
        )

    answering.node.script = hold
    stream = create()
    next(stream)
    with pytest.raises(openai.ConflictError) as refused:
        create()
    monkeypatch.setattr(ChatKey, "earlier_answer", lambda _: None)  # both have looked before
    with pytest.raises(openai.APIStatusError) as late:
        create()
    release.set()
    list(stream)
    assert refused.value.code == late.value.code == "idempotency_in_progress"


def test_a_chat_that_came_to_nothing_may_be_repeated(answering: Stage) -> None:
    answering.node.script = lambda work: work.fail("backend_unavailable")
    with pytest.raises(openai.InternalServerError):
        answering.ask(**KEY)
    answering.node.script = lambda work: work.say("now", usage=(1, 1))
    assert answering.ask(**KEY).choices[0].message.content == "now"


def test_a_charge_of_which_the_database_lost_its_reply_is_told(
    answering: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    charge, replies = Conversation._settle_once, iter([psycopg.OperationalError("gone")])

    def lose_one_reply(
        self: Conversation, ended: str, keep: Callable[[Tx, Receipt], None]
    ) -> Receipt | None:
        receipt = charge(self, ended, keep)
        for lost in replies:
            raise lost
        return receipt

    monkeypatch.setattr(conversation, "SETTLE_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(Conversation, "_settle_once", lose_one_reply)
    said = answering.ask()
    assert said.choices[0].message.content == "Hello world"
    assert [chat[3] for chat in answering.chats()] == [Decimal(said.usage.cost)]
