"""Sites that are read into a corpus of yours, page by page."""

from collections.abc import Sequence
from datetime import datetime
from math import inf
from typing import Literal

from citegrid.calls import Call, json_of, nothing
from citegrid.errors import StillRunning
from citegrid.nouns.noun import M, Noun, iteration, operation
from citegrid.nouns.polling import PAUSE_SECONDS
from citegrid.profiles.credentials import Access
from citegrid.transport.codec import ApiObject
from citegrid.transport.exchange import Emit, Pause, Produce

Kind = Literal["site", "sitemap"]
Refresh = Literal["hourly", "daily", "weekly"]


class Site(ApiObject):
    """A site of a corpus, with the number of its pages that searches can use, and of those that
    wait or failed. `state` is `reading` or `ready`; `reason` says why the last reading stopped, or
    found nothing.
    """

    id: str
    corpus_id: str
    url: str
    kind: str
    include_paths: tuple[str, ...]
    exclude_paths: tuple[str, ...]
    max_pages: int
    refresh: str | None
    state: str
    reason: str | None
    pages: int
    waiting: int
    failed: int
    created_at: datetime
    read_at: datetime | None


class FailedPage(ApiObject):
    """A page that could not be read, and why, for example `http_404`."""

    url: str
    reason: str


class SiteDetail(Site):
    """A site with up to 100 of the pages that could not be read."""

    failures: tuple[FailedPage, ...]


class Sites(Noun[M]):
    """`client.sites`"""

    @operation("POST", "/v1/corpora/{corpus_id}/sites", Access.KEY, makes=True)
    def create(
        self,
        corpus_id: str,
        url: str,
        *,
        kind: Kind | None = None,
        max_pages: int | None = None,
        include_paths: Sequence[str] | None = None,
        exclude_paths: Sequence[str] | None = None,
        refresh: Refresh | None = None,
        idempotency_key: str | None = None,
    ) -> Call[Site]:
        """Preview. Read a site into a corpus: each page becomes a document under its address.

        A `sitemap` names the pages, or a feed does (RSS, Atom); of a `site` the links are followed.
        At most `max_pages` addresses are visited (1000 by default). The paths are prefixes
        (`/docs/`) or patterns for the whole path (`*/api/*`).
        """
        return Call(json_of(Site))

    @operation("GET", "/v1/corpora/{corpus_id}/sites", Access.KEY)
    def list(self, corpus_id: str) -> Call[tuple[Site, ...]]:
        """Preview. The sites of a corpus, newest first."""
        return Call(json_of(tuple[Site, ...], inside="sites"))

    @operation("GET", "/v1/corpora/{corpus_id}/sites/{site_id}", Access.KEY)
    def get(self, corpus_id: str, site_id: str) -> Call[SiteDetail]:
        """Preview. Read a site with its progress and the pages that could not be read."""
        return Call(json_of(SiteDetail))

    @operation(
        "POST", "/v1/corpora/{corpus_id}/sites/{site_id}/refresh", Access.KEY, repeatable=True
    )
    def refresh(self, corpus_id: str, site_id: str) -> Call[Site]:
        """Preview. Read a site again: what changed, what is new, and what is gone."""
        return Call(json_of(Site))

    @operation("DELETE", "/v1/corpora/{corpus_id}/sites/{site_id}", Access.KEY)
    def delete(self, corpus_id: str, site_id: str) -> Call[None]:
        """Preview. Delete a site with its documents; answers that cite them keep their quotes."""
        return Call(nothing)

    @iteration
    def watch(
        self, corpus_id: str, site_id: str, *, timeout: float | None = None
    ) -> Produce[SiteDetail]:
        """Preview. Follow the reading of a site: the site now, and again each time it has changed,
        until it has been read.

        Raises StillRunning after `timeout` seconds.
        """
        clock = self._service.policy.clock
        deadline = inf if timeout is None else clock() + timeout
        before: SiteDetail | None = None
        while True:
            site = yield from Sites.get.steps(self, corpus_id, site_id)
            if before is None or site.to_dict() != before.to_dict():
                yield Emit(site)
            if site.state != "reading":
                return
            if clock() >= deadline:
                raise StillRunning(corpus_id)
            before = site
            yield Pause(PAUSE_SECONDS)
