"""Chunks of nodes are hostile."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domains.providers.chats.relay.chunks import Garbage, assembled, parse
from tests.chatting import text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "content", "tool_calls", "usage", "index", "x"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_whatever_comes_is_a_chunk_or_garbage(data: Any) -> None:
    with contextlib.suppress(Garbage):
        parse(data)


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"choices": "x"},
        {"choices": [{}, {}]},
        {"choices": [{"delta": {"content": 1}}]},
        {"choices": [], "usage": {"prompt_tokens": -1, "completion_tokens": 0}},
        {"choices": [{"delta": {"tool_calls": [{"index": 1_000_000}]}}]},
        {"choices": [{"finish_reason": 3}]},
    ],
)
def test_what_has_another_form_is_garbage(data: Any) -> None:
    with pytest.raises(Garbage):
        parse(data)


def test_only_known_parts_are_passed_on() -> None:
    chunk = text("hi", provider="evil")
    chunk["choices"][0]["delta"]["html"] = "<script>"
    assert parse(chunk).delta == {"content": "hi"}


@pytest.mark.parametrize("tokens", [5, "abc", [1]])
def test_probabilities_that_are_no_list_of_tokens_are_left_out(tokens: object) -> None:
    chunk = text("Hello", "stop")
    chunk["choices"][0]["logprobs"] = {"content": tokens}
    assert parse(chunk).logprobs is None


def test_a_reason_that_clients_do_not_know_means_that_the_answer_ended() -> None:
    assert parse(text("", "eos_token")).finish_reason == "stop"


def test_parts_of_calls_are_put_together_by_their_index() -> None:
    parts = []
    for index, arguments in ((1, "x"), (0, "a"), (1, "y")):
        chunk = text("")
        function = {"name": f"f{index}" if arguments in "xa" else None, "arguments": arguments}
        chunk["choices"][0]["delta"] = {"tool_calls": [{"index": index, "function": function}]}
        parts.append(parse(chunk))
    message, _ = assembled(parts)
    assert [call["function"] for call in message["tool_calls"]] == [
        {"name": "f0", "arguments": "a"},
        {"name": "f1", "arguments": "xy"},
    ]


def test_calls_without_an_index_are_told_apart_by_their_place() -> None:
    calls = [{"id": f"call_{name}", "function": {"name": name}} for name in ("f", "g")]
    calls[1]["index"] = None
    chunk = text("")
    chunk["choices"][0]["delta"] = {"tool_calls": calls}
    message, _ = assembled([parse(chunk)])
    assert [call["function"]["name"] for call in message["tool_calls"]] == ["f", "g"]
