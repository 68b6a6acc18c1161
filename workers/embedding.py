"""Vectors for indexed passages, later, behind other work."""

import time
from collections.abc import Sequence
from functools import cache

from app.core import db, log
from app.core.config import Settings
from app.core.db import Tx
from app.core.errors import AppError
from app.domains.jobs import service as jobs
from app.domains.passages import service as passages
from app.domains.passages import vectors
from app.engine.retrieval.interface import IndexedPassage
from app.engine.semantic.choosing import choose
from app.engine.semantic.embedder import Embedder, EmbeddingFailed, Vectors
from workers.queue.attempt import Attempt, handles

logger = log.get(__name__)

JOB_SECONDS = 20.0  # then other work of the queue gets its turn
_EMBED_SECONDS = 60.0  # for one call that nobody waits for
_BATCHES_PER_STEP = 4


class EmbeddingUnavailable(AppError):
    """The embedding model does not answer."""

    code, status, retryable = "embedding_unavailable", 502, True


@cache
def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder of this process; loaded when it is first needed."""
    choice = choose(settings)
    logger.info("embedder chosen", why=choice.why)
    return choice.embedder


def promise(tx: Tx, settings: Settings) -> None:
    """Passages were added: have them embedded, if anything embeds."""
    if embedder_of(settings) is not None:
        vectors.promise(tx)


@handles(vectors.EMBED)
def embed(attempt: Attempt) -> jobs.Finish:
    """Embed for some seconds what lacks a vector, then enqueue the rest behind other work."""
    embedder = embedder_of(attempt.settings)
    if embedder is None:
        return lambda tx: None
    after, embedded, until = int(attempt.payload["after"]), 0, time.monotonic() + JOB_SECONDS
    attempt.stage("embedding", 0, embedded=embedded)
    while time.monotonic() < until:
        with db.reading() as reader:
            ids = vectors.missing(reader, embedder, after, _BATCHES_PER_STEP * embedder.batch)
        if not ids:
            _forget_others(attempt, embedder)
            return lambda tx: None
        embedded += _fill(attempt, embedder, ids)
        after = ids[-1]
        attempt.report("embedding", 50, embedded=embedded)
    return lambda tx: vectors.promise(tx, after)


def _fill(attempt: Attempt, embedder: Embedder, ids: Sequence[int]) -> int:
    with db.reading() as reader:
        found = passages.passages(reader, ids)
    try:
        known = _embedded(embedder, found)
    except EmbeddingFailed as failed:
        raise EmbeddingUnavailable(why=str(failed)) from failed
    with attempt.step() as tx:
        for some, given in known:
            vectors.keep(tx, embedder, some, given)
    return sum(len(some) for some, _ in known)


def _embedded(
    embedder: Embedder, found: Sequence[IndexedPassage]
) -> list[tuple[Sequence[IndexedPassage], Vectors]]:
    """Passages with their vectors. One that is refused spoils only its own."""
    texts = [passage.indexed_text for passage in found]
    try:
        return [(found, embedder.embed(texts, seconds=_EMBED_SECONDS))]
    except EmbeddingFailed as failed:
        if failed.retryable:
            raise
        if len(found) <= 1:
            return []
    middle = len(found) // 2
    return [*_embedded(embedder, found[:middle]), *_embedded(embedder, found[middle:])]


def _forget_others(attempt: Attempt, embedder: Embedder) -> None:
    while True:
        with attempt.step() as tx:
            if not vectors.forget_others(tx, embedder):
                return
