"""Answers in the form of OpenAI's interface, with what they cost and which offer gave them."""

import time
from collections.abc import Sequence
from typing import Any, Final

import orjson

from app.core import ids
from app.core.amounts import text
from app.core.errors import AppError
from app.core.ids import Noun
from app.domains.providers.chats.relay.chunks import Chunk, assembled
from app.domains.providers.chats.service import AcceptedChat, Receipt

DONE: Final = b"data: [DONE]\n\n"
KEEP_ALIVE: Final = b": keep-alive\n\n"


class ChatAnswer:
    """Of one chat. Made when it was accepted: all its parts carry that time."""

    def __init__(self, accepted: AcceptedChat) -> None:
        quote = accepted.quote
        self._head = {
            "id": ids.public(Noun.CHAT, accepted.id),
            "created": int(time.time()),
            "model": quote.model,
        }
        self._offer = {"offer_id": str(quote.offer_id), "pricing_revision": quote.pricing_revision}

    def first(self, chunk: Chunk) -> bytes:
        """The event of the first chunk, which names the offer."""
        return _event({**self._part([_choice(chunk)]), **self._offer})

    def next(self, chunk: Chunk) -> bytes:
        return _event(self._part([_choice(chunk)]))

    def last(self, receipt: Receipt, *, alone: bool) -> bytes:
        """The event of usage and cost; `alone` as clients have it that asked for usage."""
        choices = [] if alone else [{"index": 0, "delta": {}, "finish_reason": None}]
        return _event({**self._part(choices), **self._offer, "usage": usage(receipt)})

    def _part(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        return {**self._head, "object": "chat.completion.chunk", "choices": choices}

    def whole(self, received: Sequence[Chunk], receipt: Receipt) -> dict[str, Any]:
        message, reason = assembled(received)
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reason or "stop"}
        probabilities = [
            token for chunk in received for token in (chunk.logprobs or {}).get("content") or ()
        ]
        choice["logprobs"] = {"content": probabilities} if probabilities else None
        return {
            **self._head,
            "object": "chat.completion",
            "choices": [choice],
            "usage": usage(receipt),
            **self._offer,
        }


def _choice(chunk: Chunk) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "index": 0,
        "delta": chunk.delta,
        "finish_reason": chunk.finish_reason,
    }
    if chunk.logprobs is not None:
        choice["logprobs"] = chunk.logprobs
    return choice


def usage(receipt: Receipt) -> dict[str, Any]:
    """Tokens as charged, and their cost in USD."""
    used = receipt.usage
    return {
        "prompt_tokens": used.prompt_tokens,
        "completion_tokens": used.completion_tokens,
        "total_tokens": used.prompt_tokens + used.completion_tokens,
        "cost": text(receipt.cost),
    }


def failure(error: AppError, request_id: str) -> bytes:
    """The event that ends a stream which failed; no `[DONE]` follows."""
    return _event(error.body(request_id))


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + orjson.dumps(data) + b"\n\n"
