"""Chunks of a backend in the form that the server takes, however the backend writes them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

_PIECE: Final = 4_000
"""Characters, which JSON may write with six or twelve bytes each."""
_MOST_COUNT: Final = 2**31 - 1
_TEXTS: Final = ("reasoning_content", "reasoning", "content", "refusal")
_COUNTS: Final = ("prompt_tokens", "completion_tokens")


def pieces(chunk: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The chunk, with long texts ahead of it in pieces, so that none outgrows a batch."""
    whole = {**_sendable(chunk), "choices": choices_of(_sendable(chunk))}
    if "usage" in whole:
        whole["usage"] = usage_of(whole)
    for choice in whole["choices"]:
        if isinstance(delta := choice.get("delta"), dict):
            _as_texts(delta)
            for piece in _ahead(delta):
                ahead = {**choice, "delta": piece, "finish_reason": None, "logprobs": None}
                yield {**whole, "choices": [ahead], "usage": None}
    yield whole


def usage_of(chunk: Mapping[str, Any]) -> dict[str, int] | None:
    """The counts that a chunk carries, if it carries both; zero is a number."""
    usage = chunk.get("usage")
    if not isinstance(usage, Mapping):
        return None
    counts = {name: usage.get(name) for name in _COUNTS}
    if all(type(count) is int and 0 <= count <= _MOST_COUNT for count in counts.values()):
        return {name: int(count or 0) for name, count in counts.items()}
    return None


def choices_of(chunk: Mapping[str, Any]) -> list[dict[str, Any]]:
    choices = chunk.get("choices")
    return [c for c in choices if isinstance(c, dict)] if isinstance(choices, list) else []


def _sendable(value: Any) -> Any:
    """The same without what the server takes in no text: NUL, and halves of a character."""
    if isinstance(value, str):
        return value.replace("\0", "\ufffd").encode(errors="surrogatepass").decode(errors="replace")
    if isinstance(value, dict):
        return {_sendable(name): _sendable(each) for name, each in value.items()}
    return [_sendable(each) for each in value] if isinstance(value, list) else value


def _as_texts(delta: dict[str, Any]) -> None:
    """Makes texts of what backends write as lists of parts, and of arguments that are objects."""
    for name in _TEXTS:
        if isinstance(parts := delta.get(name), list):
            delta[name] = "".join(map(_text_of, parts))
    for function in _functions(delta):
        if isinstance(arguments := function.get("arguments"), dict):
            function["arguments"] = json.dumps(arguments)


def _text_of(part: Any) -> str:
    """Empty for a part of another kind, such as thoughts."""
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _functions(delta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    calls = delta.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(function := call.get("function"), dict):
            yield function


def _ahead(delta: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Takes what is long out of `delta`, piece by piece."""
    for name in _TEXTS:
        if isinstance(text := delta.get(name), str) and len(text) > _PIECE:
            *first, delta[name] = _cut(text)
            yield from ({name: part} for part in first)
    calls = delta.get("tool_calls")
    if not isinstance(calls, list):
        return
    for n, call in enumerate(calls):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict):
            continue
        arguments = function.get("arguments")
        if isinstance(arguments, str) and len(arguments) > _PIECE:
            call["index"] = n if call.get("index") is None else call["index"]
            *first, rest = _cut(arguments)
            for part in first:  # its name and id come once
                yield {"tool_calls": [{**call, "function": {**function, "arguments": part}}]}
                call, function = {"index": call["index"]}, {}
            calls[n] = {**call, "function": {"arguments": rest}}


def _cut(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]
