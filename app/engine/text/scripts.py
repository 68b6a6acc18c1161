"""Writing systems: what is a letter, which scripts write without spaces, which language a script
hints at.

Python's `\\w` leaves out combining marks, so it cuts Devanagari, Thai and vocalised Arabic words at
every vowel sign. `WORD` adds the marks.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache


def _marks() -> list[str]:
    """Unicode's characters of the general category M; none lies beyond these code points."""
    signs = map(chr, (*range(0x300, 0x1F000), *range(0xE0000, 0xE1000)))
    return [sign for sign in signs if unicodedata.category(sign) in ("Mn", "Mc", "Me")]


def _ranges(signs: Iterable[str]) -> str:
    """Ascending characters as the inside of a character class."""
    ranges: list[tuple[int, int]] = []
    for point in map(ord, signs):
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = (ranges[-1][0], point)
        else:
            ranges.append((point, point))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


_MARK_SIGNS = frozenset(_marks())  # every process looks for them once, when it starts
MARKS = _ranges(sorted(_MARK_SIGNS))
WORD = rf"\w{MARKS}"  # inside a character class
PLAIN_WORD = r"\w"  # the same where `has_marks` is False, several times as fast

# Scripts written without spaces between words, plus Hangul, whose particles are glued to the word:
# indexed as character bigrams, as Lucene's CJKAnalyzer does for Han, kana and Hangul.
_UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f"  # Myanmar
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    "\u1780-\u17ff"  # Khmer
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")

_SCRIPT_LANGUAGES = (
    (re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"), "el"),
    (re.compile(r"[\u0400-\u04ff]"), "ru"),
    (re.compile(r"[\u0530-\u058f]"), "hy"),
    (re.compile(r"[\u0590-\u05ff]"), "he"),
    (re.compile(r"[\u0600-\u06ff\u0750-\u077f]"), "ar"),
    (re.compile(r"[\u0900-\u097f]"), "hi"),
    (re.compile(r"[\u0b80-\u0bff]"), "ta"),
    (re.compile(r"[\u0e00-\u0e7f]"), "th"),
    (re.compile(r"[\u3040-\u30ff]"), "ja"),
    (re.compile(r"[\uac00-\ud7af]"), "ko"),
    (re.compile(r"[\u3400-\u9fff]"), "zh"),
)
# Languages that share a script with the one the script hints at.
_SAME_SCRIPT = {"ru": {"sr", "uk", "bg"}, "ar": {"fa"}, "hi": {"ne"}}


def has_marks(text: str) -> bool:
    """True if a combining mark is in `text`; hardly any Latin text has one."""
    return not (text.isascii() or _MARK_SIGNS.isdisjoint(text))


def script_language(text: str) -> str | None:
    """The language that the first non-Latin script in `text` usually writes; None for Latin."""
    for pattern, language in _SCRIPT_LANGUAGES:
        if pattern.search(text):
            return language
    return None


def writes_alone(language: str, text: str) -> bool:
    """True if the script of `text` is that of `language` and, here, of no other."""
    return language not in _SAME_SCRIPT and script_language(text) == language


def shares_script(language: str, hinted: str) -> bool:
    """True if `language` is written in the script whose usual language is `hinted`."""
    return language == hinted or language in _SAME_SCRIPT.get(hinted, set())


@lru_cache(maxsize=256)
def primary_language(language: str | None) -> str:
    """`de` for `de-AT` or `DE_at`; an empty string for None."""
    return re.split(r"[-_]", language or "", maxsplit=1)[0].lower()
