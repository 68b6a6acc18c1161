"""The child process in which pictures from strangers are decoded.

A program of `sandbox.template`. It speaks `messages` as the children that read documents do, and is
a program of its own because it loads a tenth of what they do.
"""

import base64
import io
import os
import signal
from contextlib import suppress
from functools import partial
from typing import Any, Final

from PIL import Image, ImageCms

from app.engine.images import pixels
from app.engine.images.refusal import ImageRefused
from app.engine.sandbox import messages
from app.engine.sandbox.confinement import confine

_CONNECTION: Final = 0
_ORIENTATION: Final = 0x0112


def main(memory_bytes: int) -> None:
    _send({"ready": True, "missing": confine(memory_bytes)})
    with suppress(messages.ChannelFailed, OSError):  # the parent has gone
        while True:
            head, data = messages.receive(partial(os.read, _CONNECTION))
            assert isinstance(head, dict)  # noqa: S101 - the parent's own words
            # Ends the process (SIGPROF) when the picture has had its time.
            signal.setitimer(signal.ITIMER_PROF, head["cpu_seconds"])
            answered = {"avatar": answer(data, head["media_type"])}
            signal.setitimer(signal.ITIMER_PROF, 0)
            _send(answered)


def load() -> None:
    """Decode one picture of each kind: nothing can be loaded after confinement."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    turned = Image.Exif()
    turned[_ORIENTATION] = 6
    for media_type, form in pixels.FORMATS.items():
        written = io.BytesIO()
        Image.new("RGB", (600, 2)).save(written, form, icc_profile=profile, exif=turned)
        pixels.public_copy(written.getvalue(), media_type)


def answer(data: bytes, media_type: str) -> dict[str, Any]:
    """The public copy of a picture, or why there is none."""
    try:
        return {"public": base64.b64encode(pixels.public_copy(data, media_type)).decode()}
    except ImageRefused as refused:
        return {"refused": refused.reason}


def _send(head: object) -> None:
    left = memoryview(messages.encode(head))
    while left:
        left = left[os.write(_CONNECTION, left) :]
