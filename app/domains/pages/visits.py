"""Fetching and reading one page that an engine returned."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from app.core import ids
from app.domains.pages.store import Copy
from app.domains.passages.service import Prepared, prepare
from app.engine.fetch import FetchFailed, PoliteFetcher, Response
from app.engine.pages.page import PageUnreadable
from app.engine.pages.read import read
from app.engine.text.analysis import Analyzer

READ = "read"
UNCHANGED = "unchanged"
SLOW = "slow"
NOINDEX = "noindex"
UNINDEXED = UUID(int=0)
"""Stands where a page of a corpus has the corpus."""

MOST_PASSAGES = 400  # of one page: a book is read from its beginning
_LONGEST_VALIDATOR = 500
# No word of the page itself: what was read last time still stands for it.
_UNREACHED = frozenset({
    SLOW, "robots_unreachable", "connect_failed", "dns_failed", "tls_failed", "bad_response",
    "http_408", "http_425", "http_429",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """One page, visited: READ with `prepared`, UNCHANGED, or why it was not read.

    `url` is the address asked for; `prepared.url` the one that answered.
    """

    url: str
    outcome: str
    fetched_at: datetime
    prepared: Prepared | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def unreached(self) -> bool:
        """Whether an earlier copy may stand in: the site did not say anything about the page."""
        return self.outcome in _UNREACHED or self.outcome.startswith("http_5")

    @property
    def withdraws(self) -> bool:
        """Whether an earlier copy must go."""
        return not self.unreached and self.outcome not in (READ, UNCHANGED)


def missed(url: str) -> Visit:
    """The visit of a page for which no time was left."""
    return Visit(url=url, outcome=SLOW, fetched_at=datetime.now(UTC))


class Visitor:
    """Visits pages politely; threads share it."""

    def __init__(self, fetcher: PoliteFetcher, analyzer: Analyzer) -> None:
        self._fetcher, self._analyzer = fetcher, analyzer

    def visit(self, url: str, copy: Copy | None, deadline: float) -> Visit:
        """Fetch, conditionally if there is a copy, and read. Every failure is an outcome.

        `deadline` (time.monotonic()) is when the page's turn at its host must have come.
        """
        try:
            response = self._fetcher.get(
                url,
                deadline=deadline,
                etag=copy.etag if copy else None,
                last_modified=copy.last_modified if copy else None,
            )
        except FetchFailed as failure:
            # A turn that does not come and a site that does not answer are both SLOW.
            reason = SLOW if failure.reason == "timeout" else failure.reason
            return self._without_content(url, reason)
        if response.not_modified:
            return self._without_content(url, UNCHANGED)
        if not 200 <= response.status < 300:
            return self._without_content(url, f"http_{response.status}")
        return self._read(url, response)

    def _without_content(self, url: str, outcome: str) -> Visit:
        return Visit(url=url, outcome=outcome, fetched_at=datetime.now(UTC))

    def _read(self, url: str, response: Response) -> Visit:
        try:
            page = read(
                response.body,
                response.media_type,
                response.charset,
                response.url,
                response.headers.get("x-robots-tag"),
            )
        except PageUnreadable as unreadable:
            return self._without_content(url, unreadable.reason.value)
        if page.noindex:
            return self._without_content(url, NOINDEX)
        prepared = prepare(
            UNINDEXED, ids.new(), response.url, page, response.fetched_at, self._analyzer
        )
        return Visit(
            url=url,
            outcome=READ,
            fetched_at=response.fetched_at,
            prepared=replace(prepared, spans=prepared.spans[:MOST_PASSAGES]),
            etag=_validator(response, "etag"),
            last_modified=_validator(response, "last-modified"),
        )


def _validator(response: Response, header: str) -> str | None:
    value = response.headers.get(header, "")
    return value if value.isprintable() and 0 < len(value) <= _LONGEST_VALIDATOR else None
