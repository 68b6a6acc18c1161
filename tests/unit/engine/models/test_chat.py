"""The chat client: forms an endpoint takes, replies in every shape, failures with a reason."""

import json
import socket
from typing import Any

import pytest

from app.core.breaker import Breaker
from app.engine.models.chat import ChatModel, ModelFailed, Reply
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import ScriptedModel, scripted_model, silent

ASKED = [{"role": "user", "content": "Hello?"}]
SCHEMA = {"type": "object"}
SECRET = "sk-very-secret"


def ask(server: ScriptedModel, **options: Any) -> Reply:
    return ChatModel(server.url, "tiny", **options).ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)


def refuse(*names: str) -> Any:
    """An endpoint that answers 400 to any of these response formats."""

    def script(asked: dict[str, Any]) -> Any:
        form = asked.get("response_format", {"type": "text"})["type"]
        return 400 if form in names else "fine"

    return script


def body(message: Any, **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message}], **more}).encode()


def test_a_question_is_asked_at_temperature_zero_with_a_schema_and_a_limit() -> None:
    with scripted_model("fine") as server:
        ask(server, max_output_tokens=77)
    (asked,) = server.asked
    assert (asked["model"], asked["messages"], asked["stream"]) == ("tiny", ASKED, False)
    assert (asked["temperature"], asked["max_tokens"]) == (0, 77)
    assert asked["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("key", "authorization"), [({"api_key": SECRET}, f"Bearer {SECRET}"), ({}, None)]
)
def test_a_key_goes_as_a_bearer_token(key: dict[str, str], authorization: str | None) -> None:
    with scripted_model("fine") as server:
        ask(server, **key)
    assert server.authorizations == [authorization]


@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        (("json_schema",), "json_object"),
        (("json_schema", "json_object"), None),
    ],
)
def test_a_form_that_is_refused_is_followed_by_a_plainer_one(
    refused: tuple[str, ...], taken: str | None
) -> None:
    with scripted_model(refuse(*refused)) as server:
        assert ask(server).text == "fine"
    assert server.asked[-1].get("response_format", {}).get("type") == taken


def test_an_endpoint_of_the_newer_kind_gets_the_other_limit_and_no_temperature() -> None:
    with scripted_model(lambda asked: 400 if "max_tokens" in asked else "fine") as server:
        assert ask(server).text == "fine"
    assert "temperature" not in server.asked[-1]


@pytest.mark.parametrize("status", [400, 422, 500, 501])
def test_whatever_status_an_endpoint_refuses_a_form_with(status: int) -> None:
    script = lambda asked: status if "response_format" in asked else "fine"  # noqa: E731
    with scripted_model(script) as server:
        assert ask(server).text == "fine"


def test_a_template_without_a_system_role_gets_the_rules_with_the_question() -> None:
    messages = [{"role": "system", "content": "Rules."}, *ASKED]

    def script(asked: dict[str, Any]) -> Any:
        return 400 if asked["messages"][0]["role"] == "system" else "fine"

    with scripted_model(script) as server:
        ChatModel(server.url, "tiny").ask(messages, SCHEMA, seconds=PATIENCE_SECONDS)
    assert server.asked[-1]["messages"] == [{"role": "user", "content": "Rules.\n\nHello?"}]


@pytest.mark.parametrize(("status", "requests"), [(400, 6), (404, 1), (413, 1), (503, 1)])
def test_forms_are_tried_once_each_and_only_when_one_may_have_been_refused(
    status: int, requests: int
) -> None:
    with scripted_model(status) as server, pytest.raises(ModelFailed):
        ask(server)
    assert len(server.asked) == requests


def test_an_endpoint_that_breaks_is_asked_in_the_form_it_took() -> None:
    with scripted_model("fine", 500, "fine") as server:
        model = ChatModel(server.url, "tiny")
        model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
        with pytest.raises(ModelFailed):
            model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
        model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
    assert len(server.asked) == 3


def test_the_form_that_was_taken_is_remembered() -> None:
    with scripted_model(refuse("json_schema")) as server:
        model = ChatModel(server.url, "tiny")
        model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
        model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
    assert len(server.asked) == 3


def test_usage_is_what_the_endpoint_counted() -> None:
    with scripted_model("fine") as server:
        assert ask(server) == Reply("fine", 100, 20)


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -1}, {"prompt_tokens": "many"}])
def test_usage_nobody_can_believe_is_estimated(usage: Any) -> None:
    with scripted_model(body({"content": "four words of text"}, usage=usage)) as server:
        assert ask(server) == Reply("four words of text", 2, 6)


def test_text_in_parts_is_joined() -> None:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    parts = [thoughts, {"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    with scripted_model(body({"content": parts})) as server:
        assert ask(server).text == "ab"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (500, "broken"),
        (401, "blocked"),
        (429, "blocked"),
        (404, "refused"),
        (b"data: {}\n\ndata: [DONE]\n\n", "broken"),
        (b"[]", "broken"),
        (b'{"choices": []}', "broken"),
        (body({"content": None}), "broken"),
        (body({"content": [{"type": "image"}]}), "broken"),
        (body({"content": "x" * 500_000}), "broken"),
        (silent, "broken"),
    ],
)
def test_a_failure_has_a_reason(script: Any, why: str) -> None:
    with scripted_model(script) as server, pytest.raises(ModelFailed) as failed:
        ask(server)
    assert failed.value.why == why


def test_a_model_that_says_nothing_is_given_up_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        model = ChatModel(f"http://127.0.0.1:{mute.getsockname()[1]}", "tiny")
        with pytest.raises(ModelFailed) as failed:
            model.ask(ASKED, SCHEMA, seconds=0.2)
    assert failed.value.why == "slow"


def test_a_model_that_had_too_little_time_is_asked_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        breaker = Breaker(failures=1, fair_seconds=15.0)
        model = ChatModel(f"http://127.0.0.1:{mute.getsockname()[1]}", "tiny", breaker=breaker)
        with pytest.raises(ModelFailed):
            model.ask(ASKED, SCHEMA, seconds=0.2)
    assert breaker.admits()


def test_what_failed_again_and_again_is_not_asked() -> None:
    with scripted_model(503) as server:
        model = ChatModel(server.url, "tiny", breaker=Breaker(failures=1))
        with pytest.raises(ModelFailed):
            model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
        with pytest.raises(ModelFailed) as failed:
            model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
    assert (failed.value.why, len(server.asked)) == ("skipped", 1)


def test_neither_a_failure_nor_the_model_shows_the_key() -> None:
    with scripted_model(500) as server:
        model = ChatModel(server.url, "tiny", api_key=SECRET)
        with pytest.raises(ModelFailed) as failed:
            model.ask(ASKED, SCHEMA, seconds=PATIENCE_SECONDS)
    assert SECRET not in repr(failed.value) + str(failed.value) + repr(model)
