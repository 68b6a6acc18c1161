"""The packaged model for other languages than English: multilingual-e5-small, outputs averaged.

Wang et al., Multilingual E5 Text Embeddings (arXiv:2402.05672). It was trained on questions and
passages that say what they are. Its files are made by `install`, and only those are read.
"""

from functools import cache
from pathlib import Path
from typing import Final

from app.engine.semantic.onnx_embedder import OnnxEmbedder, Prefixes
from app.engine.semantic.onnx_session import OnnxSession
from app.engine.semantic.packaged.files import FOLDER, check
from app.engine.semantic.packaged.sentence_pieces import SentencePieces

INSTALLED: Final = FOLDER / "multilingual-e5-small"

ONNX, DATA, PIECES = "model.onnx", "model.onnx.data", "sentencepiece.model"
SHA256: Final = {
    ONNX: "ea95a22762791e4fd2a32f171297181713dc8274544104cc0d3e2acbc5942114",
    DATA: "c3318ba353b463d3d9870555e87b15f82a2f258ed3eb8867e0b0b9d56a44fdc4",
    PIECES: "0dfc30e4e696beec7e4190c08f0f1cd08ef88ab3c91e0d90e62aedcfd38fb87b",
}
# Stored vectors have this name: another one makes all passages be embedded anew.
NAME: Final = "multilingual-e5-small:c3318ba353b463d3"
# Those it was trained on (XLM-R, table 6) but English, which the smaller model knows better.
_LANGUAGES: Final = """
    af am ar as az be bg bn br bs ca cs cy da de el eo es et eu fa fi fr fy ga gd gl gu ha he hi hr
    hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl nn no om or
    pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh
"""
_PREFIXES: Final = Prefixes(question="query: ", passage="passage: ")
_MOST_PIECES: Final = 512


def installed(folder: Path = INSTALLED) -> Path | None:
    """The folder of the model, or None when a file of it is not there."""
    return folder if all((folder / name).exists() for name in SHA256) else None


@cache
def e5(folder: Path) -> OnnxEmbedder:
    """The packaged model; takes some tenths of a second. Raises ModelUnusable, OSError.

    One for the process and those that it forks, which share its memory.
    """
    for name, sha256 in SHA256.items():
        check(folder / name, sha256)
    tokenizer = SentencePieces(folder / PIECES, _MOST_PIECES)
    session = OnnxSession(folder / ONNX)
    return OnnxEmbedder(NAME, frozenset(_LANGUAGES.split()), tokenizer, session, "mean", _PREFIXES)
