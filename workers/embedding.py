"""Meaning beside words: vectors for indexed passages, later, and cosines for a search, now."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from app.core import db, log
from app.core.config import Settings
from app.core.db import Tx
from app.core.errors import AppError
from app.domains.jobs import service as jobs
from app.domains.passages import service as passages
from app.domains.passages import vectors
from app.engine.retrieval.interface import IndexedPassage
from app.engine.retrieval.query import Query
from app.engine.retrieval.rank import Candidate
from app.engine.semantic.choosing import choose
from app.engine.semantic.embedder import Embedder, EmbeddingFailed, Vectors, understands
from app.engine.text.analysis import primary_language
from workers.running import Running, handles

logger = log.get(__name__)

UNAVAILABLE = (
    "semantic_unavailable: the embedding model does not answer, so passages are ordered by their "
    "words, and by meaning only where that was known before."
)
JOB_SECONDS = 20.0  # then other work of the queue has its turn
_EMBED_SECONDS = 60.0  # for one call that nobody waits for
_BATCHES_PER_STEP = 4


class EmbeddingUnavailable(AppError):
    """The embedding model does not answer."""

    code, status, retryable = "embedding_unavailable", 502, True


@cache
def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder of this process; loaded when it is first asked for."""
    choice = choose(settings)
    logger.info("embedder chosen", why=choice.why)
    return choice.embedder


def promise(tx: Tx, settings: Settings) -> None:
    """Passages were added: have them embedded, if anything embeds."""
    if embedder_of(settings) is not None:
        vectors.promise(tx)


@handles(vectors.EMBED)
def embed(running: Running) -> jobs.Finish:
    """Embed for some seconds what misses a vector, then promise to go on behind other work."""
    embedder = embedder_of(running.settings)
    if embedder is None:
        return lambda tx: None
    after, embedded, until = int(running.payload["after"]), 0, time.monotonic() + JOB_SECONDS
    running.stage("embedding", 0, embedded=embedded)
    while time.monotonic() < until:
        with db.reading() as tx:
            ids = vectors.missing(tx, embedder, after, _BATCHES_PER_STEP * embedder.batch)
        if not ids:
            _forget_others(running, embedder)
            return lambda tx: None
        embedded += _fill(running, embedder, ids)
        after = ids[-1]
        running.report("embedding", 50, embedded=embedded)
    return lambda tx: vectors.promise(tx, after)


def _fill(running: Running, embedder: Embedder, ids: Sequence[int]) -> int:
    with db.reading() as tx:
        found = passages.passages(tx, ids)
    try:
        known = _embedded(embedder, found)
    except EmbeddingFailed as failed:
        raise EmbeddingUnavailable(why=str(failed)) from failed
    with running.step() as tx:
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


def _forget_others(running: Running, embedder: Embedder) -> None:
    while True:
        with running.step() as tx:
            if not vectors.forget_others(tx, embedder):
                return


@dataclass(frozen=True, slots=True)
class Weighed:
    """Candidates with their cosines where there are any, and what a reader must be told."""

    candidates: list[Candidate]
    warnings: list[str]


def weigh(settings: Settings, query: Query, candidates: Sequence[Candidate]) -> Weighed:
    """Give each candidate the cosine of its passage and the query.

    Only where the model understands the language of both. Those that miss a vector get one while
    `embeddings_search_seconds` last, best first; the rest is promised. Holds no transaction while
    it embeds. Without an embedder the candidates stay as they are, at no cost.
    """
    embedder = embedder_of(settings)
    fitting = [x.passage for x in candidates if embedder and _fits(embedder, query, x.passage)]
    if embedder is None or not fitting:
        return Weighed(list(candidates), [])
    waiting = settings.embeddings_timeout_seconds
    try:
        asked = embedder.embed([query.text], seconds=waiting)[0]
    except EmbeddingFailed as failed:
        logger.warning("query not embedded", why=str(failed))
        return Weighed(list(candidates), [UNAVAILABLE])
    with db.reading() as tx:
        known = dict(vectors.of(tx, embedder, [passage.id for passage in fitting]))
    warnings = []
    lacking = [passage for passage in fitting if passage.id not in known]
    if lacking:
        try:
            _embed_now(settings, embedder, lacking, known)
        except EmbeddingFailed as failed:
            logger.warning("passages not embedded", why=str(failed))
            warnings = [UNAVAILABLE]
    cosines = {id: float(asked @ vector) for id, vector in known.items()}
    weighed = [replace(x, cosine=cosines.get(x.passage.id)) for x in candidates]
    return Weighed(weighed, warnings)


def _fits(embedder: Embedder, query: Query, passage: IndexedPassage) -> bool:
    return understands(embedder, query.language) and understands(
        embedder, primary_language(passage.language) or None
    )


def _embed_now(
    settings: Settings,
    embedder: Embedder,
    lacking: list[IndexedPassage],
    known: dict[int, Vectors],
) -> None:
    """Add to `known` what can be embedded in time, keep it for the next search, promise the rest.

    Raises EmbeddingFailed; what came before it is kept.
    """
    done: list[IndexedPassage] = []
    until = time.monotonic() + settings.embeddings_search_seconds
    try:
        while len(done) < len(lacking) and time.monotonic() < until:
            some = lacking[len(done) : len(done) + embedder.at_once]
            texts = [passage.indexed_text for passage in some]
            given = embedder.embed(texts, seconds=settings.embeddings_timeout_seconds)
            known.update(zip((passage.id for passage in some), given, strict=True))
            done += some
    finally:
        _keep(embedder, done, lacking[len(done) :], known)


def _keep(
    embedder: Embedder,
    done: Sequence[IndexedPassage],
    later: Sequence[IndexedPassage],
    known: dict[int, Vectors],
) -> None:
    """Nothing is kept of pages of the web, whose passages have ids below zero."""
    stored = [passage for passage in done if passage.id > 0]
    promising = any(passage.id > 0 for passage in later)
    if not stored and not promising:
        return
    with db.transaction() as tx:
        if stored:
            rows: Vectors = np.stack([known[passage.id] for passage in stored])
            vectors.keep(tx, embedder, stored, rows)
        if promising:
            vectors.promise(tx)
