"""Pages of a site or a sitemap: fetched politely, conditionally, and read."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from urllib.parse import urlsplit
from uuid import UUID

from app.core import ids
from app.domains.corpora.scope import Scope, origin_of
from app.domains.corpora.visits import (
    CANONICAL,
    NOINDEX,
    READ,
    REDIRECTED,
    Known,
    Visit,
)
from app.domains.passages.service import prepare
from app.engine.fetch import (
    Fetcher,
    FetchFailed,
    HostGate,
    LocalGate,
    PoliteFetcher,
    Response,
    Robots,
    parse,
)
from app.engine.pages.page import Page, PageUnreadable
from app.engine.pages.registrable import domain_of_url
from app.engine.pages.sitemap import MOST_BYTES
from app.engine.pages.sizes import MOST_PDF_BYTES
from app.engine.reading import visiting
from app.engine.reading.reader import Reader
from app.engine.reading.reading import Reading

OWN_HOST_THREADS = 4
_TURN_SECONDS = 120.0  # how long a page waits for its turn: crawl delays and Retry-After included
_MOST_SITEMAPS = 500
_MOST_LINKED = 100


@dataclass(frozen=True, slots=True)
class Web:
    """What fetching needs, made once per refresh."""

    fetcher: Fetcher
    robots: Robots
    gate: HostGate
    gap_seconds: float
    reader: Reader

    def threads(self, url: str) -> int:
        """How many pages may be fetched at once: several only of a host the operator vouches for,
        and only if its robots.txt asks for no delay. Raises FetchFailed for a refused URL."""
        listed = parse(url, self.fetcher.policy).listed
        return OWN_HOST_THREADS if listed and not self.robots.crawl_delay(url) else 1

    def getter(self, threads: int) -> Callable[[], PoliteFetcher]:
        """Gives each thread its fetcher: one gate for all, or, with several, one for each."""
        if threads == 1:
            only = self._polite(self.gate)
            return lambda: only
        own = threading.local()

        def get() -> PoliteFetcher:
            if not hasattr(own, "fetcher"):
                own.fetcher = self._polite(LocalGate())
            fetcher: PoliteFetcher = own.fetcher
            return fetcher

        return get

    def _polite(self, gate: HostGate) -> PoliteFetcher:
        return PoliteFetcher(self.fetcher, gate, self.robots, gap_seconds=self.gap_seconds)


def make_web(fetcher: Fetcher, gate: HostGate, gap_seconds: float, reader: Reader) -> Web:
    """A `Web` whose limits let a PDF through."""
    policy = replace(
        fetcher.policy,
        max_wire_bytes=MOST_PDF_BYTES,
        max_body_bytes=MOST_PDF_BYTES,
        total_seconds=45.0,
    )
    fetcher = fetcher.under(policy)
    return Web(fetcher, Robots(fetcher), gate, gap_seconds, reader)


class PageVisitor:
    """Visits pages of one corpus; threads may share it."""

    def __init__(
        self, web: Web, corpus_id: UUID, scope: Scope, known: Mapping[str, Known], threads: int
    ) -> None:
        self._web, self._corpus_id, self._scope, self._known = web, corpus_id, scope, known
        self._getter = web.getter(threads)

    def visit(self, url: str) -> Visit:
        """Fetch and read one page; every failure is an outcome. Waits as politeness asks."""
        known = self._known.get(url)
        # What is not in the index was not kept: it has to come whole.
        kept = known if known and known.indexed else None
        validators = (kept.etag, kept.last_modified) if kept else (None, None)
        response = visiting.fetch(self._getter(), url, _turn(), *validators)
        if isinstance(response, str):
            return self._without_content(url, response)
        return self._read(url, response)

    def _without_content(
        self, url: str, outcome: str, links: tuple[str, ...] | None = None, size: int = 0
    ) -> Visit:
        known = self._known.get(url)
        return Visit(
            id=known.id if known else ids.new(),
            url=url,
            outcome=outcome,
            links=links,
            fetched_at=datetime.now(UTC),
            size=size,
        )

    def _read(self, requested: str, response: Response) -> Visit:
        """The page under the address that answered, not the requested one after a
        redirect."""
        size = len(response.body)
        moved = response.url != parse(requested, self._web.fetcher.policy).url
        url = self._scope.address(response.url) if moved else requested
        if url is None:
            return self._without_content(requested, REDIRECTED, (), size)
        reading = visiting.read(self._web.reader, response, _turn())
        if isinstance(reading, str):
            return self._without_content(requested, reading, (), size)
        return self._seen(url, reading, response)

    def _seen(self, url: str, reading: Reading, response: Response) -> Visit:
        page, size = reading.page, len(response.body)
        links = () if page.nofollow else self._scope.addresses(page.links)
        canonical = self._scope.address(page.canonical_url) if page.canonical_url else None
        if canonical is not None and canonical != url:
            return self._without_content(url, CANONICAL, (canonical, *links), size)
        if page.noindex:
            return self._without_content(url, NOINDEX, links, size)
        known = self._known.get(url)
        source_id = known.id if known else ids.new()
        return Visit(
            id=source_id,
            url=url,
            outcome=READ,
            prepared=prepare(self._corpus_id, source_id, url, reading, response.fetched_at),
            links=links,
            linked_domains=linked_domains(url, page),
            etag=visiting.validator(response, "etag"),
            last_modified=visiting.validator(response, "last-modified"),
            fetched_at=response.fetched_at,
            size=size,
        )


def linked_domains(url: str, page: Page) -> tuple[str, ...]:
    """The registrable domains a page links to, in the order of its links, at most a hundred.

    Its own is left out, and so are links that are marked as not vouched for (nofollow).
    """
    own = domain_of_url(url)
    links = () if page.nofollow else page.links
    hosts = dict.fromkeys(urlsplit(link).netloc for link in links)
    linked = dict.fromkeys(domain_of_url(f"https://{host}") for host in hosts)
    return tuple(x for x in linked if x is not None and x != own)[:_MOST_LINKED]


def landing(web: Web, url: str) -> str:
    """Where the start page of a site really is: often on https, or with another host name.

    The requested address when there is no answer; the crawl will find out why.
    """
    fetcher = PoliteFetcher(web.fetcher, web.gate, web.robots, gap_seconds=web.gap_seconds)
    try:
        return fetcher.get(url, deadline=_turn()).url
    except FetchFailed:
        return url


def _turn() -> float:
    """The end of the time in which a page's turn must come: at its host, then at the reader."""
    return time.monotonic() + _TURN_SECONDS


def listed_pages(web: Web, url: str, scope: Scope, most: int) -> list[str]:
    """The pages of a sitemap and of those it points to, in scope, at most `most`.

    A sitemap that cannot be read is skipped, even the first.
    """
    policy = replace(web.fetcher.policy, max_wire_bytes=MOST_BYTES, max_body_bytes=MOST_BYTES)
    fetcher = PoliteFetcher(
        web.fetcher.under(policy), web.gate, web.robots, gap_seconds=web.gap_seconds
    )
    waiting, visited = [url], set[str]()
    pages: dict[str, None] = {}
    while waiting and len(visited) < _MOST_SITEMAPS and len(pages) < most:
        current = waiting.pop(0)
        if current in visited:
            continue
        visited.add(current)
        try:
            response = fetcher.get(current, deadline=_turn())
            sitemap = web.reader.read_sitemap(response.body, response.url, _turn())
        except (FetchFailed, PageUnreadable):
            continue
        waiting += [x.url for x in sitemap.children if origin_of(x.url) == scope.origin]
        pages.update(dict.fromkeys(scope.addresses(x.url for x in sitemap.urls)))
    return list(pages)[:most]
