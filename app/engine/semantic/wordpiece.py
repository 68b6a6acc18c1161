"""Text as the numbers BERT reads: its uncased normalisation, then the longest pieces known.

Devlin et al., BERT (2019), and Wu et al., arXiv:1609.08144, section 4.1. Gives the ids that the
`tokenizers` package gives, without what that package brings along.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_LONGEST_WORD = 100
_LONGEST_TEXT = 16_384  # characters looked at: 64 for each of 256 pieces
_IDEOGRAPHS = (
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPiece:
    """The tokenizer of one vocabulary; threads may share it."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """`vocabulary` in the order of its ids. KeyError without the special tokens."""
        ids = {piece: id for id, piece in enumerate(vocabulary)}
        self._first, self._last = ids["[CLS]"], ids["[SEP]"]
        unknown, longest = ids["[UNK]"], max(map(len, vocabulary))

        @lru_cache(maxsize=65_536)
        def pieces(word: str) -> tuple[int, ...]:
            if len(word) > _LONGEST_WORD:
                return (unknown,)
            found, start, mark = [], 0, ""
            while start < len(word):
                for end in range(min(len(word), start + longest), start, -1):
                    if (id := ids.get(mark + word[start:end])) is not None:
                        break
                else:
                    return (unknown,)
                found.append(id)
                start, mark = end, "##"
            return tuple(found)

        self._pieces = pieces

    def ids(self, text: str, most: int) -> list[int]:
        """At most `most` ids, the first and the last of them the special ones."""
        found: list[int] = []
        for word in text[:_LONGEST_TEXT].translate(_CHARACTERS).split():
            found += self._pieces(word)
            if len(found) >= most - 2:
                break
        return [self._first, *found[: most - 2], self._last]


class _Characters(dict[int, str]):
    """What becomes of each character: lower case without accents, signs standing alone."""

    def __missing__(self, point: int) -> str:
        self[point] = _normalised(point)
        return self[point]


_CHARACTERS = _Characters()


def _normalised(point: int) -> str:
    character = chr(point)
    if character in "\t\n\r" or unicodedata.category(character) == "Zs":
        return " "
    if point == 0xFFFD or unicodedata.category(character) in ("Cc", "Cf", "Co"):
        return ""
    plain = "".join(
        x.lower()
        for x in unicodedata.normalize("NFD", character)
        if unicodedata.category(x) != "Mn"
    )
    return "".join(f" {x} " if _stands_alone(x) else x for x in plain)


def _stands_alone(character: str) -> bool:
    point = ord(character)
    if any(first <= point <= last for first, last in _IDEOGRAPHS):
        return True
    is_ascii_sign = 33 <= point <= 126 and not character.isalnum()
    return is_ascii_sign or unicodedata.category(character).startswith("P")
