"""A sentence model run by onnxruntime: what its pieces mean beside each other, pooled.

Reimers and Gurevych, Sentence-BERT (2019).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, Self

import numpy as np

from app.engine import memory
from app.engine.semantic.embedder import Vectors, unit
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.model_folder import Pooling, model_folder
from app.engine.semantic.onnx_session import ModelUnusable, OnnxSession
from app.engine.semantic.tokenizer import Pieces

_POOLED: Final = "sentence_embedding"  # an output that needs no pooling
_PLACES: Final = {"cls": 0, "lasttoken": -1}
_BY_PIECE: Final = ("last_hidden_state", "token_embeddings")


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The words that a model wants before each text, to know which kind it is."""

    question: str = ""
    passage: str = ""


class Tokenizer(Protocol):
    """Turns a text into the pieces that the model reads."""

    def pieces(self, text: str) -> Pieces: ...


class OnnxEmbedder:
    """A model in this process as an `Embedder`; threads may share it."""

    batch = 8
    at_once = 1

    def __init__(
        self,
        name: str,
        languages: frozenset[str] | None,
        tokenizer: Tokenizer,
        session: OnnxSession,
        pooling: Pooling | None,
        prefixes: Prefixes = Prefixes(),
    ) -> None:
        """`pooling` None: of a model that gives pooled vectors. Raises ModelUnusable."""
        self.name, self.languages = name, languages
        self._tokenizer, self._session, self._pooling = tokenizer, session, pooling
        self._prefixes = prefixes
        self._output = _by_piece(session.outputs) if pooling else _POOLED
        self.dimensions = len(self._vector("-"))

    @classmethod
    def from_folder(cls, folder: Path) -> Self:
        """A model of the operator's. Reads all of the weights. Raises ModelUnusable, OSError."""
        files = model_folder(folder)
        tokenizer, session = files.tokenizer(), OnnxSession(files.model)
        pooling = None if _POOLED in session.outputs else files.pooling()
        name = f"{files.name}:{files.fingerprint(pooling)}"
        return cls(name, files.languages(), tokenizer, session, pooling)

    def __repr__(self) -> str:
        return f"OnnxEmbedder({self.name!r})"

    def embed(self, texts: Sequence[str], *, seconds: float = math.inf) -> Vectors:
        given = self._embed([self._prefixes.passage + text for text in texts])
        if len(texts) > 1:  # one alone is of a search that somebody waits for
            memory.give_back()
        return given

    def embed_question(self, question: str, *, seconds: float = math.inf) -> Vectors:
        given: Vectors = self._embed([self._prefixes.question + question])[0]
        return given

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        try:
            for row, text in enumerate(texts):
                vectors[row] = self._vector(text)
            return unit(vectors)
        except (ModelUnusable, InferenceFailed) as error:  # and it would be so again
            raise InferenceFailed(str(error), retryable=False) from None

    def _vector(self, text: str) -> Vectors:
        output = self._session.run(self._tokenizer.pieces(text), self._output)[0]
        if output.ndim != (2 if self._pooling else 1):
            raise ModelUnusable(f"its output {self._output} has another shape")
        return _pooled(output, self._pooling) if self._pooling else output


def _by_piece(outputs: Sequence[str]) -> str:
    known = [name for name in _BY_PIECE if name in outputs]
    if not known:
        raise ModelUnusable("it gives no vectors of sentences")
    return known[0]


def _pooled(pieces: Vectors, pooling: Pooling) -> Vectors:
    pooled: Vectors = pieces.mean(0) if pooling == "mean" else pieces[_PLACES[pooling]]
    return pooled
