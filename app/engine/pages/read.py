"""The door of this package: read a document, whatever its format."""

from app.engine.pages.formats import csv, markdown
from app.engine.pages.formats.docx import read_docx
from app.engine.pages.formats.encoding import decode
from app.engine.pages.formats.epub import read_epub
from app.engine.pages.formats.html import read_html
from app.engine.pages.formats.media_types import CSV, DOCX, EPUB, PDF, TSV
from app.engine.pages.formats.pdf import read_pdf
from app.engine.pages.formats.plain import read_plain
from app.engine.pages.formats.sizes import MOST_FILE_BYTES, MOST_MARKDOWN_BYTES, MOST_TEXT_BYTES
from app.engine.pages.page import Page, PageUnreadable, Unreadable

HTML = frozenset({"text/html", "application/xhtml+xml"})
_SEPARATORS = {CSV: None, TSV: "\t"}
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdown")
_TABLE_SUFFIXES = {".csv": CSV, ".tsv": TSV}


def read(
    body: bytes, media_type: str, charset: str | None, url: str, robots_tag: str | None = None
) -> Page:
    """Read `body` as a page.

    `media_type` is bare ("text/html"), `charset` what HTTP said or None, `url` the final address,
    `robots_tag` the X-Robots-Tag header. Pure, one document at a time (PDFium knows no threads),
    and without limits of time or memory: untrusted documents are read by a
    `app.engine.sandbox.Reader`, which adds them.
    Raises PageUnreadable with one of the reasons in `Unreadable`; nothing else.
    """
    media_type = media_type.strip().lower()
    if media_type in (PDF, DOCX, EPUB):
        _check_size(body, MOST_FILE_BYTES)
        return _read_file(body, media_type, url)
    _check_size(body, MOST_TEXT_BYTES)
    if media_type in HTML:
        return read_html(decode(body, charset, markup=True), url, robots_tag)
    if _is_markdown(media_type, url):
        _check_size(body, MOST_MARKDOWN_BYTES)
        return markdown.read_markdown(decode(body, charset), url)
    if media_type == "text/plain":
        return read_plain(decode(body, charset))
    if media_type in _SEPARATORS:
        return csv.read_csv(decode(body, charset), _SEPARATORS[media_type])
    raise PageUnreadable(Unreadable.UNSUPPORTED_MEDIA_TYPE)


def has_markup(media_type: str, url: str) -> bool:
    """True of forms with tables and headings, which `markup_of` gives as HTML."""
    media_type = _table_type(media_type, url)
    return media_type in HTML or media_type in _SEPARATORS or _is_markdown(media_type, url)


def markup_of(body: bytes, media_type: str, charset: str | None, url: str) -> str:
    """A document as HTML, of which records are read cell by cell. Raises PageUnreadable."""
    media_type = _table_type(media_type, url)
    if media_type in HTML:
        _check_size(body, MOST_TEXT_BYTES)
        return decode(body, charset, markup=True)
    if _is_markdown(media_type, url):
        _check_size(body, MOST_MARKDOWN_BYTES)
        return markdown.as_markup(decode(body, charset))
    if media_type in _SEPARATORS:
        _check_size(body, MOST_TEXT_BYTES)
        return csv.as_markup(decode(body, charset), _SEPARATORS[media_type])
    raise PageUnreadable(Unreadable.UNSUPPORTED_MEDIA_TYPE)


def _table_type(media_type: str, url: str) -> str:
    """The media type, that of its suffix for a table that was sent as plain text."""
    media_type = media_type.strip().lower()
    suffix = url.partition("?")[0].lower()[-4:]
    return _TABLE_SUFFIXES.get(suffix, media_type) if media_type == "text/plain" else media_type


def _is_markdown(media_type: str, url: str) -> bool:
    named = url.partition("?")[0].lower().endswith(_MARKDOWN_SUFFIXES)
    return media_type in _MARKDOWN or (media_type == "text/plain" and named)


def _read_file(body: bytes, media_type: str, url: str) -> Page:
    if media_type == PDF:
        return read_pdf(body)
    return read_docx(body, url) if media_type == DOCX else read_epub(body)


def _check_size(body: bytes, most: int) -> None:
    if not body.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    if len(body) > most:
        raise PageUnreadable(Unreadable.TOO_LARGE)
