"""Reading the web for one search: engines asked, pages read, copies folded."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from app.core import log
from app.domains.library.pages.store import Copy
from app.domains.library.pages.visits import UNINDEXED, Visit, Visitor
from app.domains.library.passages import retrieval
from app.domains.library.passages.store import LocatedPassage, Snapshot
from app.engine.search.interface import Filter, IndexedPassage, IndexStats
from app.engine.search.query import Query
from app.engine.search.score_scale import Analysed, pool
from app.engine.text import analysis
from app.engine.text.simhash import NEAR_DUPLICATE_BITS, distance
from app.engine.web.engines import Report, ask
from app.engine.web.interface import HitLimits
from app.engine.web.queries import follow_ups, restricted
from app.engine.web.results import WebResult, fused, indexes
from workers.page_reader import ReadablePage, pages_read, read_pages, visitor_of
from workers.queue.attempt import Attempt
from workers.searches.engines import Engines, engines_of
from workers.searches.filters import from_options, max_age

PAGES = {"quick": 5, "standard": 10, "deep": 10}
MORE_PAGES, FOLLOW_UPS = 10, 3  # of a deep search, once the first pages are read
BEST_PASSAGES = 8
MOST_RESULTS = 20  # of one engine for one query
# Shares of the time that is left, so that a search with little of it still gets to its answer.
ENGINE_SHARE, PAGE_SHARE = 0.15, 0.25

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class WebPage:
    """A page that may become a source. `engines` are the indexes that returned it; `stale` says
    that its site did not answer and an earlier copy is used."""

    copy: Copy
    snapshot: Snapshot
    engines: frozenset[str]
    stale: bool

    @property
    def simhash(self) -> int | None:
        return int(self.snapshot.facts["simhash"], 16) if "simhash" in self.snapshot.facts else None


@dataclass(frozen=True, slots=True)
class WebPages:
    """The results from the web. `outcomes` counts the pages tried by what came of them.

    The passages have ids below zero, which are of this search alone: they are in no table, so no
    other search can retrieve them, and they never clash with those of the index.
    """

    reports: tuple[Report, ...] = ()
    pages: tuple[WebPage, ...] = ()
    outcomes: Counter[str] = field(default_factory=Counter)
    located: tuple[LocatedPassage, ...] = ()
    analysed: tuple[Analysed, ...] = ()

    @property
    def engines_asked(self) -> int:
        """The number of indexes that were heard."""
        return len(indexes(self.reports))

    def returning(self) -> dict[UUID, int]:
        """Returns how many indexes returned each snapshot's page."""
        return {page.snapshot.id: len(page.engines) for page in self.pages}


def read_web(attempt: Attempt, query: Query, options: dict[str, Any]) -> WebPages:
    """Ask the engines and read what they return, as `depth` says; nothing when there are none.

    Every failure of an engine or a page is an outcome. Raises what `attempt.check` raises.
    """
    engines = engines_of(attempt.settings)
    if engines is None:
        return WebPages()
    visitor = visitor_of(attempt.settings)
    visitor.warm()  # while the engines are queried
    web_search = WebSearch(engines, visitor, attempt, query, options)
    web_search.read("reading pages", web_search.ask("asking engines", [query.text], 10), 20, PAGES)
    if options["depth"] == "deep" and (further := web_search.follow_ups()):
        results = web_search.ask("asking further", further, 40)
        web_search.read("reading further", results, 45, {"deep": MORE_PAGES})
    return web_search.web_pages()


