"""Which reranker a process has: the operator's endpoint, else none."""

from dataclasses import dataclass

from app.core.breaker import FAIR_SHARE
from app.core.config import Settings
from app.engine.semantic.rerank_endpoint import RerankEndpoint
from app.engine.semantic.reranker import Reranker


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """`reranker` None: passages keep their order. `why` says in a clause what was chosen."""

    reranker: Reranker | None
    why: str
    broken: bool = False


def choose_reranker(settings: Settings) -> RerankerChoice:
    """Read once per process: it remembers connections and failures."""
    if settings.rerank_url:
        endpoint = RerankEndpoint(
            settings.rerank_url,
            settings.rerank_model,
            settings.rerank_api_key,
            FAIR_SHARE * settings.rerank_timeout_seconds,
        )
        return RerankerChoice(endpoint, f"reranking by {endpoint.name}")
    return RerankerChoice(None, "no reranker: passages keep the order of words and meaning")
