"""Texts as the pieces that a model reads, by the tokenizer that lies beside it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import tokenizers

MOST_CHARACTERS: Final = 16_384  # looked at: 32 for each of 512 pieces
_LONGEST_WORD: Final = 100
_UNKNOWN, _FIRST, _LAST = "[UNK]", "[CLS]", "[SEP]"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Numbers of a vocabulary, the special ones among them; `types` is 1 for the second text."""

    ids: list[int]
    types: list[int]


class Tokenizer:
    """The tokenizer of one model; threads may share it."""

    def __init__(self, content: str, most: int) -> None:
        """`content` of a `tokenizer.json`. Raises ValueError for what is no tokenizer."""
        try:
            self._tokenizer = tokenizers.Tokenizer.from_str(content)
        except Exception as error:  # noqa: BLE001 - it raises no other class
            raise ValueError(f"no tokenizer: {str(error)[:200]}") from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(most)

    def pieces(self, text: str, second: str | None = None) -> Pieces:
        """A text, or two texts read beside each other, cut to what the model reads."""
        beside = None if second is None else second[:MOST_CHARACTERS]
        encoded = self._tokenizer.encode(text[:MOST_CHARACTERS], beside)
        return Pieces(encoded.ids, encoded.type_ids)


def uncased_bert(vocabulary: Sequence[str]) -> str:
    """The `tokenizer.json` of an uncased BERT, of which only the `vocab.txt` is there.

    Raises ValueError for what is no such vocabulary.
    """
    ids = {piece: id for id, piece in enumerate(vocabulary)}
    if missing := [piece for piece in (_UNKNOWN, _FIRST, _LAST) if piece not in ids]:
        raise ValueError(f"a vocabulary that lacks {missing[0]}")
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": True,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "cls": [_FIRST, ids[_FIRST]],
            "sep": [_LAST, ids[_LAST]],
        },
        "model": {
            "type": "WordPiece",
            "unk_token": _UNKNOWN,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": _LONGEST_WORD,
            "vocab": ids,
        },
    }
    return json.dumps(tokenizer)
