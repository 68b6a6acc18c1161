"""An avatar: the uploaded picture as it came, and the copy of it that the public sees."""

import base64
import threading
import time
from dataclasses import dataclass
from typing import Final

from app.engine.images import containers, data_url
from app.engine.images.refusal import SENTENCES, ImageRefused
from app.engine.pages.page import PageUnreadable, Unreadable
from app.engine.sandbox import answers
from app.engine.sandbox.answers import Malformed
from app.engine.sandbox.reader import UNHURRIED, DocumentReader, ReaderLimits, ReaderNotReady

PUBLIC_MEDIA_TYPE: Final = "image/webp"

_MOST_PUBLIC_CHARACTERS: Final = 2 << 20  # 512 x 512 pixels take less, whatever they show
_CPU_SECONDS: Final = 5.0
_TURN_SECONDS: Final = 5.0
_TOTAL_SECONDS: Final = 30.0
# The pixels of one picture may take 64 MiB, and as much again in each of a few conversions.
_LIMITS: Final = ReaderLimits(memory_bytes=512 << 20)
_turns = threading.BoundedSemaphore(2)


class NoDecoder(Exception):
    """No process could be had in time to decode the picture in: nothing is known of the picture."""


@dataclass(frozen=True, slots=True, repr=False)
class Avatar:
    """`data` is the upload, of `media_type`; `public` is its copy, WebP, 512 pixels at most."""

    media_type: str
    data: bytes
    public: bytes


def read(text: object) -> Avatar:
    """The avatar in a data URL. Raises ImageRefused, NoDecoder.

    Takes the start of a process, which ends with the picture: one that a picture took over could
    falsify no other.
    """
    media_type, data = content(text)
    if not _turns.acquire(timeout=_TURN_SECONDS):
        raise NoDecoder
    decoder = Decoder(_LIMITS)
    try:
        return Avatar(media_type, data, decoder.public_copy(data, media_type))
    finally:
        decoder.close()
        _turns.release()


def content(text: object) -> data_url.Content:
    """The bytes in a data URL, if they begin as their media type says. Raises ImageRefused."""
    if not isinstance(text, str):
        raise ImageRefused("invalid_data_url")
    found = data_url.parse(text)
    if containers.media_type(found.data) != found.media_type:
        raise ImageRefused("mime_mismatch")
    return found


class Decoder(DocumentReader):
    """Decodes pictures in a confined child process, one at a time."""

    program = "app.engine.images.child"

    def public_copy(self, data: bytes, media_type: str) -> bytes:
        """As `pixels.public_copy`. Raises ImageRefused, NoDecoder."""
        deadline = time.monotonic() + _TOTAL_SECONDS
        head = {"media_type": media_type, "cpu_seconds": _CPU_SECONDS}
        try:
            self.prepare(deadline)
            return self.ask(head, data, deadline, checked)
        except ReaderNotReady:
            raise NoDecoder from None
        except PageUnreadable as unreadable:
            costly = unreadable.reason is Unreadable.TOO_COSTLY
            raise ImageRefused("too_costly" if costly else "invalid_image") from None

    def prepare(self, deadline: float = UNHURRIED) -> None:
        """Wait until the child can decode. Raises ReaderNotReady, also where it is not confined."""
        try:
            super().prepare(deadline)
        except PageUnreadable as unconfined:
            raise ReaderNotReady(why="it is not confined") from unconfined


def checked(answer: object) -> bytes:
    """The public copy in an answer. Raises Malformed, and ImageRefused when that is the answer."""
    found = answers.part(answer, "avatar")
    reason, text = found.get("refused"), found.get("public")
    if isinstance(reason, str) and reason in SENTENCES:
        raise ImageRefused(reason)
    if not isinstance(text, str) or len(text) > _MOST_PUBLIC_CHARACTERS:
        raise Malformed
    try:
        public = base64.b64decode(text, validate=True)
        if containers.media_type(public) != PUBLIC_MEDIA_TYPE:
            raise Malformed
        containers.walk(public, PUBLIC_MEDIA_TYPE)
    except (ValueError, ImageRefused) as error:
        raise Malformed from error
    return public
