"""Many documents in one body, each with its own result: lines of NDJSON, or the files of a ZIP."""

import base64
import binascii
import io
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal
from zipfile import BadZipFile, ZipFile, ZipInfo

from marshmallow import Schema, ValidationError, validates_schema

from app.core.errors import AppError, Invalid, PayloadTooLarge, UnsupportedMediaType
from app.core.http import fields
from app.core.http.api import of_validation
from app.core.http.request_parser import loads
from app.domains.library.corpora.folder import MEDIA_TYPES
from app.domains.library.documents import uploads
from app.domains.library.documents.metadata import DocumentMetadata
from app.domains.library.documents.schemas import MOST_BODY_BYTES, MOST_KEY_CHARACTERS
from app.domains.library.documents.store import Upload, WebAddress
from app.domains.library.pages.addresses import WebUrl

NDJSON: Final = "application/x-ndjson"
ZIP: Final = "application/zip"
MOST_DOCUMENTS: Final = 500
MOST_UNPACKED_BYTES: Final = 64 << 20

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


def documents(body: bytes, mimetype: str) -> Iterator[BatchLine | LineResult]:
    """Each line that is not empty, or each file, as a document or as its refusal.

    Raises UnsupportedMediaType, PayloadTooLarge beyond 500 of them, Invalid for what is no ZIP.
    """
    if mimetype == NDJSON:
        return _lines(body)
    if mimetype == ZIP:
        return _files(body)
    raise UnsupportedMediaType.at("", f"Send documents as {NDJSON} or {ZIP}.")


def _lines(body: bytes) -> Iterator[BatchLine | LineResult]:
    written = [line for line in body.split(b"\n") if line.strip()]
    if len(written) > MOST_DOCUMENTS:
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
    key = uploads.new_key_of(line["key"])
    given: Upload | WebAddress
    if "url" in line:
        given = WebAddress(line["url"])
    else:
        given = uploads.upload(key, line.get("media_type", ""), None, _content(line))
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


def _files(body: bytes) -> Iterator[BatchLine | LineResult]:
    """Hidden files, as those that systems add, are left out as they are of a folder."""
    try:
        archive = ZipFile(io.BytesIO(body))
    except (BadZipFile, ValueError, NotImplementedError):
        raise Invalid.at("", "Must be a ZIP file.") from None
    files = [x for x in archive.infolist() if not _is_left_out(x.filename)]
    if len(files) > MOST_DOCUMENTS:
        raise PayloadTooLarge
    return _unpacked(archive, files)


def _is_left_out(path: str) -> bool:
    parts = path.split("/")
    return path.endswith("/") or any(part.startswith((".", "__MACOSX")) for part in parts)


def _unpacked(archive: ZipFile, files: list[ZipInfo]) -> Iterator[BatchLine | LineResult]:
    left = MOST_UNPACKED_BYTES
    for file in files:
        key = file.filename[:MOST_KEY_CHARACTERS]
        try:
            content = _content_of(archive, file, min(left, MOST_BODY_BYTES))
            given = uploads.upload(uploads.new_key_of(file.filename), "", None, content)
        except AppError as error:
            yield LineResult(key, "refused", error)
        else:
            left -= len(content)
            yield BatchLine(key, given, None)


def _content_of(archive: ZipFile, file: ZipInfo, most: int) -> bytes:
    """At most so many bytes are unpacked, whatever the archive says of their number."""
    if PurePosixPath(file.filename).suffix.lower() not in MEDIA_TYPES:
        raise UnsupportedMediaType.at("", uploads.FORMATS)
    try:
        with archive.open(file) as opened:
            content = opened.read(most + 1)
    except (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        raise Invalid.at("", "The file is damaged or encrypted in the archive.") from None
    if len(content) > most:
        raise PayloadTooLarge
    return content
