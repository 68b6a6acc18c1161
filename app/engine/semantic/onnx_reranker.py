"""A cross-encoder from a folder: question and passage are read as one text.

Nogueira and Cho, Passage Re-ranking with BERT (arXiv:1901.04085).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from app.engine.fetch.deadline import Deadline
from app.engine.semantic.inference import InferenceFailed
from app.engine.semantic.model_folder import model_folder
from app.engine.semantic.onnx_session import ModelUnusable, OnnxSession

_OUTPUT: Final = "logits"


class OnnxReranker:
    """A model of the operator's as a `Reranker`; threads may share it."""

    def __init__(self, folder: Path) -> None:
        """Reads all of the weights. Raises ModelUnusable."""
        files = model_folder(folder)
        self.name = files.name
        self._tokenizer = files.tokenizer()
        self._session = OnnxSession(files.model)
        if _OUTPUT not in self._session.outputs:
            raise ModelUnusable("it is no cross-encoder: it gives no logits")
        self._score("-", "-")

    def __repr__(self) -> str:
        return f"OnnxReranker({self.name!r})"

    def scores(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        deadline = Deadline(seconds)
        scores: list[float] = []
        try:
            for text in texts:
                deadline.left()
                scores.append(self._score(query, text))
        except TimeoutError:
            raise InferenceFailed(f"slow: {len(scores)} of {len(texts)} scored in time") from None
        except ModelUnusable as error:
            raise InferenceFailed(str(error)) from None
        return scores

    def _score(self, query: str, text: str) -> float:
        """From 0 to 1, as services give it: so one model gives one order, wherever it runs."""
        logits = self._session.run(self._tokenizer.pieces(query, text), _OUTPUT).ravel()
        if len(logits) not in (1, 2):  # one number, or one for "no" and one for "yes"
            raise ModelUnusable(f"it tells {len(logits)} kinds apart, which is no order")
        logit = float(logits[-1] - (logits[0] if len(logits) == 2 else 0.0))
        if not math.isfinite(logit):
            raise ModelUnusable("a score that is no number")
        return 0.5 + 0.5 * math.tanh(0.5 * logit)
