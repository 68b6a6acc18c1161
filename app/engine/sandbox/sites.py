"""Reaching a site: how many pages at once, where it really begins, which pages it lists."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from app.engine.fetch import Fetcher, FetchFailed, HostGate, LocalGate, PoliteFetcher, Robots, parse
from app.engine.pages.formats.sizes import MOST_FILE_BYTES
from app.engine.pages.page import PageUnreadable
from app.engine.pages.site.scope import Scope, origin_of
from app.engine.pages.site.sitemap import MOST_BYTES
from app.engine.sandbox import visit
from app.engine.sandbox.reader import UNHURRIED, DocumentReader

OWN_HOST_THREADS = 4
_TURN_SECONDS = 120.0  # how long a page waits for its host: crawl delays and Retry-After included
MOST_SITEMAPS = 500


@dataclass(frozen=True, slots=True)
class Web:
    """The tools that fetching needs, made once per job."""

    fetcher: Fetcher
    robots: Robots
    gate: HostGate
    gap_seconds: float
    reader: DocumentReader

    def threads(self, url: str) -> int:
        """Returns how many pages may be fetched at once: several only of a host the operator
        vouches for, and only if its robots.txt asks for no delay. Raises FetchFailed for a refused
        URL.
        """
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


def make_web(fetcher: Fetcher, gate: HostGate, gap_seconds: float, reader: DocumentReader) -> Web:
    """A `Web` whose limits let files through: PDF, DOCX, EPUB."""
    policy = replace(
        fetcher.policy,
        max_wire_bytes=MOST_FILE_BYTES,
        max_body_bytes=MOST_FILE_BYTES,
        total_seconds=45.0,
    )
    fetcher = fetcher.under(policy)
    return Web(fetcher, Robots(fetcher), gate, gap_seconds, reader)


def landing(web: Web, url: str) -> str:
    """Finds the real address of the start page of a site: often on https, or with another host
    name.

    The requested address when there is no answer; the crawl will find out why.
    """
    fetcher = PoliteFetcher(web.fetcher, web.gate, web.robots, gap_seconds=web.gap_seconds)
    try:
        return fetcher.get(url, deadline=turn()).url
    except FetchFailed:
        return url


def turn() -> float:
    """The end of the time in which a page's turn at its host must come."""
    return time.monotonic() + _TURN_SECONDS


@dataclass(frozen=True, slots=True)
class SiteListing:
    """The pages of `scope` that sitemaps list, and the outcomes of those that cannot be read."""

    scope: Scope
    pages: list[str]
    failures: frozenset[str]


def listed_pages(
    web: Web, url: str, scope: Scope, most: int, most_sitemaps: int = MOST_SITEMAPS
) -> SiteListing:
    """The pages of a sitemap and of those it points to, in scope, at most `most`.

    The scope moves with the first sitemap, which may have another address by now. A sitemap that
    cannot be read is skipped, even the first; one that may come later is asked for twice.
    """
    policy = replace(web.fetcher.policy, max_wire_bytes=MOST_BYTES, max_body_bytes=MOST_BYTES)
    fetcher = PoliteFetcher(
        web.fetcher.under(policy), web.gate, web.robots, gap_seconds=web.gap_seconds
    )
    sitemaps, failures = [url], set[str]()  # no more of them than are read, whatever they list
    pages: dict[str, None] = {}
    for current in sitemaps:
        if len(pages) >= most:
            break
        response = visit.fetch(fetcher, current, turn())
        if isinstance(response, str) and response in visit.TEMPORARY:
            response = visit.fetch(fetcher, current, turn())
        if isinstance(response, str):
            failures.add(response)
            continue
        if current == url:
            scope = replace(scope, origin=origin_of(response.url))
        try:
            sitemap = web.reader.read_sitemap(response.body, response.url, UNHURRIED)
        except PageUnreadable as unreadable:
            failures.add(unreadable.reason.value)
            continue
        children = (x for x in sitemap.children if origin_of(x) == scope.origin)
        sitemaps += islice(
            (x for x in children if x not in sitemaps), most_sitemaps - len(sitemaps)
        )
        pages.update(dict.fromkeys(scope.addresses(sitemap.urls)))
    return SiteListing(scope, list(pages)[:most], frozenset(failures))
