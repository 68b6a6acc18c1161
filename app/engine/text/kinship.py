"""How far one word speaks for another: common roots, parts of compounds, similar spelling."""

from itertools import pairwise

from app.engine.text.scripts import UNSPACED_RUN

ROOT, PART, SPELLING = 0.6, 0.5, 0.4
_ROOT_LETTERS, _PART_LETTERS = 5, 4
_SIMILAR = 0.7  # Dice coefficient of character pairs beyond which spellings are alike


def kinship(asked: str, found: str) -> float:
    """The share of its weight that a missing query term earns from another word, 0 to .6.

    Both are index terms (folded, stemmed). `ROOT` when they begin alike for five letters or more
    and for two thirds of `asked`: what a stemmer leaves apart. `PART` when one is the first or the
    last part of the other: compounds of German, Dutch, Swedish. `SPELLING` when most of their
    neighbouring letters are the same: names in another spelling, prefixes inside a verb. Numbers,
    identifiers and bigrams of unspaced scripts are like nothing but themselves.
    """
    shorter = min(len(asked), len(found))
    if shorter < _PART_LETTERS or not (asked.isalpha() and found.isalpha()):
        return 0.0
    if UNSPACED_RUN.match(asked):
        return 0.0
    root = max(_ROOT_LETTERS, round(len(asked) * 2 / 3))
    if found.startswith(asked[:root]) and len(asked) >= _ROOT_LETTERS:
        return ROOT
    if _is_part(*sorted((asked, found), key=len)):
        return PART
    return SPELLING if _alike(asked, found) else 0.0


def _is_part(part: str, whole: str) -> bool:
    rest = len(whole) - len(part)
    if rest < _PART_LETTERS - 1:
        return False
    return whole.endswith(part) or (len(part) >= _ROOT_LETTERS and whole.startswith(part))


def _alike(a: str, b: str) -> bool:
    if min(len(a), len(b)) <= _ROOT_LETTERS or abs(len(a) - len(b)) > min(len(a), len(b)):
        return False
    left, right = set(pairwise(a)), set(pairwise(b))
    return 2 * len(left & right) >= _SIMILAR * (len(left) + len(right))
