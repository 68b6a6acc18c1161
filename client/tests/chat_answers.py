"""Streamed chats, as the server writes them."""

import json
from typing import Any

import httpx

OFFER = "01990000-0000-7000-8000-000000000001"
USAGE = {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11, "cost": "0.000013"}


def piece(text: str, **more: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    return {"id": "chat_a", "object": "chat.completion.chunk", "choices": [choice], **more}


LAST = {"id": "chat_a", "object": "chat.completion.chunk", "choices": [], "usage": USAGE}
MESSAGE = {"role": "assistant", "content": "Hello world"}
CHOICE = {"index": 0, "message": MESSAGE, "finish_reason": "stop", "logprobs": None}
WHOLE: dict[str, Any] = {
    "id": "chat_a",
    "object": "chat.completion",
    "created": 1795000000,
    "model": "m/1",
    "choices": [CHOICE],
    "usage": USAGE,
    "offer_id": OFFER,
    "pricing_revision": 3,
}
PIECES = (piece("Hello", offer_id=OFFER, pricing_revision=3), piece(" world"), LAST)


def stream(*events: dict[str, Any], done: bool = True) -> httpx.Response:
    """With a comment between the first events, as it stands there while nothing comes."""
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    lines[1:1] = [": keep-alive\n\n"]
    lines += ["data: [DONE]\n\n"] * done
    return httpx.Response(
        200, text="".join(lines), headers={"Content-Type": "text/event-stream; charset=utf-8"}
    )
