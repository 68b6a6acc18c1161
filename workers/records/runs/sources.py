"""The sources of a run's pages: addresses, a sitemap, a crawl's start, a search."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.domains.records.page_jobs.runs.failures import SourceUnreadable
from app.domains.records.page_jobs.store import PageJob
from app.engine.pages.site.scope import Scope
from app.engine.sandbox.sites import landing, listed_pages
from workers.queue.attempt import Attempt
from workers.records.lanes.web import JobWeb
from workers.records.runs.search_source import addresses


@dataclass(frozen=True, slots=True)
class RunStart:
    """Addresses to begin with. `start` is where the start page of a crawl really is."""

    urls: list[str]
    start: str | None = None
    warnings: list[str] = field(default_factory=list)


def planned(attempt: Attempt, job: PageJob, web: JobWeb) -> RunStart:
    """The first pages of a run. Raises SourceUnreadable, NoEngineConfigured."""
    source: dict[str, Any] = job.body["source"]
    return _PLANS[source["type"]](attempt, source, job.body["max_pages"], web)


def _url(_attempt: Attempt, source: dict[str, Any], _most: int, _web: JobWeb) -> RunStart:
    return RunStart([source["url"]])


def _urls(_attempt: Attempt, source: dict[str, Any], _most: int, _web: JobWeb) -> RunStart:
    return RunStart(source["urls"])


def _sitemap(attempt: Attempt, source: dict[str, Any], most: int, web: JobWeb) -> RunStart:
    """One page more than there is room for says that there are more."""
    scope = Scope.of(source["url"])
    listed = _patiently(attempt, lambda: listed_pages(web.site, source["url"], scope, most + 1))
    reasons = ", ".join(sorted(listed.failures))
    unreadable = f"Some sitemaps could not be read: {reasons}."
    if not listed.pages:
        problem = unreadable if reasons else f"The sitemap lists no page of {listed.scope.origin}."
        raise SourceUnreadable(details=[{"field": "", "problem": problem}])
    return RunStart(listed.pages, warnings=[f"sitemap_unreadable: {unreadable}"] if reasons else [])


def _crawl(attempt: Attempt, source: dict[str, Any], _most: int, web: JobWeb) -> RunStart:
    start = _patiently(attempt, lambda: landing(web.site, source["url"]))
    return RunStart([start], start)


def _search(attempt: Attempt, source: dict[str, Any], most: int, _web: JobWeb) -> RunStart:
    hits = addresses(attempt.settings, source["query"], most, attempt.check)
    return RunStart([hit.url for hit in hits])


def _patiently(attempt: Attempt, act: Callable[[], Any]) -> Any:
    """Returns what was fetched; `check` is done before and after."""
    attempt.check()
    result = act()
    attempt.check()
    return result


_PLANS: dict[str, Callable[[Attempt, dict[str, Any], int, JobWeb], RunStart]] = {
    "url": _url,
    "urls": _urls,
    "sitemap": _sitemap,
    "crawl": _crawl,
    "search": _search,
}
