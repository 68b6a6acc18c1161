"""The findings of `doctor` on the reranker: whether it does in time what a search asks of it."""

from collections.abc import Iterator

from app.core.config.settings import Settings
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.reranker_choice import choose_reranker
from app.local.doctor.findings import Finding

QUESTION = "How many eggs does a barn owl lay?"
HINT = (
    "Check RERANK_URL, its key and RERANK_MODEL (Text Embeddings Inference takes none); where it is"
    " slow, lower RERANK_CANDIDATES."
)
# About as long as passages are.
TEXT = "The barn owl lays four to seven eggs, and hunts mice over meadows by its hearing. " * 8


def examine(settings: Settings) -> Iterator[Finding]:
    """Nothing for a server that has none."""
    choice = choose_reranker(settings)
    if choice.broken:
        yield Finding("fail", f"Reranker: {choice.why}", "Passages keep their original order.")
    if choice.reranker is None:
        return
    texts = [f"{number}. {TEXT}" for number in range(settings.rerank_candidates)]
    try:
        choice.reranker.scores(QUESTION, texts, seconds=settings.rerank_timeout_seconds)
    except InferenceFailed as failed:
        yield Finding("fail", f"Reranking failed: {failed}", HINT)
        return
    yield Finding("ok", f"{choice.why[0].upper()}{choice.why[1:]}")
