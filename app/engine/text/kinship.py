"""The degree to which one word speaks for another: roots, compounds, similar spelling."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise

from app.engine.text.scripts import UNSPACED_RUN

ROOT, PART, SPELLING = 0.6, 0.5, 0.4
_ROOT_LETTERS, _PART_LETTERS = 5, 4
_SIMILAR = 0.7  # Dice coefficient of letter pairs from which spellings are alike


def _share(query_term: str, found: str) -> float:
    """The share of its weight that a missing query term earns from another word, 0 to .6.

    Both are index terms (folded, stemmed). `ROOT` when they begin alike for five letters or more
    and for two thirds of `query_term`: what a stemmer leaves apart. `PART` when one is the first or
    the last part of the other: compounds of German, Dutch, Swedish. `SPELLING` when they begin with
    the same letter and most neighbouring letters are the same: names in another spelling,
    participles. Numbers, identifiers and bigrams of unspaced scripts are like nothing but
    themselves.
    """
    if len(query_term) >= _ROOT_LETTERS and found.startswith(_root(query_term)):
        return ROOT
    if _is_part(query_term, found) or _is_part(found, query_term):
        return PART
    return SPELLING if _alike(query_term, found) else 0.0


class Kin:
    """The words akin to the terms of a query, told from all others without comparing each pair."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = [x for x in terms if _has_kin(x)]
        self._parts = frozenset(part for x in self._terms for part in _parts(x))
        self._by_initial: defaultdict[str, list[str]] = defaultdict(list)
        for term in self._terms:
            self._by_initial[term[0]].append(term)
        self._roots, self._ends = tuple(map(_root, self._terms)), tuple(self._terms)

    def shares(self, found: str) -> tuple[tuple[str, float], ...]:
        """The terms that `found` is akin to, each with the share that it earns from it."""
        if not _may_be_kin(found):
            return ()
        if found in self._parts or found.endswith(self._ends) or found.startswith(self._roots):
            near = self._terms
        else:
            near = self._by_initial.get(found[:1], [])
        return tuple((x, share) for x in near if (share := _share(x, found)))


def _has_kin(query_term: str) -> bool:
    return _may_be_kin(query_term) and not UNSPACED_RUN.match(query_term)


def _may_be_kin(word: str) -> bool:
    return len(word) >= _PART_LETTERS and word.isalpha()


def _root(query_term: str) -> str:
    return query_term[: max(_ROOT_LETTERS, round(len(query_term) * 2 / 3))]


def _parts(whole: str) -> Iterable[str]:
    for size in range(_PART_LETTERS, len(whole) - _PART_LETTERS + 2):
        yield whole[:size]
        yield whole[-size:]


def _is_part(part: str, whole: str) -> bool:
    if len(whole) - len(part) < _PART_LETTERS - 1:
        return False
    return whole.endswith(part) or (len(part) >= _ROOT_LETTERS and whole.startswith(part))


def _alike(a: str, b: str) -> bool:
    if a[0] != b[0] or min(len(a), len(b)) <= _ROOT_LETTERS or 2 * abs(len(a) - len(b)) > len(a):
        return False
    left, right = set(pairwise(a)), set(pairwise(b))
    return 2 * len(left & right) >= _SIMILAR * (len(left) + len(right))
