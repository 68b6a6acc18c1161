"""An OpenAI-compatible model that says six words, 10 ms apart: `uvicorn bench.chat.backend:app`."""

import asyncio
import json
from typing import Any

TOKENS, GAP_SECONDS = 6, 0.01
_HEAD = [(b"content-type", b"text/event-stream")]


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": _HEAD})
    for n in range(TOKENS):
        reason = "stop" if n == TOKENS - 1 else None
        delta = {"role": "assistant", "content": f"w{n} "}
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        event = f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode()
        await send({"type": "http.response.body", "body": event, "more_body": True})
        await asyncio.sleep(GAP_SECONDS)
    await send({"type": "http.response.body", "body": b"data: [DONE]\n\n"})
