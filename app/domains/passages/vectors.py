"""Passages as vectors of meaning: keeping them, finding those without one, and filling in.

Every function takes the embedder whose vectors it is about; vectors of others are not seen.
"""

from collections.abc import Mapping, Sequence

from app.core.db import Reader, Tx
from app.domains.jobs import service as jobs
from app.domains.passages import vector_store
from app.engine.retrieval.interface import IndexedPassage
from app.engine.semantic.embedder import Embedder, Vectors
from app.engine.semantic.packing import pack, unpack

EMBED = jobs.register(
    jobs.Kind(
        name="passages.embed",
        queue="corpora",
        deadline_seconds=600,
        priority=90,  # after any refresh that waits
        backoff_seconds=5,
    )
)
_FORGOTTEN_PER_STEP = 10_000


def promise(tx: Tx, after: int = 0) -> None:
    """Have the passages above `after` embedded that miss a vector; one such job at a time."""
    jobs.enqueue(tx, EMBED, jobs.OPERATOR, {"after": after}, unique_key="all")


def missing(reader: Reader, embedder: Embedder, after: int, most: int) -> list[int]:
    """Ids of indexed passages above `after`, ascending, that the embedder could give a vector."""
    model = vector_store.model(reader, embedder.name, embedder.dimensions)
    languages = None if embedder.languages is None else sorted(embedder.languages)
    return vector_store.missing(reader, model or 0, after, languages, most)


def keep(tx: Tx, embedder: Embedder, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
    """Keep one vector for each passage; those that are gone, or were never stored, are left out.

    Done twice, it is done once.
    """
    model = vector_store.add_model(tx, embedder.name, embedder.dimensions)
    vector_store.keep(tx, model, [passage.id for passage in passages], pack(vectors))


def of(reader: Reader, embedder: Embedder, ids: Sequence[int]) -> Mapping[int, Vectors]:
    """The vectors of length 1 that are kept for passages; those without one are left out."""
    rows = vector_store.of(reader, embedder.name, embedder.dimensions, list(ids))
    vectors = unpack([packed for _, packed in rows], embedder.dimensions)
    return {id: vector for (id, _), vector in zip(rows, vectors, strict=True)}


def forget_others(tx: Tx, embedder: Embedder) -> int:
    """Delete some vectors of former models; how many. Call until there are none."""
    model = vector_store.model(tx, embedder.name, embedder.dimensions)
    return vector_store.forget_others(tx, model, _FORGOTTEN_PER_STEP) if model else 0
