"""The best passages of a search, put in order by a model that reads them beside the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from app.core import log
from app.core.config.settings import Settings
from app.engine.search.query import Query
from app.engine.search.rank import RankedPassage
from app.engine.search.rerank import reordered
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.reranker import Reranker
from app.engine.semantic.reranker_choice import choose_reranker
from workers.queue.shared import share

logger = log.get(__name__)

UNAVAILABLE = (
    "reranking_unavailable: the reranker does not answer, so passages keep the order that they "
    "have without it."
)


@dataclass(frozen=True, slots=True)
class RerankedPassages:
    """Passages in their order, and warnings for the reader."""

    ranked: list[RankedPassage]
    warnings: list[str]


@share("searches")
@cache
def reranker_of(settings: Settings) -> Reranker | None:
    """The reranker of this process, or of the one that forked it."""
    choice = choose_reranker(settings)
    logger.info("reranker chosen", why=choice.why)
    return choice.reranker


def rerank(settings: Settings, query: Query, ranked: Sequence[RankedPassage]) -> RerankedPassages:
    """Let the reranker order the `rerank_candidates` best; the others stay behind them.

    Without one the passages stay as they are, at no cost. Holds no transaction.
    """
    reranker = reranker_of(settings)
    if reranker is None or len(ranked) < 2:
        return RerankedPassages(list(ranked), [])
    best, others = ranked[: settings.rerank_candidates], ranked[settings.rerank_candidates :]
    texts = [x.passage.indexed_text for x in best]
    try:
        scores = reranker.scores(query.text, texts, seconds=settings.rerank_timeout_seconds)
    except InferenceFailed as failed:
        logger.warning("not reranked", why=str(failed))
        return RerankedPassages(list(ranked), [UNAVAILABLE])
    return RerankedPassages([*reordered(best, scores), *others], [])
