"""The door of this package: read a document, whatever its format."""

from app.engine.pages.formats.csv import read_csv
from app.engine.pages.formats.docx import read_docx
from app.engine.pages.formats.encoding import decode
from app.engine.pages.formats.epub import read_epub
from app.engine.pages.formats.html import read_html
from app.engine.pages.formats.markdown import read_markdown
from app.engine.pages.formats.media_types import CSV, DOCX, EPUB, PDF, TSV
from app.engine.pages.formats.pdf import read_pdf
from app.engine.pages.formats.plain import read_plain
from app.engine.pages.formats.sizes import MOST_FILE_BYTES, MOST_MARKDOWN_BYTES, MOST_TEXT_BYTES
from app.engine.pages.page import Page, PageUnreadable, Unreadable

HTML = frozenset({"text/html", "application/xhtml+xml"})
_SEPARATORS = {CSV: None, TSV: "\t"}
_MARKDOWN = frozenset({"text/markdown", "text/x-markdown"})
_MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdown")


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
    is_markdown = url.partition("?")[0].lower().endswith(_MARKDOWN_SUFFIXES)
    if media_type in _MARKDOWN or (media_type == "text/plain" and is_markdown):
        _check_size(body, MOST_MARKDOWN_BYTES)
        return read_markdown(decode(body, charset), url)
    if media_type == "text/plain":
        return read_plain(decode(body, charset))
    if media_type in _SEPARATORS:
        return read_csv(decode(body, charset), _SEPARATORS[media_type])
    raise PageUnreadable(Unreadable.UNSUPPORTED_MEDIA_TYPE)


def _read_file(body: bytes, media_type: str, url: str) -> Page:
    if media_type == PDF:
        return read_pdf(body)
    return read_docx(body, url) if media_type == DOCX else read_epub(body)


def _check_size(body: bytes, most: int) -> None:
    if not body.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    if len(body) > most:
        raise PageUnreadable(Unreadable.TOO_LARGE)
