"""Chunks of an answer as a node passes them on: hostile, so each is made anew of known parts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MOST_TOKENS: Final = 2**31 - 1
_TEXTS: Final = ("content", "reasoning_content", "reasoning", "refusal")
_ROLES: Final = ("assistant", "tool")
_REASONS: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")
_MOST_TOOL_CALLS: Final = 128
_MOST_NAME: Final = 256


class Garbage(Exception):
    """No chunk of an answer in the form of OpenAI's interface."""


@dataclass(frozen=True, slots=True)
class TokenUsage:
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of an answer. `text_bytes` of content, reasoning and calls of tools."""

    delta: dict[str, Any]
    finish_reason: str | None
    usage: TokenUsage | None
    text_bytes: int = field(compare=False)
    logprobs: dict[str, Any] | None = None

    @property
    def is_empty(self) -> bool:
        return not self.delta and self.finish_reason is None

    @property
    def answers(self) -> bool:
        """True if it has text or ends the answer; engines name the role before either."""
        return self.text_bytes > 0 or self.finish_reason is not None


def parse(data: object) -> Chunk:
    """Raises Garbage."""
    if not isinstance(data, Mapping):
        raise Garbage
    choices = data.get("choices")
    if not isinstance(choices, list) or len(choices) > 1:
        raise Garbage
    choice = choices[0] if choices else {}
    if not isinstance(choice, Mapping):
        raise Garbage
    delta = _delta(choice.get("delta"))
    reason = choice.get("finish_reason")
    return Chunk(
        delta,
        None if reason is None else _reason(reason),
        usage(data.get("usage")),
        sum(len(text.encode()) for text in _texts(delta)),
        _logprobs(choice.get("logprobs")),
    )


def _logprobs(value: object) -> dict[str, Any] | None:
    """As the engine gave them; nothing where they are no list of tokens."""
    tokens = value.get("content") if isinstance(value, dict) else None
    are_tokens = isinstance(tokens, list) and all(isinstance(each, dict) for each in tokens)
    return value if isinstance(value, dict) and (are_tokens or tokens is None) else None


def usage(value: object) -> TokenUsage | None:
    """None where nothing was counted; zero is a number. Raises Garbage."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise Garbage
    return TokenUsage(_count(value.get("prompt_tokens")), _count(value.get("completion_tokens")))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST_TOKENS:
        raise Garbage
    return value


def _reason(value: object) -> str:
    """One that clients know; what engines invent beside them means that the answer ended."""
    if not isinstance(value, str):
        raise Garbage
    return value if value in _REASONS else "stop"


def _delta(value: object) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise Garbage
    delta: dict[str, Any] = {}
    if value.get("role") in _ROLES:
        delta["role"] = value["role"]
    for name in _TEXTS:
        if (text := value.get(name)) is not None:
            delta[name] = _text(text)
    if (calls := value.get("tool_calls")) is not None:
        delta["tool_calls"] = _tool_calls(calls)
    return delta


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise Garbage
    return value


def _tool_calls(value: object) -> list[dict[str, Any]]:
    if not isinstance(value, list) or len(value) > _MOST_TOOL_CALLS:
        raise Garbage
    return [_tool_call(call, n) for n, call in enumerate(value)]


def _tool_call(value: object, n: int) -> dict[str, Any]:
    """The index of a call that has none is its place in the list."""
    if not isinstance(value, Mapping):
        raise Garbage
    index = n if value.get("index") is None else _count(value["index"])
    if index >= _MOST_TOOL_CALLS:
        raise Garbage
    call: dict[str, Any] = {"index": index}
    if (id := value.get("id")) is not None:
        call["id"] = _text(id)[:_MOST_NAME]
        call["type"] = "function"
    if (function := value.get("function")) is not None:
        call["function"] = _function(function)
    return call


def _function(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise Garbage
    return {
        name: _text(value[name]) for name in ("name", "arguments") if value.get(name) is not None
    }


def _texts(delta: Mapping[str, Any]) -> Iterator[str]:
    for name in _TEXTS:
        yield delta.get(name, "")
    for call in delta.get("tool_calls", ()):
        yield from call.get("function", {}).values()


def assembled(chunks: Iterable[Chunk]) -> tuple[dict[str, Any], str | None]:
    """The message that the chunks are, and why it ended."""
    message: dict[str, Any] = {"role": "assistant", "content": None}
    texts: dict[str, list[str]] = {}
    calls: dict[int, dict[str, Any]] = {}
    reason = None
    for chunk in chunks:
        for name in _TEXTS:
            if name in chunk.delta:
                texts.setdefault(name, []).append(chunk.delta[name])
        for call in chunk.delta.get("tool_calls", ()):
            _add(calls, call)
        reason = chunk.finish_reason or reason
    message.update({name: "".join(parts) for name, parts in texts.items()})
    if calls:
        message["tool_calls"] = [calls[index] for index in sorted(calls)]
    return message, reason


def _add(calls: dict[int, dict[str, Any]], part: Mapping[str, Any]) -> None:
    call = calls.setdefault(
        part["index"],
        {"id": "", "type": "function", "function": {"name": "", "arguments": ""}},
    )
    call["id"] = part.get("id", call["id"])
    for name, text in part.get("function", {}).items():
        call["function"][name] += text
