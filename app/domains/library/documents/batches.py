"""Many small documents in one body: NDJSON, a document in each line, each with its own result."""

import base64
import binascii
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from marshmallow import Schema, ValidationError, fields, validates_schema

from app.core.errors import AppError, Invalid, PayloadTooLarge, UnsupportedMediaType
from app.core.http.api import of_validation
from app.core.http.request_parser import loads
from app.domains.library.documents import uploads
from app.domains.library.documents.metadata import DocumentMetadata
from app.domains.library.documents.schemas import MOST_KEY_CHARACTERS
from app.domains.library.documents.store import Upload, WebAddress
from app.domains.library.pages.addresses import WebUrl

NDJSON: Final = "application/x-ndjson"
MOST_LINES: Final = 500

Outcome = Literal["accepted", "unchanged", "refused"]


class BatchLineIn(Schema):
    """A document: one of `content`, `content_base64` and `url`."""

    key = fields.Str(required=True)
    content = fields.Str()
    content_base64 = fields.Str()
    url = WebUrl()
    media_type = fields.Str()
    metadata = DocumentMetadata()

    @validates_schema
    def _one_content(self, data: dict[str, Any], **_: Any) -> None:
        if len(data.keys() & {"content", "content_base64", "url"}) != 1:
            raise ValidationError("Must have one of content, content_base64 and url.")


_LINE: Final = BatchLineIn()


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A document of a batch; `metadata` is None where the line has none."""

    key: str
    given: Upload | WebAddress
    metadata: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class LineResult:
    """The result of one line; `key` is None where the line has no readable one."""

    key: str | None
    outcome: Outcome
    error: AppError | None = None


def lines(body: bytes, mimetype: str) -> Iterator[BatchLine | LineResult]:
    """Each line that is not empty, as a document or as its refusal.

    Raises UnsupportedMediaType, PayloadTooLarge beyond 500 lines.
    """
    if mimetype != NDJSON:
        raise UnsupportedMediaType(why=mimetype)
    written = [line for line in body.split(b"\n") if line.strip()]
    if len(written) > MOST_LINES:
        raise PayloadTooLarge
    return map(_line, written)


def _line(raw: bytes) -> BatchLine | LineResult:
    key: str | None = None
    try:
        value = loads(raw)
        named = value.get("key") if isinstance(value, dict) else None
        key = named[:MOST_KEY_CHARACTERS] if isinstance(named, str) else None
        return _document(_LINE.load(value))
    except ValidationError as error:
        return LineResult(key, "refused", of_validation(error))
    except AppError as error:
        return LineResult(key, "refused", error)


def _document(line: dict[str, Any]) -> BatchLine:
    key = uploads.key_of(line["key"])
    given: Upload | WebAddress
    if "url" in line:
        given = WebAddress(line["url"])
    else:
        given = uploads.upload(key, line.get("media_type", ""), "utf-8", _content(line))
    return BatchLine(key, given, line.get("metadata"))


def _content(line: dict[str, Any]) -> bytes:
    if "content" in line:
        text: str = line["content"]
        return text.encode()
    try:
        return base64.b64decode(line["content_base64"], validate=True)
    except (binascii.Error, ValueError):
        problem = {"field": "/content_base64", "problem": "Must be base64 (RFC 4648)."}
        raise Invalid(details=[problem]) from None
