"""The findings of `doctor` on search by meaning: its model, and how much it knows."""

from collections.abc import Iterator

from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.library.passages import vectors
from app.engine.semantic.embedder import Embedder
from app.engine.semantic.embedder_choice import Choice
from app.engine.semantic.inference import InferenceFailed
from app.local.doctor.findings import Finding

PATIENCE_SECONDS = 5.0
FEW = 0.5
HOW_TO = "docs/how-to/add-semantic-search.md"


def examine(settings: Settings, choice: Choice) -> Finding:
    """The model, and that it answers."""
    what = choice.why[0].upper() + choice.why[1:]
    if choice.broken:
        return Finding("fail", f"Embeddings: {choice.why}", f"Search uses words only: {HOW_TO}")
    if choice.embedder is None:
        wanted = settings.embeddings_packaged
        return Finding("warn", what, f"make models, or {HOW_TO}") if wanted else Finding("ok", what)
    try:
        choice.embedder.embed(["Test question"], seconds=PATIENCE_SECONDS)
    except InferenceFailed as failed:
        return Finding("fail", f"Embeddings failed: {failed}", "Check EMBEDDINGS_URL and its key.")
    return Finding("ok", f"{what}{_languages(choice.embedder)}")


def examine_index(reader: Reader, embedder: Embedder | None) -> Iterator[Finding]:
    """Counts the passages that have a vector of the model, and those that never will."""
    if embedder is None:
        return
    coverage = vectors.coverage(reader, embedder)
    if others := coverage.passages - coverage.understood:
        what = f"{others} passages in other or unknown languages are searchable by words only"
        yield Finding("ok", what)
    what = f"{coverage.embedded} of {coverage.understood} passages have vectors"
    if coverage.embedded < FEW * coverage.understood:
        yield Finding("warn", what, "Workers of the queue `corpora` embed the rest.")
    else:
        yield Finding("ok", what)


def _languages(embedder: Embedder) -> str:
    if embedder.languages is None:
        return ""
    return f", for questions and pages in: {', '.join(sorted(embedder.languages))}"
