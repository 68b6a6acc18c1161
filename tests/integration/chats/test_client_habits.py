"""The official OpenAI client makes a mistake, or sends what no provider serves."""

from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest

from app.core import db
from tests.chatting import MODEL
from tests.integration.chats.conftest import HELLO, Stage


class Attempts(httpx.HTTPTransport):
    """Counts what the client sends."""

    count = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.count += 1
        return super().handle_request(request)


@pytest.fixture
def attempts() -> Iterator[Attempts]:
    with Attempts() as transport:
        yield transport


def ask(stage: Stage, attempts: Attempts, **changes: Any) -> Any:
    """A chat without a selection, by a client that tries again as it is made to."""
    with httpx.Client(transport=attempts) as http:
        client = openai.OpenAI(base_url=f"{stage.base}/v1", api_key=stage.key, http_client=http)
        return client.chat.completions.create(
            **{"model": MODEL, "messages": HELLO, **changes}  # type: ignore[call-overload]
        )


def test_an_unknown_model_is_refused_at_once(stage: Stage, attempts: Attempts) -> None:
    with pytest.raises(openai.NotFoundError) as refused:
        ask(stage, attempts, model=f"{MODEL}x")
    assert (refused.value.code, attempts.count) == ("model_not_found", 1)


def test_a_model_whose_offers_are_away_is_not_unknown(stage: Stage) -> None:
    with db.transaction() as tx:
        tx.execute("update provider_offers set serving = false")
    with pytest.raises(openai.InternalServerError) as refused:
        stage.ask(selection=None, extra_body={})
    assert refused.value.code == "no_offer_available"
    assert int(refused.value.response.headers["Retry-After"]) > 0


def test_a_price_that_nobody_meets_is_refused_at_once(stage: Stage, attempts: Attempts) -> None:
    with pytest.raises(openai.ConflictError) as refused:
        ask(stage, attempts, extra_body={"max_price": {"input": "1", "output": "1.5"}})
    assert (refused.value.code, attempts.count) == ("no_offer_at_price", 1)
    assert refused.value.body["details"] == [  # type: ignore[index]
        {"field": "/max_price/output", "problem": "The lowest rate is 2 now."}
    ]


def test_an_answer_longer_than_any_offer_gives_is_refused_at_once(
    stage: Stage, attempts: Attempts
) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        ask(stage, attempts, max_tokens=8193)
    assert "/max_tokens" in refused.value.message
    assert attempts.count == 1


def test_the_message_names_the_first_bad_field(stage: Stage, attempts: Attempts) -> None:
    for change, problem in (
        ({"n": 2}, "/n: Must be equal to 1."),
        ({"temperature": 3}, "/temperature: Must be greater than or equal to 0"),
        ({"messages": []}, "/messages: "),
        ({"extra_body": {"surprise": 1}}, "/surprise: Unknown field."),
    ):
        with pytest.raises(openai.BadRequestError) as refused:
            ask(stage, attempts, **change)
        assert refused.value.code == "validation_failed"
        assert problem in refused.value.message


UNSERVED: dict[str, Any] = {
    "service_tier": "flex",
    "prompt_cache_key": "mine",
    "prompt_cache_retention": "24h",
    "prediction": {"type": "content", "content": "Hello"},
    "verbosity": "low",
    "safety_identifier": "somebody",
    "user": "somebody",
    "metadata": {"a": "b"},
    "store": True,
}


@pytest.mark.parametrize("stream", [False, True])
def test_what_nobody_serves_is_ignored_and_named(answering: Stage, stream: bool) -> None:
    answer = answering.client.chat.completions.with_raw_response.create(
        model=MODEL,
        messages=HELLO,  # type: ignore[arg-type]
        stream=stream,
        extra_body=UNSERVED,
    )
    assert answer.headers["X-Ignored-Parameters"] == ", ".join(sorted(UNSERVED))
    (work,) = answering.node.taken
    assert work.input["request"].keys() == {"model", "messages"}


def test_what_has_its_effect_is_not_named(answering: Stage) -> None:
    answer = answering.client.chat.completions.with_raw_response.create(
        model=MODEL,
        messages=HELLO,  # type: ignore[arg-type]
        n=1,
        seed=7,
        store=False,
    )
    assert "X-Ignored-Parameters" not in answer.headers


def test_null_is_what_is_not_given(answering: Stage) -> None:
    nothing = dict.fromkeys(["tools", "tool_choice", "response_format", "user", "top_k"])
    answering.ask(selection=None, extra_body=nothing)
    (work,) = answering.node.taken
    assert work.input["request"].keys() == {"model", "messages"}


def test_a_model_is_found_by_its_name(stage: Stage) -> None:
    found = stage.client.models.retrieve(MODEL)
    assert (found.id, found.object) == (MODEL, "model")
    with pytest.raises(openai.NotFoundError) as refused:
        stage.client.models.retrieve(f"{MODEL}x")
    assert refused.value.code == "model_not_found"


def test_a_bound_of_a_tool_may_be_beyond_64_bits(answering: Stage) -> None:
    counted = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 10**30}}}
    tool = {"type": "function", "function": {"name": "count", "parameters": counted}}
    assert answering.ask(tools=[tool]).choices[0].message.content == "Hello world"
