"""Scores from a `/rerank` endpoint, believed in nothing but its numbers.

Two forms are in use. Text Embeddings Inference serves one model: `{query, texts}` is answered with
`[{index, score}]`. Jina, Cohere and those that follow them serve several: `{model, query,
documents, top_n}` is answered with `{results: [{index, relevance_score}]}`.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

from app.engine.fetch.deadline import Deadline
from app.engine.semantic.model_service import MOST_CHARACTERS, ModelService, acceptable

PATH: Final = "/rerank"
BATCH: Final = 32  # what Text Embeddings Inference takes in one call by default
_BYTES_PER_CHARACTER: Final = 6  # as JSON: some send the texts back


class RerankEndpoint:
    """A remote cross-encoder as a `Reranker`; threads may share it."""

    def __init__(self, url: str, model: str, key: str = "", fair_seconds: float = 0.0) -> None:
        """`url` is the base, as of `https://host/v1`. Raises ValueError when it is none.

        Without `model` the service is asked in the form of Text Embeddings Inference.
        `fair_seconds` is how long a call must have been given for its timeout to count.
        """
        most = BATCH * MOST_CHARACTERS * _BYTES_PER_CHARACTER + 65_536
        self._service = ModelService(url, key, max_bytes=most, fair_seconds=fair_seconds)
        self._model = model
        self.name = f"{self._service.host}/{model}" if model else self._service.host

    def __repr__(self) -> str:
        return f"RerankEndpoint({self.name!r})"

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        deadline = Deadline(seconds)
        scores: list[float] = []
        for first in range(0, len(texts), BATCH):
            scores += self._ask(query, texts[first : first + BATCH], deadline)
        return scores

    def _ask(self, query: str, texts: Sequence[str], deadline: Deadline) -> list[float]:
        body = self._body(acceptable(query), [acceptable(text) for text in texts])
        return self._service.post(PATH, body, lambda answer: _scores(answer, len(texts)), deadline)

    def _body(self, query: str, texts: list[str]) -> dict[str, Any]:
        if not self._model:  # which refuses texts that are too long, unless it may cut them
            return {"query": query, "texts": texts, "truncate": True}
        return {"model": self._model, "query": query, "documents": texts, "top_n": len(texts)}


def _scores(answer: Any, expected: int) -> list[float]:
    """The scores by their `index`, in either form. Raises ValueError for any other."""
    listed = answer.get("results") if isinstance(answer, dict) else answer
    if not isinstance(listed, list) or len(listed) != expected:
        raise ValueError("not one score for each text")
    scores = [math.nan] * expected
    for item in listed:
        index = item.get("index") if isinstance(item, dict) else None
        if type(index) is not int or not 0 <= index < expected:
            raise ValueError("a score of no text")
        scores[index] = _score(item)
    if any(map(math.isnan, scores)):
        raise ValueError("two scores of one text")
    return scores


def _score(item: dict[str, Any]) -> float:
    score: Any = item.get("relevance_score", item.get("score"))
    if type(score) not in (int, float) or not abs(score) < 1e30:  # NaN is less than nothing
        raise ValueError("a score that is no number")
    return float(score)
