"""The content of an upload: its media type, from the request or from the name of the document."""

import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from flask import Request
from werkzeug.datastructures import FileStorage

from app.core.errors import Invalid, PayloadTooLarge, UnsupportedMediaType
from app.core.http import Blueprint
from app.domains.library.corpora.folder import MEDIA_TYPES
from app.domains.library.documents.schemas import (
    MOST_BODY_BYTES,
    MOST_KEY_CHARACTERS,
    DocumentUrlIn,
)
from app.domains.library.documents.service import content_hash
from app.domains.library.documents.store import Upload, WebAddress

# What programs send who do not know what they send.
_UNKNOWN: Final = frozenset({"", "application/octet-stream", "application/x-www-form-urlencoded"})
_MORE: Final[Mapping[str, str]] = {"text/x-markdown": "text/markdown"}
_MOST_JSON_BYTES: Final = 16_384
_ADDRESS: Final = DocumentUrlIn()
_TAKEN: Final = frozenset(MEDIA_TYPES.values())
FORMATS: Final = "A document is text, Markdown, HTML, CSV, TSV, PDF, DOCX or EPUB."


def key_of(text: str) -> str:
    """Raises Invalid unless it is up to 500 characters, none of them a control."""
    if not 0 < len(text) <= MOST_KEY_CHARACTERS or any(
        unicodedata.category(x) == "Cc" for x in text
    ):
        problem = f"Must have 1 to {MOST_KEY_CHARACTERS} characters, none of them a control."
        raise Invalid.at("/key", problem)
    return text


def new_key_of(text: str) -> str:
    """The same for a document that is sent: two keys that are not UTF-8 would be read as one."""
    if "\ufffd" in text:
        raise Invalid.at("/key", "Must be UTF-8.")
    return key_of(text)


def given_in(request: Request, key: str) -> Upload | WebAddress:
    """The content as it came, the body itself or the one file of a form; or, as JSON, the address
    to fetch it from. Raises UnsupportedMediaType, PayloadTooLarge, Invalid.
    """
    if request.mimetype == "application/json":
        return _address(request)
    if request.mimetype == "multipart/form-data":
        file = _only_file(request)
        return upload(key, file.mimetype, file.mimetype_params.get("charset"), file.read())
    body = request.get_data(cache=False)
    if request.content_length is None and len(body) >= MOST_BODY_BYTES:
        raise PayloadTooLarge  # Werkzeug cuts a chunked body off at the limit
    return upload(key, request.mimetype, request.mimetype_params.get("charset"), body)


def _address(request: Request) -> WebAddress:
    if len(request.get_data(cache=True)) > _MOST_JSON_BYTES:
        raise PayloadTooLarge
    body = Blueprint.ARGUMENTS_PARSER.parse(_ADDRESS, request, location="json")
    return WebAddress(body["url"])


def _only_file(request: Request) -> FileStorage:
    files = [file for each in request.files.listvalues() for file in each]
    if len(files) != 1:
        raise Invalid.at("/file", "Must be one file.")
    return files[0]


def upload(key: str, media_type: str, charset: str | None, body: bytes) -> Upload:
    """Of that type, or of that of the key where it is unknown. Raises UnsupportedMediaType."""
    if media_type in _UNKNOWN:
        media_type = MEDIA_TYPES.get(PurePosixPath(key).suffix.lower(), "text/plain")
    media_type = _MORE.get(media_type, media_type)
    if media_type not in _TAKEN:
        raise UnsupportedMediaType.at("", FORMATS)
    return Upload(media_type, charset, body, content_hash(body))