@dataclass(slots=True)
class WebSearch:
    """The part of one search that asks the web and reads of it."""

    engines: Engines
    visitor: Visitor
    attempt: Attempt
    query: Query
    options: dict[str, Any]
    where: Filter = field(init=False)
    _reports: list[Report] = field(default_factory=list)
    _pages: list[WebPage] = field(default_factory=list)
    _located: list[LocatedPassage] = field(default_factory=list)
    _analysed: list[Analysed] = field(default_factory=list)
    _outcomes: Counter[str] = field(default_factory=Counter)
    _tried: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.where = from_options(self.options)

    def ask(self, stage: str, texts: Sequence[str], percent: int) -> list[WebResult]:
        """Results the options admit and that were not tried yet, best first."""
        self.attempt.stage(stage, percent, **pages_read([page.snapshot for page in self._pages]))
        where = self.where
        queries = [restricted(x, where.include_domains, where.exclude_domains) for x in texts]
        reports = self._ask(queries)
        self._reports += reports
        for report in reports:
            logger.info("engine asked", engine=report.engine, outcome=report.outcome)
        return [x for x in fused(reports) if x.url not in self._tried and self._promises(x)]

    def _ask(self, queries: Sequence[str]) -> list[Report]:
        attempt = self.attempt
        seconds = min(attempt.settings.web_engine_seconds, ENGINE_SHARE * attempt.seconds_left)
        asking = partial(
            ask,
            queries=queries,
            limits=HitLimits(MOST_RESULTS, max_age(self.options), self.query.language),
            circuits=self.engines.circuits,
            seconds=seconds,
            check=attempt.check,
        )
        if self.options["depth"] != "quick":
            return asking(self.engines.engines)
        for engine in self.engines.engines:  # one: the first that may be asked at all
            reports = asking([engine])
            if any(report.outcome != "skipped" for report in reports):
                break
        return reports

    def _promises(self, result: WebResult) -> bool:
        """True if the page may be admitted, as far as can be told without reading it."""
        after = self.where.published_after
        if after and result.published_at and result.published_at < after:
            return False
        domain = urlsplit(result.url).hostname
        stub = IndexedPassage(id=0, source_id="", text="", domain=domain)
        return replace(self.where, published_after=None).admits(stub)

    def read(
        self, stage: str, results: Sequence[WebResult], percent: int, most: dict[str, int]
    ) -> None:
        chosen = {result.url: result for result in results[: most[self.options["depth"]]]}
        self._tried |= set(chosen)
        attempt, before = self.attempt, [page.snapshot for page in self._pages]
        attempt.stage(stage, percent, **pages_read(before))

        def progress(total: int, done: int, read: list[Visit]) -> None:
            attempt.report(stage, percent + 15 * done // total, **pages_read(before, read))

        seconds = min(attempt.settings.web_page_seconds, PAGE_SHARE * attempt.seconds_left)
        pages = read_pages(attempt, self.visitor, list(chosen), seconds, progress)
        for url, page in pages.items():
            if isinstance(page, ReadablePage):
                self._add(WebPage(page.copy, page.snapshot, chosen[url].engines, page.stale))
            else:
                self._outcomes[page] += 1

    def _add(self, page: WebPage) -> None:
        """Keep the page unless the options forbid it, or it says what a better one says."""
        snapshot = page.snapshot
        stub = IndexedPassage(
            id=0,
            source_id="",
            text="",
            domain=urlsplit(snapshot.url).hostname,
            published_at=snapshot.published_at,
        )
        if not self.where.admits(stub):  # a redirect led elsewhere, or the page is too old
            self._outcomes["left_out"] += 1
            return
        for i, other in enumerate(self._pages):
            if other.snapshot.id == snapshot.id:
                self._pages[i] = replace(other, engines=other.engines | page.engines)
            if _same(other, page):
                self._outcomes["duplicate"] += 1
                return
        self._outcomes["stale" if page.stale else "read"] += 1
        self._pages.append(page)
        self._located += _located(page)

    def follow_ups(self) -> list[str]:
        """Further queries that what was read so far leads to."""
        read = self.analysed()
        ranked, _ = pool(self.query.lexical(), IndexStats(0, 0.0), [], read)
        chosen = {candidate.passage.id for candidate in ranked[:BEST_PASSAGES]}
        best = [x for x in read if x[0].id in chosen]
        return follow_ups(self.query, best, read, FOLLOW_UPS)

    def analysed(self) -> tuple[Analysed, ...]:
        """Every passage read so far with its terms; the terms of each are found once."""
        terms = analysis.terms
        for place in self._located[len(self._analysed) :]:
            passage = retrieval.indexed(place)
            self._analysed.append((passage, terms(passage.indexed_text, passage.language)))
        return tuple(self._analysed)

    def web_pages(self) -> WebPages:
        return WebPages(
            tuple(self._reports),
            tuple(self._pages),
            self._outcomes,
            tuple(self._located),
            self.analysed(),
        )


def _same(a: WebPage, b: WebPage) -> bool:
    if a.snapshot.content_hash == b.snapshot.content_hash:
        return True
    if not (a.simhash and b.simhash):
        return False
    return distance(a.simhash, b.simhash) <= NEAR_DUPLICATE_BITS


# Never twice in a process, so that whatever remembers something by passage id may do so; growing,
# since ties go to the smaller id; and within the 32 bits of the index's own.
_IDS = count(-(2**31))


def _located(page: WebPage) -> list[LocatedPassage]:
    return [
        LocatedPassage(
            id=next(_IDS),
            corpus_id=UNINDEXED,
            source_id=page.snapshot.id,
            snapshot_id=page.snapshot.id,
            start_at=start,
            end_at=end,
            headings=headings,
            text=page.snapshot.text[start:end],
            url=page.snapshot.url,
            title=page.snapshot.title,
            language=language or page.snapshot.language,
            outdated=page.snapshot.facts.get("outdated", False),
            published_at=page.snapshot.published_at,
            fetched_at=page.snapshot.fetched_at,
        )
        for start, end, headings, language in page.copy.spans
    ]
