"""Pages of a site or a sitemap: fetched politely, conditionally, and read."""

from collections.abc import Mapping
from urllib.parse import urlsplit
from uuid import UUID

from app.core import ids
from app.domains.library.corpora.visits import (
    CANONICAL,
    NOINDEX,
    READ,
    REDIRECTED,
    KnownPage,
    Visit,
    without_content,
)
from app.domains.library.passages.prepared import prepare
from app.engine.fetch import Response, parse
from app.engine.pages.page import Page
from app.engine.pages.site.registrable import domain_of_url
from app.engine.pages.site.scope import Scope
from app.engine.sandbox import visit
from app.engine.sandbox.documents import ReadDocument
from app.engine.sandbox.reader import UNHURRIED
from app.engine.sandbox.sites import Web, turn

_MOST_LINKED = 100


class PageVisitor:
    """Visits pages of one corpus; threads may share it."""

    def __init__(
        self, web: Web, corpus_id: UUID, scope: Scope, known: Mapping[str, KnownPage], threads: int
    ) -> None:
        self._web, self._corpus_id, self._scope, self._known = web, corpus_id, scope, known
        self._getter = web.getter(threads)

    def visit(self, url: str) -> Visit:
        """Fetch and read one page; every failure is an outcome. Waits as politeness asks."""
        known = self._known.get(url)
        # What is not in the index was not kept: it has to come whole.
        kept = known if known and known.indexed else None
        validators = (kept.etag, kept.last_modified) if kept else (None, None)
        response = visit.fetch(self._getter(), url, turn(), *validators)
        if isinstance(response, str):
            return self._without_content(url, response)
        return self._read(url, response)

    def _without_content(
        self, url: str, outcome: str, links: tuple[str, ...] | None = None, size: int = 0
    ) -> Visit:
        return without_content(self._known.get(url), url, outcome, links, size)

    def _read(self, requested: str, response: Response) -> Visit:
        """The page under the address that answered, after redirects."""
        size = len(response.body)
        moved = response.url != parse(requested, self._web.fetcher.policy).url
        url = self._scope.address(response.url) if moved else requested
        if url is None:
            return self._without_content(requested, REDIRECTED, (), size)
        reading = visit.read(self._web.reader, response, UNHURRIED)
        if isinstance(reading, str):
            return self._without_content(requested, reading, (), size)
        return self._seen(url, reading, response)

    def _seen(self, url: str, reading: ReadDocument, response: Response) -> Visit:
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
            etag=visit.validator(response, "etag"),
            last_modified=visit.validator(response, "last-modified"),
            fetched_at=response.fetched_at,
            size=size,
            media_type=response.media_type,
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
