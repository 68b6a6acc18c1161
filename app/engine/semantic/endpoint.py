"""Vectors from an OpenAI-compatible `/embeddings` endpoint, believed in nothing but its numbers."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from app.engine.fetch.deadline import Deadline
from app.engine.semantic.embedder import Vectors, unit
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.model_service import ModelService, acceptable

PATH: Final = "/embeddings"
_BYTES_PER_NUMBER: Final = 32  # as JSON


class Endpoint:
    """A remote model as an `Embedder`; threads may share it. It fails as `ModelService` does."""

    languages: frozenset[str] | None = None
    batch = at_once = 32

    def __init__(
        self, url: str, model: str, dimensions: int, key: str = "", fair_seconds: float = 0.0
    ) -> None:
        """`url` is the base, as of `https://host/v1`. Raises ValueError when it is none.

        `fair_seconds` is how long a call must have been given for its timeout to count.
        """
        most = self.batch * dimensions * _BYTES_PER_NUMBER + 65_536
        self._service = ModelService(url, key, max_bytes=most, fair_seconds=fair_seconds)
        self._model, self.dimensions = model, dimensions
        self.name = f"{self._service.host}/{model}:{dimensions}"

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r})"

    def embed(self, texts: Sequence[str], *, seconds: float) -> Vectors:
        deadline = Deadline(seconds)
        parts = [
            self._ask(texts[first : first + self.batch], deadline)
            for first in range(0, len(texts), self.batch)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def embed_question(self, question: str, *, seconds: float) -> Vectors:
        given: Vectors = self.embed([question], seconds=seconds)[0]
        return given

    def _ask(self, texts: Sequence[str], deadline: Deadline) -> Vectors:
        given = [acceptable(text) for text in texts]
        body = {"model": self._model, "input": given, "encoding_format": "float"}
        return self._service.post(
            PATH, body, lambda answer: self._vectors(answer, len(texts)), deadline
        )

    def _vectors(self, answer: Any, expected: int) -> Vectors:
        """The vectors by their `index`. Raises ValueError for any other shape."""
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(listed, list) or len(listed) != expected:
            raise ValueError("not one vector for each text")
        vectors = np.full((expected, self.dimensions), np.nan, np.float32)
        for place, item in enumerate(listed):
            index = item.get("index", place) if isinstance(item, dict) else None
            if type(index) is not int or not 0 <= index < expected:
                raise ValueError("a vector of no text")
            vectors[index] = self._vector(item.get("embedding"))
        try:
            return unit(vectors)  # refuses the NaN of a text without a vector
        except InferenceFailed as failed:
            raise ValueError(str(failed)) from None

    def _vector(self, numbers: Any) -> list[float]:
        if not isinstance(numbers, list) or len(numbers) != self.dimensions:
            raise ValueError(f"not {self.dimensions} numbers")
        if not all(type(x) in (int, float) and abs(x) < 1e30 for x in numbers):
            raise ValueError("not all numbers")
        return numbers
