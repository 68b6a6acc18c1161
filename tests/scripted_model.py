"""A chat model on loopback that says what a test wants, however wrong."""

import contextlib
import json
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.unit.engine.fetch.loopback import Seen, reply, serving

Script = Callable[[dict[str, Any]], Any]
"""From the request's JSON to what is sent: a str is the text of a completion, bytes are the whole
body, an int is a status without a body."""

CLOSED = ["Connection: close"]  # as it is: one request a connection


@dataclass
class ScriptedModel:
    """Where it listens, and the requests it got."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)


@contextlib.contextmanager
def scripted_model(*scripts: Script | Any) -> Iterator[ScriptedModel]:
    """Answers the first request by the first script, and so on; the last one goes on for ever."""
    model = ScriptedModel("")

    def answer(seen: Seen, line: socket.socket) -> None:
        asked = json.loads(seen.body)
        model.asked.append(asked)
        model.authorizations.append(seen.headers.get("authorization"))
        script = scripts[min(len(model.asked), len(scripts)) - 1]
        _send(script(asked) if callable(script) else script, line)

    with serving(answer) as server:
        model.url = f"http://127.0.0.1:{server.port}/v1"
        yield model


def _send(said: Any, line: socket.socket) -> None:
    if isinstance(said, int):
        reply(line, b"{}", status=f"{said} Status", headers=CLOSED)
    elif isinstance(said, bytes):
        reply(line, said, headers=CLOSED)
    else:
        message = {"role": "assistant", "content": said}
        usage = {"prompt_tokens": 100, "completion_tokens": 20}
        body = {"choices": [{"index": 0, "message": message}], "usage": usage}
        reply(line, json.dumps(body).encode(), headers=CLOSED)


def draft(
    *sentences: tuple[str, Sequence[tuple[int, str]]],
    answered: bool = True,
    queries: Sequence[str] = (),
) -> str:
    """The JSON the product asks for: each sentence with (passage number, quote) pairs."""
    return json.dumps(
        {
            "sentences": [
                {"text": text, "citations": [{"source": n, "quote": quote} for n, quote in quotes]}
                for text, quotes in sentences
            ],
            "answered": answered,
            "missing": "what a page says" if queries else "",
            "queries": list(queries),
        }
    )


def silent(_: dict[str, Any]) -> Any:
    """An endpoint that takes the request and hangs up without a word."""
    return b""
