"""The door of this package: read a document, whatever its format."""

from app.engine.pages.formats.encoding import decode
from app.engine.pages.formats.html import read_html
from app.engine.pages.formats.markdown import read_markdown
from app.engine.pages.formats.pdf import read_pdf
from app.engine.pages.formats.plain import read_plain
from app.engine.pages.formats.sizes import MOST_MARKDOWN_BYTES, MOST_PDF_BYTES, MOST_TEXT_BYTES
from app.engine.pages.page import Page, PageUnreadable, Unreadable

HTML = frozenset({"text/html", "application/xhtml+xml"})
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
    if media_type == "application/pdf":
        _check_size(body, MOST_PDF_BYTES)
        return read_pdf(body)
    _check_size(body, MOST_TEXT_BYTES)
    if media_type in HTML:
        return read_html(decode(body, charset, markup=True), url, robots_tag)
    is_markdown = url.partition("?")[0].lower().endswith(_MARKDOWN_SUFFIXES)
    if media_type in _MARKDOWN or (media_type == "text/plain" and is_markdown):
        _check_size(body, MOST_MARKDOWN_BYTES)
        return read_markdown(decode(body, charset), url)
    if media_type == "text/plain":
        return read_plain(decode(body, charset))
    raise PageUnreadable(Unreadable.UNSUPPORTED_MEDIA_TYPE)


def _check_size(body: bytes, most: int) -> None:
    if not body.strip():
        raise PageUnreadable(Unreadable.EMPTY)
    if len(body) > most:
        raise PageUnreadable(Unreadable.TOO_LARGE)
