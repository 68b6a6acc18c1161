"""Meaning beside words: cosines of the candidates of a search."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.core import db, log
from app.core.config.settings import Settings
from app.domains.library.passages import vectors
from app.engine.search.interface import IndexedPassage
from app.engine.search.query import Query
from app.engine.search.rank import PassageCandidate, RankedPassage
from app.engine.semantic.embedder import (
    Embedder,
    Scale,
    Vectors,
    embedder_for,
    scale_of,
    understands,
)
from app.engine.semantic.inference import InferenceFailed
from app.engine.text.scripts import primary_language
from workers.index.embeddings import embedders_of

logger = log.get(__name__)

UNAVAILABLE = (
    "semantic_unavailable: the embedding model does not answer, so passages are ordered by their "
    "words, and by meaning only where that was known before."
)
FEW_EMBEDDED = (
    "embedding_under_way: most passages that fit have no vector yet, so they are ordered mostly by "
    "their words."
)
FEW = 0.5

Ranking = Callable[[Sequence[PassageCandidate]], Sequence[RankedPassage]]


@dataclass(frozen=True, slots=True)
class SimilarCandidates:
    """Candidates with their cosines where there are any, and warnings for the reader.

    `embedded` is the share with a cosine among those in a language of the model; None: nothing
    could be compared. `scale` is that of the cosines, where it is known.
    """

    candidates: list[PassageCandidate]
    warnings: list[str]
    embedded: float | None = None
    scale: Scale | None = None


def compare(
    settings: Settings, query: Query, candidates: Sequence[PassageCandidate], rank: Ranking
) -> SimilarCandidates:
    """Give each candidate the cosine of its passage and the query.

    Only where the model understands the language of both. Those that miss a vector get one while
    `embeddings_search_seconds` last, first those that `rank` puts first by what is known: what is
    read for an answer. The rest is enqueued. Holds no transaction while it embeds. Without an
    embedder the candidates stay as they are, at no cost.
    """
    embedder = embedder_for(embedders_of(settings), query.language)
    fitting = [x.passage for x in candidates if embedder and _fits(embedder, x.passage)]
    if embedder is None or not fitting:
        return SimilarCandidates(list(candidates), [])
    waiting = settings.embeddings_timeout_seconds
    try:
        embedded_query = embedder.embed_question(query.text, seconds=waiting)
    except InferenceFailed as failed:
        logger.warning("query not embedded", why=str(failed))
        return SimilarCandidates(list(candidates), [UNAVAILABLE], 0.0)
    with db.reading() as reader:
        known = dict(vectors.of(reader, embedder, [passage.id for passage in fitting]))
    warnings: list[str] = []
    if len(known) < len(fitting):
        best = [x.passage for x in rank(_with_cosines(candidates, embedded_query, known))]
        places = {passage.id: place for place, passage in enumerate(best)}
        lacking = [passage for passage in fitting if passage.id not in known]
        lacking.sort(key=lambda passage: places.get(passage.id, len(places)))
        try:
            _embed_now(settings, embedder, lacking, known)
        except InferenceFailed as failed:
            logger.warning("passages not embedded", why=str(failed))
            warnings = [UNAVAILABLE]
    embedded = sum(passage.id in known for passage in fitting) / len(fitting)
    if embedded < FEW and not warnings:
        warnings = [FEW_EMBEDDED]
    return SimilarCandidates(
        _with_cosines(candidates, embedded_query, known), warnings, embedded, scale_of(embedder)
    )


def _with_cosines(
    candidates: Sequence[PassageCandidate], embedded_query: Vectors, known: Mapping[int, Vectors]
) -> list[PassageCandidate]:
    cosines = {id: float(embedded_query @ vector) for id, vector in known.items()}
    return [PassageCandidate(x.passage, x.lexical, cosines.get(x.passage.id)) for x in candidates]


def _fits(embedder: Embedder, passage: IndexedPassage) -> bool:
    return understands(embedder, primary_language(passage.language) or None)


def _embed_now(
    settings: Settings,
    embedder: Embedder,
    lacking: list[IndexedPassage],
    known: dict[int, Vectors],
) -> None:
    """Add to `known` what can be embedded in time, keep it for the next search, enqueue the rest.

    Raises InferenceFailed; what came before it is kept.
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
    unfinished = any(passage.id > 0 for passage in later)
    if not stored and not unfinished:
        return
    with db.transaction() as tx:
        if stored:
            rows: Vectors = np.stack([known[passage.id] for passage in stored])
            vectors.keep(tx, embedder, stored, rows)
        if unfinished:
            vectors.promise(tx)
