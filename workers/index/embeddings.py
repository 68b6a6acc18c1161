"""Vectors for indexed passages, later, behind other work."""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import cache
from uuid import UUID

from app.core import db, log
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.errors import AppError
from app.domains.library.documents import corpus_store
from app.domains.library.passages import retrieval, vector_store, vectors
from app.domains.library.passages.service import EMBED
from app.domains.queue.jobs.service import Finish, others_wait
from app.engine.search.interface import IndexedPassage
from app.engine.semantic.embedder import Embedder, Vectors
from app.engine.semantic.embedder_choice import choose
from app.engine.semantic.inference import InferenceFailed
from workers.queue.attempt import Attempt, handles
from workers.queue.shared import share

logger = log.get(__name__)

JOB_SECONDS = 20.0  # of one job, while nothing else of its queue waits
_ASIDE_SECONDS = (
    5.0  # for what waits: others get most of the queue, and vectors are filled in still
)
_NICE = 5
_EMBED_SECONDS = 60.0  # for one call that nobody waits for
_BATCHES_PER_STEP = 8  # texts of like length go together: the more there are, the liker


class EmbeddingUnavailable(AppError):
    """The embedding model does not answer."""

    code, status, retryable = "embedding_unavailable", 502, True


@share("searches", "corpora")
@cache
def embedders_of(settings: Settings) -> tuple[Embedder, ...]:
    """The embedders of this process, or of the one that forked it."""
    choice = choose(settings)
    logger.info("embedders chosen", why=choice.why)
    return choice.embedders


def promise(tx: Tx, settings: Settings) -> None:
    """Passages were added: have them embedded, if anything embeds."""
    if embedders_of(settings):
        vectors.promise(tx)


@handles(EMBED)
def embed(attempt: Attempt) -> Finish:
    """Embed for some seconds what lacks a vector, newest first; the rest behind other work.

    What somebody has just uploaded is read in the same queue: where any of it waits, the job ends
    after one step, and goes on some seconds later.
    """
    embedders = embedders_of(attempt.settings)
    if not embedders:
        return lambda tx: None
    sweep, embedded = vectors.Sweep.of(attempt.payload), 0
    until = time.monotonic() + JOB_SECONDS
    attempt.stage("embedding", 0, embedded=embedded)
    sweep, waited_for = _with_newer(sweep), False
    while sweep.spans and not waited_for and time.monotonic() < until:
        below, lacking = _lacking(embedders, *sweep.spans[0])
        for embedder, ids in lacking:
            embedded += _fill(attempt, embedder, ids)
            attempt.report("embedding", 50, embedded=embedded)
        sweep = sweep.past(below)
        if not sweep.spans:
            sweep = _with_newer(sweep)
        with db.reading() as reader:
            waited_for = others_wait(reader, EMBED)
    if sweep.spans:
        run_at = attempt.now + timedelta(seconds=_ASIDE_SECONDS) if waited_for else None
        return lambda tx: vectors.promise(tx, sweep, run_at=run_at)
    attempt.drain(lambda tx: vectors.forget_others(tx, embedders))
    return lambda tx: None


def _lacking(
    embedders: Sequence[Embedder], above: int, upto: int
) -> tuple[int | None, list[tuple[Embedder, list[int]]]]:
    """For each embedder the highest passages without its vector, as many as a step takes.

    And the id down to which none is left out; None: to the end of the span.
    """
    reached, lacking = above, []
    with db.reading() as reader:
        for embedder in embedders:
            most = _BATCHES_PER_STEP * embedder.batch
            ids = vectors.missing(reader, embedder, above, upto, most)
            if len(ids) == most:
                reached = max(reached, ids[-1])
            lacking.append((embedder, ids))
    within = [(embedder, [id for id in ids if id >= reached]) for embedder, ids in lacking]
    some = [(embedder, ids) for embedder, ids in within if ids]
    return (reached if reached > above else None), some


def _with_newer(sweep: vectors.Sweep) -> vectors.Sweep:
    with db.reading() as reader:
        return sweep.extended(vector_store.newest(reader))


def _fill(attempt: Attempt, embedder: Embedder, ids: Sequence[int]) -> int:
    with db.reading() as reader:
        indexed = retrieval.passages(reader, ids)
    began = time.process_time()
    try:
        known = _thread().submit(_embedded, embedder, indexed).result()
    except InferenceFailed as failed:
        raise EmbeddingUnavailable(why=str(failed)) from failed
    with attempt.step() as tx:
        # Corpora are locked before their passages, here as where documents are read and deleted.
        corpus_store.count_embedding(tx, _shares(indexed, time.process_time() - began))
        for some, given in known:
            vectors.keep(tx, embedder, some, given)
    return sum(len(some) for some, _ in known)


def _shares(indexed: Sequence[IndexedPassage], seconds: float) -> dict[UUID, float]:
    """The part of each corpus in what embedding took, by the lengths of its texts."""
    lengths: Counter[UUID] = Counter()
    for passage in indexed:
        lengths[UUID(passage.corpus)] += len(passage.indexed_text)
    total = lengths.total() or 1
    return {corpus: seconds * length / total for corpus, length in lengths.items()}


def _embedded(
    embedder: Embedder, indexed: Sequence[IndexedPassage]
) -> list[tuple[Sequence[IndexedPassage], Vectors]]:
    """Passages with their vectors. One that is refused spoils only its own."""
    texts = [passage.indexed_text for passage in indexed]
    try:
        return [(indexed, embedder.embed(texts, seconds=_EMBED_SECONDS))]
    except InferenceFailed as failed:
        if failed.retryable:
            raise
        if len(indexed) <= 1:
            return []
    middle = len(indexed) // 2
    return [*_embedded(embedder, indexed[:middle]), *_embedded(embedder, indexed[middle:])]


@cache
def _thread() -> ThreadPoolExecutor:
    """One thread that gets the processor when nothing else wants it."""
    return ThreadPoolExecutor(1, "embedding", initializer=_step_back)


def _step_back() -> None:
    if sys.platform == "linux":  # elsewhere this would be about the whole process, or about none
        thread = threading.get_native_id()
        ours = os.getpriority(os.PRIO_PROCESS, thread)  # nobody but root may take a step forward
        os.setpriority(os.PRIO_PROCESS, thread, ours + _NICE)
