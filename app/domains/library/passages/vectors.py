"""Passages as vectors of meaning: keeping them, finding those without one, and filling in.

Every function takes the embedder whose vectors it is about, or those in use, each for languages of
its own; vectors of others are not seen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from app.core.db import Reader, Tx
from app.domains.library.passages import service, vector_store
from app.domains.queue.jobs.service import OPERATOR, enqueue
from app.engine.search.interface import IndexedPassage
from app.engine.semantic.embedder import Embedder, Vectors
from app.engine.semantic.quantization import pack, unpack

_FORGOTTEN_PER_STEP = 10_000


@dataclass(frozen=True, slots=True)
class Sweep:
    """The passages that are still to be looked at for a vector, so that the newest are first.

    `spans` are ids `(above, upto)`, `above` not among them; `newest` is the highest id ever in one.
    """

    newest: int = 0
    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Self:
        spans = payload.get("spans", [])
        return cls(payload.get("newest", 0), tuple((above, upto) for above, upto in spans))

    def extended(self, newest: int) -> "Sweep":
        """Extends the sweep by what came since then, which is looked at before all else."""
        if newest <= self.newest:
            return self
        return Sweep(newest, ((self.newest, newest), *self.spans))

    def past(self, id: int | None) -> "Sweep":
        """Without the passages of the first span from `id` up; None: without that span."""
        (above, _), *others = self.spans
        left = [] if id is None else [(above, id - 1)]
        return Sweep(self.newest, (*left, *others))

    def as_json(self) -> dict[str, Any]:
        return {"newest": self.newest, "spans": [list(span) for span in self.spans]}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts of passages: indexed, in a language of the model, with its vector."""

    passages: int
    understood: int
    embedded: int

    @property
    def missing(self) -> int:
        return max(0, self.understood - self.embedded)


def promise(tx: Tx, sweep: Sweep | None = None, *, run_at: datetime | None = None) -> None:
    """Have the passages of `sweep`, or all, embedded that miss a vector; one such job at a time."""
    payload = (sweep or Sweep()).as_json()
    enqueue(tx, service.EMBED, OPERATOR, payload, unique_key="all", run_at=run_at)


def missing(reader: Reader, embedder: Embedder, above: int, upto: int, most: int) -> list[int]:
    """Ids `above < id <= upto`, highest first, of passages the embedder could give a vector."""
    model = vector_store.model(reader, embedder.name, embedder.dimensions)
    return vector_store.missing(reader, model or 0, _languages(embedder), above, upto, most)


def coverage(reader: Reader, embedders: Sequence[Embedder]) -> Coverage:
    """Of at least one embedder."""
    counted = [_coverage(reader, embedder) for embedder in embedders]
    understood, embedded = (sum(counts) for counts in zip(*(x[1:] for x in counted), strict=True))
    return Coverage(counted[0][0], understood, embedded)


def _coverage(reader: Reader, embedder: Embedder) -> tuple[int, int, int]:
    model = vector_store.model(reader, embedder.name, embedder.dimensions)
    return vector_store.coverage(reader, model or 0, _languages(embedder))


def _languages(embedder: Embedder) -> list[str] | None:
    return None if embedder.languages is None else sorted(embedder.languages)


def keep(tx: Tx, embedder: Embedder, passages: Sequence[IndexedPassage], vectors: Vectors) -> None:
    """Keep a vector for each passage that is there. Done twice, it is done once."""
    model = vector_store.add_model(tx, embedder.name, embedder.dimensions)
    vector_store.keep(tx, model, [passage.id for passage in passages], pack(vectors))


def of(reader: Reader, embedder: Embedder, ids: Sequence[int]) -> Mapping[int, Vectors]:
    """The vectors of length 1 that are kept for passages; those without one are left out."""
    rows = vector_store.of(reader, embedder.name, embedder.dimensions, list(ids))
    vectors = unpack([packed for _, packed in rows], embedder.dimensions)
    return {id: vector for (id, _), vector in zip(rows, vectors, strict=True)}


def forget_others(tx: Tx, embedders: Sequence[Embedder]) -> int:
    """Delete some vectors of former models; how many. Call until there are none."""
    found = [vector_store.model(tx, x.name, x.dimensions) for x in embedders]
    models = [model for model in found if model]
    return vector_store.forget_others(tx, models, _FORGOTTEN_PER_STEP) if models else 0
