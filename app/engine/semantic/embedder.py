"""The interface that turns texts into vectors of meaning, and what every vector is checked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.engine.semantic.inference import InferenceFailed

Vectors = NDArray[np.float32]
"""One row per text, each of length 1, so that a product of two is their cosine."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Cosines of a model on the scale on which answers are judged."""

    factor: float
    shift: float

    def of(self, cosine: float) -> float:
        return self.factor * cosine + self.shift


# Models spread their cosines differently: what is near for one is everything for another. Answers
# are judged by those of the first. For the second, absent questions of xquad's half for fitting, in
# German, are refused as often as English ones, and confidences of two collections of everyday
# documents are as high as they are right (docs/explanation/findings.md).
SCALES = {"all-minilm-l6-v2": Scale(1.0, 0.0), "multilingual-e5-small": Scale(6.5, -4.98)}


class Embedder(Protocol):
    """A model. Vectors of two models are never compared: `name` tells them apart."""

    @property
    def name(self) -> str:
        """The model and, where they are known, its weights: two with one name give one vector."""

    @property
    def dimensions(self) -> int: ...

    @property
    def languages(self) -> frozenset[str] | None:
        """The ISO 639-1 codes of what it understands; None when it is not for us to say."""

    @property
    def batch(self) -> int:
        """The number of texts that are best embedded in one call."""

    @property
    def at_once(self) -> int:
        """The number of texts that are embedded in one call while somebody waits."""

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        """The vectors of passages, in their order. Raises InferenceFailed.

        `seconds` is how long a remote model is waited for; a local one takes what it takes.
        """

    def embed_question(self, question: str, *, seconds: float) -> Vectors:
        """One vector, to be compared with those of passages. Raises InferenceFailed."""


def understands(embedder: Embedder, language: str | None) -> bool:
    """True if vectors of texts in `language` (without region; None: unknown) mean anything."""
    return embedder.languages is None or language in embedder.languages


def embedder_for(embedders: Sequence[Embedder], language: str | None) -> Embedder | None:
    """The first that understands `language`."""
    return next((x for x in embedders if understands(x, language)), None)


def scale_of(embedder: Embedder) -> Scale | None:
    """The scale of its cosines; None when it is not known, and words must judge."""
    name = embedder.name.casefold()
    return next((scale for model, scale in SCALES.items() if model in name), None)


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1. Raises InferenceFailed for a row without a direction."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    if not (np.isfinite(lengths) & (lengths > 0)).all():
        raise InferenceFailed("a vector is zero or not finite")
    scaled: Vectors = (vectors / lengths[:, None]).astype(np.float32)
    return scaled
