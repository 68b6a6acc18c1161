"""A child that pictures take over: they crash it, keep it busy, or answer in its name."""

import ctypes
from typing import Any

from app.engine.images import child


def answer(data: bytes, media_type: str) -> dict[str, Any]:
    if data == b"crash":
        ctypes.string_at(0)
    while data == b"spin":
        pass
    return {"public": "PHNjcmlwdD4="}


child.answer = answer
load, main = child.load, child.main
