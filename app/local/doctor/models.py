"""The findings of `doctor` on models: of search by meaning, and the reranker."""

from collections.abc import Iterator, Sequence

from app.core.amounts import counted
from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.library.passages import vectors
from app.engine.semantic.embedder import Embedder
from app.engine.semantic.embedder_choice import Choice
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.reranker_choice import choose_reranker
from app.local.doctor.findings import Finding

PATIENCE_SECONDS = 5.0
FEW = 0.5
MANY_LANGUAGES = 20
HOW_TO = "docs/how-to/add-semantic-search.md"
QUESTION = "How many eggs does a barn owl lay?"
RERANKER = (
    "Check RERANK_URL, its key and RERANK_MODEL (Text Embeddings Inference takes none); where it is"
    " slow, lower RERANK_CANDIDATES."
)
# About as long as passages are.
TEXT = "The barn owl lays four to seven eggs, and hunts mice over meadows by its hearing. " * 8


def examine_embeddings(settings: Settings, choice: Choice) -> Finding:
    what = choice.why[0].upper() + choice.why[1:]
    if choice.broken:
        return Finding("fail", f"Embeddings: {choice.why}", f"Search uses words only: {HOW_TO}")
    if not choice.embedders:
        wanted = settings.embeddings_packaged
        return Finding("warn", what, f"make models, or {HOW_TO}") if wanted else Finding("ok", what)
    try:
        for embedder in choice.embedders:
            embedder.embed_question("Test question", seconds=PATIENCE_SECONDS)
    except InferenceFailed as failed:
        return Finding("fail", f"Embeddings failed: {failed}", "Check EMBEDDINGS_URL and its key.")
    return Finding("ok", f"{what}{_languages(choice.embedders)}")


def examine_vectors(reader: Reader, embedders: Sequence[Embedder]) -> Iterator[Finding]:
    if not embedders:
        return
    coverage = vectors.coverage(reader, embedders)
    if others := coverage.passages - coverage.understood:
        what = f"{counted(others, 'passage')} in other or unknown languages: found by words only"
        yield Finding("ok", what)
    what = f"{coverage.embedded} of {coverage.understood} passages have vectors"
    if coverage.embedded < FEW * coverage.understood:
        yield Finding("warn", what, "Workers of the queue `corpora` embed the rest.")
    else:
        yield Finding("ok", what)


def _languages(embedders: Sequence[Embedder]) -> str:
    """The languages that they are for; nothing when it is not for us to say."""
    known = {code for embedder in embedders for code in embedder.languages or ()}
    if len(known) > MANY_LANGUAGES:
        return f", for questions and pages in {len(known)} languages"
    return f", for questions and pages in: {', '.join(sorted(known))}" if known else ""


def examine_reranker(settings: Settings) -> Iterator[Finding]:
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
        yield Finding("fail", f"Reranking failed: {failed}", RERANKER)
        return
    yield Finding("ok", f"{choice.why[0].upper()}{choice.why[1:]}")
