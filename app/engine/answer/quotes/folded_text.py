"""Text as it is compared, with the way back: every folded character knows its place on the page.

Folding is NFKC; typographic quotes and dashes as plain ones; any white space as one space; soft
hyphens and what else is invisible left out. Case is kept.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from app.engine.text.scripts import MARKS, WORD

# What shows nothing, as the inside of a character class: controls, format characters, selectors,
# and halves of surrogate pairs, which JSON can spell and nothing can store.
_HIDDEN = (
    "\\x00-\\x08\\x0e-\\x1b\\x7f-\\x84\\x86-\\x9f\\xad\\u034f\\u0600-\\u0605\\u061c\\u06dd\\u070f"
    "\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff"
    "\\ufff9-\\ufffb\\U000e0000-\\U000e0fff"
)
_HIDDEN_RUN = re.compile(f"[{_HIDDEN}]+")
# NFKC never joins characters across the beginning of such a cluster: a character with the marks
# behind it, or a Hangul syllable in its letters (Unicode Standard Annex 15). What is hidden between
# them goes, and then they join.
_CLUSTER = re.compile(
    rf"(?:[\u1100-\u115f][\u1100-\u11ff{_HIDDEN}]*|[\uac00-\ud7a3][\u11a8-\u11ff{_HIDDEN}]*|(?s:.))"
    rf"[{MARKS}\uff9e\uff9f{_HIDDEN}]*"
)
# ASCII with single spaces folds to itself, but for the last character, which may carry marks.
_PLAIN = re.compile(r"(?:[!-~] ?)+(?=[!-~])")
_ALIKE = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´ʼ＇", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
    }
)
_TOKEN = re.compile(
    rf"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]|[{WORD}]+", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class FoldedText:
    """`text`, and for each of its characters the slice [start, end) of the original it is from."""

    text: str
    starts: list[int]
    ends: list[int]

    def original(self, start: int, end: int) -> tuple[int, int] | None:
        """The slice of the original that folds to text[start:end]; None when that cuts a cluster.

        `starts` never falls, so where a cluster begins and ends is seen from its neighbours.
        """
        first, last = self.starts[start], self.ends[end - 1]
        cuts_first = bisect_left(self.starts, first) != start
        cuts_last = bisect_right(self.starts, self.starts[end - 1]) != end
        return None if cuts_first or cuts_last else (first, last)


def fold(text: str) -> FoldedText:
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    at = 0
    while at < len(text):
        if run := _PLAIN.match(text, at):
            end = run.end()
            pieces.append(text[at:end].translate(_ALIKE))
            starts += range(at, end)
            ends += range(at + 1, end + 1)
        elif cluster := _CLUSTER.match(text, at):
            end = cluster.end()
            folded = _fold_cluster(cluster[0])
            if folded == " " and pieces[-1:] == [" "]:
                ends[-1] = end
            elif folded and (pieces or folded != " "):
                pieces.append(folded)
                starts += [at] * len(folded)
                ends += [end] * len(folded)
        at = end
    return FoldedText("".join(pieces), starts, ends)


def _fold_cluster(cluster: str) -> str:
    shown = plain(cluster)
    if shown.isspace():
        return " "
    return unicodedata.normalize("NFKC", shown.translate(_ALIKE)).translate(_ALIKE)


def plain(text: str) -> str:
    """A text without what is invisible; white space is kept."""
    return _HIDDEN_RUN.sub("", text)


def tokens(text: str) -> list[tuple[str, int, int]]:
    """(case-folded word, start, end) of each word; signs of unspaced scripts one by one."""
    return [(x.group().casefold(), x.start(), x.end()) for x in _TOKEN.finditer(text)]
