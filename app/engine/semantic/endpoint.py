"""Vectors from an OpenAI-compatible `/embeddings` endpoint, believed in nothing but its numbers."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from app.core.breaker import Breaker
from app.engine.fetch.deadline import Deadline
from app.engine.origin import Origin, OriginFailed
from app.engine.semantic.embedder import EmbeddingFailed, Vectors, unit

PATH: Final = "/embeddings"
_MOST_CHARACTERS: Final = 4_000  # of one text; what a model reads no further it cuts itself
_BYTES_PER_NUMBER: Final = 32  # as JSON
_MOST_FAILURES: Final = 2  # in a row; then nobody waits


class Endpoint:
    """A remote model as an `Embedder`; threads may share it.

    After two failures in a row it is left alone for half a minute: then nobody waits for it.
    """

    languages: frozenset[str] | None = None
    batch = at_once = 32

    def __init__(
        self, url: str, model: str, dimensions: int, key: str = "", fair_seconds: float = 0.0
    ) -> None:
        """`url` is the base, as of `https://host/v1`. Raises ValueError when it is none.

        `fair_seconds` is how long a call must have been given for its timeout to count.
        """
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        most = self.batch * dimensions * _BYTES_PER_NUMBER + 65_536
        self._origin = Origin(url, headers=headers, max_bytes=most)
        self._model, self.dimensions = model, dimensions
        self.name = f"{self._origin.host}/{model}:{dimensions}"
        self._breaker = Breaker(_MOST_FAILURES, fair_seconds=fair_seconds)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r})"

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        deadline = Deadline(seconds)
        parts = [
            self._ask(texts[first : first + self.batch], deadline)
            for first in range(0, len(texts), self.batch)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def _ask(self, texts: Sequence[str], deadline: Deadline) -> Vectors:
        try:
            left = deadline.left()
        except TimeoutError:
            raise EmbeddingFailed(f"{self._origin.host}: slow") from None
        if not self._breaker.admits():
            raise EmbeddingFailed(f"{self._origin.host}: left alone after failures")
        # An empty text is an error to some of them.
        given = [text[:_MOST_CHARACTERS].strip() or "-" for text in texts]
        body = {"model": self._model, "input": given, "encoding_format": "float"}
        try:
            answer = self._origin.post(PATH, body, seconds=left)
            vectors = unit(self._vectors(answer, len(texts)))
        except OriginFailed as failed:
            self._blame(failed, left)
            raise EmbeddingFailed(str(failed), retryable=failed.retryable) from None
        except EmbeddingFailed:
            self._breaker.failed()
            raise
        self._breaker.worked()
        return vectors

    def _blame(self, failed: OriginFailed, seconds: float) -> None:
        if failed.reason == "slow":
            self._breaker.timed_out(seconds)
        elif failed.retryable:
            self._breaker.failed(failed.retry_after)
        else:
            self._breaker.worked()  # it is there, and will not have these texts

    def _vectors(self, answer: Any, expected: int) -> Vectors:
        """The vectors by their `index`. Raises EmbeddingFailed for any other shape."""
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(listed, list) or len(listed) != expected:
            raise EmbeddingFailed(f"{self._origin.host}: not one vector for each text")
        vectors = np.full((expected, self.dimensions), np.nan, np.float32)
        for place, item in enumerate(listed):
            index = item.get("index", place) if isinstance(item, dict) else None
            if type(index) is not int or not 0 <= index < expected:
                raise EmbeddingFailed(f"{self._origin.host}: a vector of no text")
            vectors[index] = self._vector(item.get("embedding"))
        return vectors  # a text without a vector is still NaN, which `unit` refuses

    def _vector(self, numbers: Any) -> list[float]:
        if not isinstance(numbers, list) or len(numbers) != self.dimensions:
            raise EmbeddingFailed(f"{self._origin.host}: not {self.dimensions} numbers")
        if not all(type(x) in (int, float) and abs(x) < 1e30 for x in numbers):
            raise EmbeddingFailed(f"{self._origin.host}: not all numbers")
        return numbers
