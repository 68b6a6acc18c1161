"""Vectors for what a new user asks first, before he does."""

import time
from collections.abc import Callable, Sequence

from app.core import db
from app.domains.library.passages import retrieval, vector_store, vectors
from app.domains.library.passages.index.retriever import PostgresRetriever
from app.domains.library.passages.vectors import Coverage
from app.engine.search.query import parse
from app.engine.semantic.embedder import Embedder

SECONDS = 10.0
# More are hardly begun in that time; then nobody waits, and the worker goes through them by itself.
MOST_MISSING = 3_000
POLL_SECONDS = 0.2
CANDIDATES = 64  # of the first question: where the time is short, these have their vectors


def fill(embedder: Embedder, question: str, notify: Callable[[Coverage], None]) -> Coverage:
    """Wait until passages have their vectors, SECONDS at most, and do half of them here.

    First those that may answer `question`, however many others there are. The worker that was
    promised the others begins with the newest: these are the oldest. `notify` hears how far it is.
    Raises InferenceFailed.
    """
    until = time.monotonic() + SECONDS
    coverage = _coverage(embedder)
    candidates = _candidates(question) if coverage.missing else []
    while candidates and time.monotonic() < until:
        notify(_coverage(embedder))
        _embed(embedder, candidates[: embedder.batch])
        del candidates[: embedder.batch]
    coverage = _coverage(embedder)
    if coverage.missing > MOST_MISSING:
        return coverage
    upto = _middle(embedder, coverage)
    while coverage.missing and time.monotonic() < until:
        notify(coverage)
        upto = _some(embedder, upto)
        if not upto:
            time.sleep(POLL_SECONDS)
        coverage = _coverage(embedder)
    return coverage


def _candidates(question: str) -> list[int]:
    retriever = PostgresRetriever(db.reading)
    query = parse(question)
    hits, _ = retrieval.find(retriever, db.reading, query, CANDIDATES)
    return [hit.passage_id for hit in hits]


def _coverage(embedder: Embedder) -> Coverage:
    with db.reading() as reader:
        return vectors.coverage(reader, [embedder])


def _middle(embedder: Embedder, coverage: Coverage) -> int:
    """The id of the passage that half of those without a vector are not above."""
    with db.reading() as reader:
        newest = vector_store.newest(reader)
        ids = vectors.missing(reader, embedder, 0, newest, coverage.missing)
    return ids[len(ids) // 2] if ids else 0


def _some(embedder: Embedder, upto: int) -> int:
    """Embed the highest of the passages up to an id; up to which the others are, 0 for none."""
    with db.reading() as reader:
        ids = vectors.missing(reader, embedder, 0, upto, embedder.batch)
    if not ids:
        return 0
    _embed(embedder, ids)
    return ids[-1] - 1


def _embed(embedder: Embedder, ids: Sequence[int]) -> None:
    with db.reading() as reader:
        indexed = retrieval.passages(reader, ids)
    if not indexed:
        return
    texts = [passage.indexed_text for passage in indexed]
    given = embedder.embed(texts, seconds=SECONDS)
    with db.transaction() as tx:
        vectors.keep(tx, embedder, indexed, given)
