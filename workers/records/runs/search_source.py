"""Addresses that a search returns: of the web engines that are configured, and of what is indexed.

Only addresses are taken; the pages themselves are read like those of any other source.
"""

from collections.abc import Callable
from dataclasses import dataclass

from app.core import db
from app.core.config.settings import Settings
from app.domains.library.passages.index import lexical_store
from app.domains.library.passages.index.generation_store import NAMESPACE
from app.domains.library.passages.store import located_passages
from app.domains.records.page_jobs.service import NoEngineConfigured
from app.engine.search.query import Query, parse
from app.engine.web.engines import ask
from app.engine.web.interface import HitLimits
from app.engine.web.results import fused
from workers.searches import indexes
from workers.searches.engines import Engines, engines_of

MOST_RESULTS = 50
_MOST_PASSAGES = 200
_LONGEST_SNIPPET = 300


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that a search returned, with what is known of it before it is read."""

    url: str
    title: str | None = None
    snippet: str | None = None


def addresses(settings: Settings, text: str, most: int, check: Callable[[], None]) -> list[Hit]:
    """At most so many pages, each once, best first. `check` is called while engines are waited for.

    Raises NoEngineConfigured, and what `check` raises.
    """
    with db.reading() as reader:
        languages = lexical_store.languages(reader, NAMESPACE)
    engines = engines_of(settings)
    if engines is None and not languages:
        raise NoEngineConfigured
    query = parse(text, languages)
    hits = [] if engines is None else _on_the_web(settings, engines, query, check)
    if languages:
        hits += _indexed(settings, query)
    once = {hit.url: hit for hit in reversed(hits)}
    return list(dict.fromkeys(once[hit.url] for hit in hits))[: min(most, MOST_RESULTS)]


def _on_the_web(
    settings: Settings, engines: Engines, query: Query, check: Callable[[], None]
) -> list[Hit]:
    reports = ask(
        engines.engines,
        [query.text],
        HitLimits(MOST_RESULTS, None, query.language),
        engines.circuits,
        seconds=settings.web_engine_seconds,
        check=check,
    )
    known = {hit.url: hit for report in reports for hit in report.hits}
    best = [known[result.url] for result in fused(reports)]
    return [Hit(hit.url, hit.title, hit.snippet) for hit in best]


def _indexed(settings: Settings, query: Query) -> list[Hit]:
    """Files of folders have addresses that nobody can fetch: they are left out."""
    hits = indexes.find(settings, query, _MOST_PASSAGES).hits
    with db.reading() as reader:
        located = located_passages(reader, [hit.passage_id for hit in hits])
    return [
        Hit(place.url, place.title, place.text[:_LONGEST_SNIPPET])
        for place in located
        if place.url.startswith(("http://", "https://"))
    ]
