"""The packaged model: multilingual-e5-small, its outputs averaged.

Wang et al., Multilingual E5 Text Embeddings (arXiv:2402.05672). It was trained on questions and
passages that say what they are. Its files are made by `install`, and only those are read.
"""

import hashlib
import sys
from functools import cache
from pathlib import Path
from typing import Final

from app.engine import memory
from app.engine.semantic.e5.sentence_pieces import SentencePieces
from app.engine.semantic.onnx_embedder import OnnxEmbedder, Prefixes
from app.engine.semantic.onnx_session import ModelUnusable, OnnxSession

INSTALLED: Final = Path(sys.prefix) / "share" / "citegrid" / "models" / "multilingual-e5-small"

ONNX, DATA, PIECES = "model.onnx", "model.onnx.data", "sentencepiece.model"
SHA256: Final = {
    ONNX: "a9019ac062538d0aadd0c5c227b00a7df1e030a5fd9d92b8d4bf1ae47c840c76",
    DATA: "0368d6559e69dfc99a31ed362b608a5e39d306993bf803923b39db3373c7cd1e",
    PIECES: "0dfc30e4e696beec7e4190c08f0f1cd08ef88ab3c91e0d90e62aedcfd38fb87b",
}
# Stored vectors have this name: another one makes all passages be embedded anew.
NAME: Final = "multilingual-e5-small:0368d6559e69dfc9"
_PREFIXES: Final = Prefixes(question="query: ", passage="passage: ")
_MOST_PIECES: Final = 512


def installed(folder: Path = INSTALLED) -> Path | None:
    """The folder of the packaged model, or None when a file of it is not there."""
    return folder if all((folder / name).exists() for name in SHA256) else None


@cache
def e5(folder: Path) -> OnnxEmbedder:
    """The packaged model; takes some tenths of a second. Raises ModelUnusable, OSError.

    One for the process and those that it forks, which share its memory.
    """
    for name, sha256 in SHA256.items():
        _check(folder / name, sha256)
    tokenizer = SentencePieces(folder / PIECES, _MOST_PIECES)
    session = OnnxSession(folder / ONNX)
    memory.give_back()
    return OnnxEmbedder(NAME, None, tokenizer, session, "mean", _PREFIXES)


def _check(file: Path, sha256: str) -> None:
    with file.open("rb") as content:
        if hashlib.file_digest(content, "sha256").hexdigest() != sha256:
            why = "of the packaged model is not the file whose hash is known"
            raise ModelUnusable(f"{file.name} {why}")
