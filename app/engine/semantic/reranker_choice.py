"""The choice of a process's reranker: the operator's endpoint or folder, else none."""

from dataclasses import dataclass
from pathlib import Path

from app.core import log
from app.core.breaker import FAIR_SHARE
from app.core.config.settings import Settings
from app.engine.semantic.onnx_reranker import OnnxReranker
from app.engine.semantic.onnx_session import ModelUnusable
from app.engine.semantic.rerank_endpoint import RerankEndpoint
from app.engine.semantic.reranker import Reranker

logger = log.get(__name__)


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """`reranker` None: passages keep their order. `why` says in a clause what was chosen."""

    reranker: Reranker | None
    why: str
    broken: bool = False


def choose_reranker(settings: Settings) -> RerankerChoice:
    """Read once per process: it remembers connections and failures, or holds a model."""
    if settings.rerank_url:
        endpoint = RerankEndpoint(
            settings.rerank_url,
            settings.rerank_model,
            settings.rerank_api_key,
            FAIR_SHARE * settings.rerank_timeout_seconds,
        )
        return RerankerChoice(endpoint, f"reranking by {endpoint.name}")
    if settings.rerank_dir:
        return _from_folder(Path(settings.rerank_dir))
    return RerankerChoice(None, "no reranker: passages keep the order of words and meaning")


def _from_folder(folder: Path) -> RerankerChoice:
    try:
        model = OnnxReranker(folder)
    except (ModelUnusable, OSError) as error:
        why = f"the model of RERANK_DIR cannot be used: {error}"
        logger.warning("reranker refused", why=why)
        return RerankerChoice(None, why, broken=True)
    return RerankerChoice(model, f"reranking by {model.name} in {folder}")
