"""Texts as the pieces that a model reads, by the tokenizer that lies beside it."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Protocol

from app.engine.semantic.wordpiece import WordPiece

_MOST_CHARACTERS: Final = 16_384  # looked at: 32 for each of 512 pieces


@dataclass(frozen=True, slots=True)
class Pieces:
    """Numbers of a vocabulary, the special ones among them; `types` is 1 for the second text."""

    ids: list[int]
    types: list[int]


class Tokenizer(Protocol):
    def pieces(self, text: str, second: str | None = None) -> Pieces:
        """A text, or two texts read beside each other, cut to what the model reads."""


class VocabularyTokenizer:
    """A `vocab.txt` of uncased BERT."""

    def __init__(self, path: Path, most: int) -> None:
        """Raises OSError, ValueError for what is no such vocabulary."""
        try:
            self._words = WordPiece(path.read_text(encoding="utf-8").splitlines())
        except KeyError as missing:
            raise ValueError(f"{path.name} lacks {missing}") from None
        self._most = most

    def pieces(self, text: str, second: str | None = None) -> Pieces:
        if second is None:
            ids = self._words.ids(text, self._most)
            return Pieces(ids, [0] * len(ids))
        ids = self._words.ids(text, self._most // 2)
        beside = self._words.ids(second, self._most - len(ids) + 1)[1:]
        return Pieces(ids + beside, [0] * len(ids) + [1] * len(beside))


class LibraryTokenizer:
    """A `tokenizer.json`, read by the package `tokenizers`, which is part of the extra `onnx`."""

    def __init__(self, path: Path, most: int) -> None:
        """Raises ImportError; ValueError for what is no tokenizer."""
        library: Any = import_module("tokenizers")
        try:
            self._tokenizer = library.Tokenizer.from_file(str(path))
        except Exception as error:  # noqa: BLE001 - it raises no other class
            raise ValueError(f"{path.name} cannot be read: {str(error)[:200]}") from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most)

    def pieces(self, text: str, second: str | None = None) -> Pieces:
        beside = None if second is None else second[:_MOST_CHARACTERS]
        encoded = self._tokenizer.encode(text[:_MOST_CHARACTERS], beside)
        return Pieces(encoded.ids, encoded.type_ids)
