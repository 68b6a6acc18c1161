"""A sentence model from a folder: what its pieces mean beside each other, pooled.

Reimers and Gurevych, Sentence-BERT (2019).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.engine.semantic.embedder import EmbeddingFailed, Vectors, unit
from app.engine.semantic.model_folder import Pooling, model_folder
from app.engine.semantic.onnx_session import ModelUnusable, OnnxSession

_POOLED: Final = "sentence_embedding"  # an output that needs no pooling
_PLACES: Final = {"cls": 0, "lasttoken": -1}
_BY_PIECE: Final = ("last_hidden_state", "token_embeddings")


class OnnxEmbedder:
    """A model of the operator's as an `Embedder`; threads may share it."""

    batch = 8
    at_once = 1

    def __init__(self, folder: Path) -> None:
        """Reads all of the weights. Raises ModelUnusable."""
        files = model_folder(folder)
        self._tokenizer = files.tokenizer()
        self._session = OnnxSession(files.model)
        self._output = _output(self._session.outputs)
        self._pooling = None if self._output == _POOLED else files.pooling()
        self.name = f"{files.name}:{files.fingerprint(self._pooling)}"
        self.languages = files.languages()
        self.dimensions = len(self._vector("-"))

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r})"

    def embed(self, texts: Sequence[str], *, seconds: float = math.inf) -> Vectors:
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        try:
            for row, text in enumerate(texts):
                vectors[row] = self._vector(text)
            return unit(vectors)
        except (ModelUnusable, EmbeddingFailed) as error:  # and it would be so again
            raise EmbeddingFailed(str(error), retryable=False) from None

    def _vector(self, text: str) -> Vectors:
        output = self._session.run(self._tokenizer.pieces(text), self._output)[0]
        if output.ndim != (2 if self._pooling else 1):
            raise ModelUnusable(f"its output {self._output} has another shape")
        return _pooled(output, self._pooling) if self._pooling else output


def _output(outputs: Sequence[str]) -> str:
    known = [name for name in (_POOLED, *_BY_PIECE) if name in outputs]
    if not known:
        raise ModelUnusable("it gives no vectors of sentences")
    return known[0]


def _pooled(pieces: Vectors, pooling: Pooling) -> Vectors:
    pooled: Vectors = pieces.mean(0) if pooling == "mean" else pieces[_PLACES[pooling]]
    return pooled
