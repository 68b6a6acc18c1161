"""Okapi BM25 of what a query reads: the sums of the in-memory oracle, bit for bit."""

from collections.abc import Collection, Iterable, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from app.domains.passages.lexical_store import Read
from app.domains.passages.postings import FRESH, PASSAGE, POSTING, unpacked
from app.engine.retrieval.interface import K1, B

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Scores are summed in an array with a slot for each id, except where a whole run of ids is missing
# and that leaves most slots empty: ids of pages that were reread grow, and leave gaps.
_RUN = 8  # bits: 256 ids
_IN_RUN = (1 << _RUN) - 1
_EMPTY = 4  # slots for each posting from which on gaps are closed

Phrases = Sequence[Sequence[Sequence[int]]]
"""For each phrase its readings, for each reading its terms: one reading of each must be there."""


class Matches:
    """The passages that hold any of the terms a snapshot was read for.

    The postings of all terms follow one another in three arrays; `_part` says where those of
    a term are. Each array is passed over a few times as a whole, which is what makes it fast.
    """

    def __init__(self, read: Read) -> None:
        self._n, self._total = read.passages, read.terms
        fresh = unpacked(read.fresh, FRESH)
        added = fresh["term"].astype(np.int64)
        packed: list[bytes] = []
        self._part: dict[int, slice] = {}
        end = 0
        for term, block in read.blocks.items():
            own = (block or b"") + fresh["posting"][added == term].tobytes()
            packed.append(own)
            start, end = end, end + len(own) // POSTING.itemsize
            self._part[term] = slice(start, end)
        self._postings = unpacked(b"".join(packed), POSTING)
        self._number(self._postings["passage"].astype(np.int64))
        self._dead = self._marked(read.dead) if read.dead else None

    def _number(self, ids: Ints) -> None:
        """Give each passage a slot, in the order of ids."""
        self._low = int(ids.min()) >> _RUN if len(ids) else 0
        runs = (int(ids.max()) >> _RUN) - self._low + 1 if len(ids) else 0
        used = np.ones(runs, np.bool_)
        if runs << _RUN > _EMPTY * len(ids):
            used = np.bincount((ids >> _RUN) - self._low) > 0
        self._runs = np.flatnonzero(used) + self._low
        self._rank = np.cumsum(used) - 1
        self._size = len(self._runs) << _RUN
        self._slots = self._slots_of(ids)

    def _slots_of(self, ids: Ints) -> Ints:
        if len(self._runs) == len(self._rank):
            return ids - (self._low << _RUN)
        slots: Ints = self._rank[(ids >> _RUN) - self._low]
        slots <<= _RUN
        slots |= ids & _IN_RUN
        return slots

    def _ids_of(self, slots: Ints) -> Ints:
        ids: Ints = self._runs[slots >> _RUN] << _RUN | slots & _IN_RUN
        return ids

    def _marked(self, passages: bytes | None) -> NDArray[np.bool_]:
        """The slots of those of the passages (postings.PASSAGE) that have one."""
        ids = unpacked(passages, PASSAGE).astype(np.int64)
        marked = np.zeros(self._size, np.bool_)
        marked[self._slots_of(ids[np.isin(ids >> _RUN, self._runs)])] = True
        return marked

    def df(self, term: int) -> int:
        """How many living passages hold the term."""
        slots = self._slots[self._part[term]]
        gone = 0 if self._dead is None else int(np.count_nonzero(self._dead[slots]))
        return len(slots) - gone

    def scores(
        self,
        terms: Iterable[tuple[int, float]],
        excluded: Collection[int] = (),
        phrases: Phrases = (),
    ) -> Floats:
        """By slot: above 0 for the living passages with any of the weighted terms, else 0.

        The terms come in the order in which the snapshot was read for them: sums of equal parts
        are then equal to the last bit, and ties go by id.
        """
        idf = dict.fromkeys(self._part, 0.0)
        for term, weight in terms:
            df = self.df(term)
            idf[term] = log(1 + (self._n - df + 0.5) / (df + 0.5)) * weight
        counts = [part.stop - part.start for part in self._part.values()]
        shares = self._weights()
        shares *= np.repeat(list(idf.values()), counts)
        scores = np.bincount(self._slots, shares, self._size).astype(np.float64, copy=False)
        if self._dead is not None:
            scores[self._dead] = 0
        for term in excluded:
            scores[self._slots[self._part[term]]] = 0
        for readings in phrases:
            scores[~self._holding(readings)] = 0
        return scores

    def _weights(self) -> Floats:
        """`bm25_weight` of each posting."""
        frequencies = self._postings["frequency"].astype(np.float64)
        norms = self._postings["length"].astype(np.float64)
        norms *= B
        norms /= self._total / max(self._n, 1) or 1.0
        norms += 1 - B
        norms *= K1
        norms += frequencies
        weights: Floats = frequencies * (K1 + 1)
        weights /= norms
        return weights

    def _holding(self, readings: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """The slots of passages that hold all terms of one of the readings."""
        holding = np.zeros(self._size, np.bool_)
        for terms in map(set, readings):
            held = np.zeros(self._size, np.int64)
            for term in terms:
                held[self._slots[self._part[term]]] += 1
            holding |= held == len(terms)
        return holding

    def among(self, scores: Floats, passages: bytes | None) -> Floats:
        """The scores of those of the passages (postings.PASSAGE), 0 for the others."""
        return np.where(self._marked(passages), scores, 0.0)

    def best(self, scores: Floats, k: int) -> list[tuple[int, float]]:
        """Ids and scores of the best `k` above 0, best first, ties by smaller id."""
        # The k-th best is at least the k-th of the best of each run, of which there are few.
        least = _kth_best(scores.reshape(-1, 1 << _RUN).max(axis=1), k)
        slots = np.flatnonzero(scores >= least if least > 0 else scores > 0)
        slots = slots[scores[slots] >= _kth_best(scores[slots], k)]
        ids, values = self._ids_of(slots), scores[slots]
        order = np.lexsort((ids, -values))[:k]
        return list(zip(ids[order].tolist(), values[order].tolist(), strict=True))


def _kth_best(scores: Floats, k: int) -> float:
    """0 if there are no more than `k`."""
    place = len(scores) - k
    return float(np.partition(scores, place)[place]) if place > 0 else 0.0
