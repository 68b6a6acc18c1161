"""The vocabulary of XLM-RoBERTa: 250,002 pieces of words in a hundred languages.

Kudo, Subword Regularization (2018); Conneau et al., XLM-R (2020). The package `tokenizers` reads
the same pieces and takes 280 MB for them, `sentencepiece` 35.
"""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sentencepiece import SentencePieceProcessor

from app.engine.semantic.packaged.protobuf import message, messages, number, real
from app.engine.semantic.tokenizer import MOST_CHARACTERS, Pieces

_FIRST, _PAD, _LAST, _UNKNOWN = 0, 1, 2, 3
_NORMAL, _IS_UNKNOWN, _CONTROL = 1, 2, 3  # kinds of piece
_UNIGRAM: Final = 1


class SentencePieces:
    """The tokenizer of one model; threads may share it."""

    def __init__(self, file: Path, most: int) -> None:
        """`most` pieces of a text are read. Raises OSError for what is no such file."""
        self._processor = SentencePieceProcessor(model_file=str(file))
        self._most = most - 2

    def pieces(self, text: str) -> Pieces:
        read = text[:MOST_CHARACTERS].encode("utf-8", "replace")
        ids = [_FIRST, *self._processor.encode(read)[: self._most], _LAST]
        return Pieces(ids, [0] * len(ids))


def model_file(tokenizer: Mapping[str, Any]) -> bytes:
    """A file for `sentencepiece`, of the content of a `tokenizer.json` with the same pieces.

    The format is that of sentencepiece_model.proto.
    """
    vocabulary = tokenizer["model"]["vocab"]
    special = {x["id"] for x in tokenizer["added_tokens"]} - {_UNKNOWN}
    pieces = (
        message(1, piece.encode()) + real(2, score) + number(3, _kind(id, special))
        for id, (piece, score) in enumerate(vocabulary)
    )
    ids = number(40, _UNKNOWN) + number(41, _FIRST) + number(42, _LAST) + number(43, _PAD)
    names = {45: _UNKNOWN, 46: _FIRST, 47: _LAST, 48: _PAD}
    trained = number(3, _UNIGRAM) + number(4, len(vocabulary)) + ids
    for field, id in names.items():
        trained += message(field, vocabulary[id][0].encode())
    (characters, _) = tokenizer["normalizer"]["normalizers"]
    normal = message(2, base64.b64decode(characters["precompiled_charsmap"]))
    normal += number(3, True) + number(4, True) + number(5, True)  # spaces are one, and written
    return messages(1, pieces) + message(2, trained) + message(3, normal)


def _kind(id: int, special: set[int]) -> int:
    if id == _UNKNOWN:
        return _IS_UNKNOWN
    return _CONTROL if id in special else _NORMAL
