"""The reranker, which says how well a passage answers a question."""

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """A cross-encoder. Its scores order the passages of one question and mean nothing else."""

    @property
    def name(self) -> str:
        """The model and where it runs, for people; nothing is stored under it."""

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """A finite number for each text, in their order, more for what answers better.

        Raises InferenceFailed, also when `seconds` pass: some of the scores are no order.
        """
