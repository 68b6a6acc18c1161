"""Fetching and reading one page that an engine returned."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from app.core import ids
from app.domains.library.pages.store import Copy
from app.domains.library.passages.prepared import PreparedPage, prepare
from app.engine.fetch import PoliteFetcher
from app.engine.sandbox import visit
from app.engine.sandbox.documents import ReadingScope
from app.engine.sandbox.reader import DocumentReader, ReaderNotReady
from app.engine.sandbox.visit import READ, UNCHANGED

SLOW = "slow"
NOINDEX = "noindex"
UNINDEXED = UUID(int=0)
"""Stands where a page of a corpus has the corpus."""

MOST_PASSAGES = 400  # of one page: a book is read from its beginning
# Terms are for the index, which these are not in; the other pages of the search wait meanwhile.
_WANTED = ReadingScope(MOST_PASSAGES, terms=False, cpu_seconds=3.0)
# Nothing from the page itself: the last reading still represents it.
_UNREACHED = frozenset({
    SLOW, "robots_unreachable", "connect_failed", "dns_failed", "tls_failed", "bad_response",
    "http_408", "http_425", "http_429", "too_costly", "unreadable",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One page, visited: READ with `prepared`, UNCHANGED, or why it was not read.

    `url` is the requested address; `prepared.url` the one that answered.
    """

    url: str
    outcome: str
    fetched_at: datetime
    prepared: PreparedPage | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def unreached(self) -> bool:
        """True if an earlier copy may be used: the site said nothing about the page."""
        return self.outcome in _UNREACHED or self.outcome.startswith("http_5")

    @property
    def withdraws(self) -> bool:
        """True if an earlier copy must go."""
        return not self.unreached and self.outcome not in (READ, UNCHANGED)


def missed(url: str) -> Visit:
    """The visit of a page for which no time was left."""
    return Visit(url=url, outcome=SLOW, fetched_at=datetime.now(UTC))


class Visitor:
    """Visits pages politely; threads share it."""

    def __init__(self, fetcher: PoliteFetcher, reader: DocumentReader) -> None:
        self._fetcher, self._reader = fetcher, reader

    def warm(self) -> None:
        """Prepare for visits to come, and wait for nothing."""
        self._reader.warm()

    def visit(self, url: str, copy: Copy | None, deadline: float) -> Visit:
        """Fetch, conditionally if there is a copy, and read. Every failure is an outcome.

        `deadline` (time.monotonic()) is when the page's turn at its host must have come, and when
        it must have been read.
        """
        validators = (copy.etag, copy.last_modified) if copy else (None, None)
        response = visit.fetch(self._fetcher, url, deadline, *validators)
        if isinstance(response, str):
            return _without_content(url, response)
        try:
            reading = visit.read(self._reader, response, deadline, _WANTED)
        except ReaderNotReady:
            return missed(url)
        if isinstance(reading, str):
            return _without_content(url, reading)
        if reading.page.noindex:
            return _without_content(url, NOINDEX)
        return Visit(
            url=url,
            outcome=READ,
            fetched_at=response.fetched_at,
            prepared=prepare(UNINDEXED, ids.new(), response.url, reading, response.fetched_at),
            etag=visit.validator(response, "etag"),
            last_modified=visit.validator(response, "last-modified"),
        )


def _without_content(url: str, outcome: str) -> Visit:
    # A turn that does not come, at the site or at the reader, and a site that does not answer.
    outcome = SLOW if outcome == "timeout" else outcome
    return Visit(url=url, outcome=outcome, fetched_at=datetime.now(UTC))
