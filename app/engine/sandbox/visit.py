"""One page of a stranger's site, fetched politely and read: every failure is an outcome."""

from app.engine.fetch import FetchFailed, PoliteFetcher, Response
from app.engine.pages.page import PageUnreadable
from app.engine.sandbox.documents import EVERYTHING, Document, ReadDocument, ReadingScope
from app.engine.sandbox.reader import DocumentReader

READ = "read"
UNCHANGED = "unchanged"
_LONGEST_VALIDATOR = 500
_PART = 206  # of a page: nobody asked for one, and what is missing would be missed silently

Outcome = str
"""READ, UNCHANGED, or why there is nothing to read: a reason of `FetchFailed` or `Unreadable`, or
the status of HTTP, as in "http_404"."""

TEMPORARY = frozenset({
    "robots_unreachable", "timeout", "connect_failed", "dns_failed", "http_408", "http_425",
    "http_429", "http_500", "http_502", "http_503", "http_504",
})  # fmt: skip
"""Outcomes after which a page may come when it is asked for once more."""


def fetch(
    fetcher: PoliteFetcher,
    url: str,
    deadline: float,
    etag: str | None = None,
    last_modified: str | None = None,
) -> Response | Outcome:
    """The page at `url`, or the outcome that says why it did not come.

    `deadline` (time.monotonic()) is when its turn at its host must have come.
    """
    try:
        response = fetcher.get(url, deadline=deadline, etag=etag, last_modified=last_modified)
    except FetchFailed as failure:
        return failure.reason
    if response.not_modified:
        return UNCHANGED
    is_whole = 200 <= response.status < 300 and response.status != _PART
    return response if is_whole else f"http_{response.status}"


def read(
    reader: DocumentReader, response: Response, deadline: float, wanted: ReadingScope = EVERYTHING
) -> ReadDocument | Outcome:
    """Reads what came, before `deadline`, or returns the outcome that says why it cannot be."""
    try:
        return reader.read(document_of(response), deadline, wanted)
    except PageUnreadable as unreadable:
        return unreadable.reason.value


def document_of(response: Response) -> Document:
    return Document(
        response.body,
        response.media_type,
        response.charset,
        response.url,
        response.headers.get("x-robots-tag"),
    )


def validator(response: Response, header: str) -> str | None:
    """The value of `etag` or `last-modified`, if it can be kept and sent again."""
    value = response.headers.get(header, "")
    return value if value.isprintable() and 0 < len(value) <= _LONGEST_VALIDATOR else None
