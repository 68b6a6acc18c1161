"""Texts that are the same for everybody: compressed once, and sent as the caller can read them."""

import gzip
import hashlib
from typing import NamedTuple

from flask import Response, request


class Rendition(NamedTuple):
    """A text that is the same for everybody, made once, also compressed."""

    text: bytes
    packed: bytes
    media_type: str
    tag: str

    @classmethod
    def of(cls, text: bytes, media_type: str) -> "Rendition":
        tag = hashlib.sha256(text).hexdigest()[:32]
        return cls(text, gzip.compress(text, mtime=0), media_type, tag)

    def answer(self, cache_control: str = "public, no-cache") -> Response:
        """The text as the caller can read it, or 304."""
        takes_gzip = request.accept_encodings["gzip"] > 0
        text = self.packed if takes_gzip else self.text
        response = Response(text, mimetype=self.media_type)
        if takes_gzip:
            response.headers["Content-Encoding"] = "gzip"
        response.vary.add("Accept-Encoding")
        response.headers["Cache-Control"] = cache_control
        response.set_etag(f"{self.tag}-gzip" if takes_gzip else self.tag)
        return response.make_conditional(request)  # type: ignore[return-value]
