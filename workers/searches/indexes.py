"""The choice of the index for the candidates of a search: that at INDEX_URL while it can, else
Postgres.

Postgres holds the whole index either way, so what it answers instead is complete.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final
from uuid import UUID

from app.core import db, log, metrics
from app.core.breaker import Breaker
from app.core.config.settings import Settings
from app.domains.library.passages import change_store, retrieval
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.engine.search import remote_server
from app.engine.search.interface import Filter, Hit, IndexStats, Retriever
from app.engine.search.query import Query
from app.engine.search.remote import IndexFailed

logger = log.get(__name__)

RETRIEVER = PostgresRetriever(db.reading)

AWAY: Final = "index_away: the search index does not answer; the database answered in its place."
BEHIND: Final = (
    "index_behind: the search index has not heard of recent changes; pages that were read or "
    "removed lately may be missing."
)
_MOST_FAILURES: Final = 2  # in a row; then nobody waits for it for half a minute


@dataclass(frozen=True, slots=True)
class IndexMatches:
    """Candidates by BM25, the statistics of their scores, and warnings for the reader."""

    hits: list[Hit]
    stats: IndexStats
    warnings: tuple[str, ...] = ()


@cache
def retriever_of(settings: Settings) -> Retriever:
    server = remote_server.opened(settings)
    return RETRIEVER if server is None else server.retriever()


@cache
def _breaker_of(settings: Settings) -> Breaker:
    return Breaker(_MOST_FAILURES, fair_seconds=settings.index_timeout_seconds / 2)


def find_in(
    settings: Settings, query: Query, k: int, where: Filter, account_id: UUID | None
) -> IndexMatches:
    """As `find`, in the operator's index or in the account's, which is in Postgres only."""
    if account_id is None:
        return find(settings, query, k, where)
    found = retrieval.find(RETRIEVER, db.reading, query, k, where, account_id)
    return IndexMatches(*found)


def find(settings: Settings, query: Query, k: int, where: Filter | None = None) -> IndexMatches:
    """As `retrieval.find`, by whichever index can answer.

    An index that was never built, or was left, is not missed: `doctor` says so to the operator.
    """
    retriever = retriever_of(settings)
    behind = None
    if retriever is not RETRIEVER:
        with db.reading() as reader:
            behind = change_store.seconds_behind(reader)
    if behind is None:
        return IndexMatches(*_find(RETRIEVER, query, k, where))
    found = _elsewhere(settings, retriever, query, k, where)
    if found is None:
        metrics.index_fallbacks.inc()
        hits, stats = _find(RETRIEVER, query, k, where)
        return IndexMatches(hits, stats, (AWAY,) if stats.n else ())
    return IndexMatches(*found, (BEHIND,) if behind > settings.index_lag_seconds else ())


def _elsewhere(
    settings: Settings, retriever: Retriever, query: Query, k: int, where: Filter | None
) -> tuple[list[Hit], IndexStats] | None:
    """None when it does not answer, or holds nothing: its alias may be gone."""
    breaker = _breaker_of(settings)
    if not breaker.admits():
        return None
    try:
        hits, stats = _find(retriever, query, k, where)
    except IndexFailed as failed:
        logger.warning("index failed", why=str(failed))
        if failed.reason == "slow":
            breaker.timed_out(settings.index_timeout_seconds)
        else:
            breaker.failed(failed.retry_after)
        return None
    breaker.worked()
    return (hits, stats) if stats.n else None


def _find(
    retriever: Retriever, query: Query, k: int, where: Filter | None
) -> tuple[list[Hit], IndexStats]:
    return retrieval.find(retriever, db.reading, query, k, where)
