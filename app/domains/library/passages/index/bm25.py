"""Okapi BM25 of what a query reads: the sums of the in-memory oracle, bit for bit."""

from collections.abc import Collection, Iterable, Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from app.domains.library.passages.index.lexical_store import SnapshotPostings
from app.domains.library.passages.index.postings import FRESH, PASSAGE, POSTING, Packed, unpacked
from app.engine.search.interface import K1, B

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

# Scores are summed in an array with a slot for each id, except where a whole run of ids is missing
# and that leaves most slots empty: ids of pages that were reread grow, and leave gaps.
_RUN = 8  # bits: 256 ids
_IN_RUN = (1 << _RUN) - 1
_CHUNK = 8_192  # postings
_EMPTY = 4  # slots for each posting from which on gaps are closed

Phrases = Sequence[Sequence[Sequence[int]]]
"""For each phrase its readings, for each reading its terms: one reading of each must be there."""


class Matches:
    """The passages that hold any of the terms a snapshot was read for.

    Postings are passed over a chunk at a time: what is made of a chunk stays in the cache, and the
    process need not ask for memory again and again, which takes as long as the sums do.
    """

    def __init__(self, read: SnapshotPostings) -> None:
        self._n, self._total = read.passages, read.terms
        fresh = unpacked(read.fresh, FRESH)
        added = fresh["term"].astype(np.int64)
        self._postings: dict[int, Packed] = {
            term: _joined(block, fresh["posting"][added == term])
            for term, block in read.blocks.items()
        }
        self._number([x["passage"] for x in self._postings.values() if len(x)])
        self._dead = self._marked(read.dead) if read.dead else None

    def _number(self, passages: Sequence[NDArray[np.int32]]) -> None:
        """Give each passage a slot, in the order of ids."""
        self._low = min((int(ids.min()) for ids in passages), default=0) >> _RUN
        high = max((int(ids.max()) for ids in passages), default=-1) >> _RUN
        used = np.ones(high - self._low + 1, np.bool_)
        if len(used) << _RUN > _EMPTY * sum(map(len, passages)):
            used[:] = False
            for ids in passages:
                used[(ids.astype(np.int64) >> _RUN) - self._low] = True
        self._runs = np.flatnonzero(used) + self._low
        self._rank = np.cumsum(used) - 1
        self._size = len(self._runs) << _RUN

    def _slots(self, term: int) -> Ints:
        return self._slots_of(self._postings[term]["passage"].astype(np.int64))

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
        held = len(self._postings[term])
        if self._dead is None or not held:
            return held
        return held - int(np.count_nonzero(self._dead[self._slots(term)]))

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
        scores = np.zeros(self._size)
        for term, weight in terms:
            df = self.df(term)
            idf = log(1 + (self._n - df + 0.5) / (df + 0.5)) * weight
            self._add(scores, self._postings[term], idf)
        if self._dead is not None:
            scores[self._dead] = 0
        for term in excluded:
            scores[self._slots(term)] = 0
        for readings in phrases:
            scores[~self._holding(readings)] = 0
        return scores

    def _add(self, scores: Floats, postings: Packed, idf: float) -> None:
        """Add `idf` times `bm25_weight` of each posting."""
        mean_length = self._total / max(self._n, 1) or 1.0
        for start in range(0, len(postings), _CHUNK):
            chunk = postings[start : start + _CHUNK]
            frequencies = chunk["frequency"].astype(np.float64)
            norms = chunk["length"].astype(np.float64)
            norms *= B
            norms /= mean_length
            norms += 1 - B
            norms *= K1
            norms += frequencies
            frequencies *= K1 + 1
            frequencies /= norms
            frequencies *= idf
            np.add.at(scores, self._slots_of(chunk["passage"].astype(np.int64)), frequencies)

    def _holding(self, readings: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
        """The slots of passages that hold all terms of one of the readings."""
        holding = np.zeros(self._size, np.bool_)
        for terms in map(set, readings):
            held = np.zeros(self._size, np.int64)
            for term in terms:
                held[self._slots(term)] += 1
            holding |= held == len(terms)
        return holding

    def among(self, scores: Floats, passages: bytes | None) -> Floats:
        """The scores of those of the passages (postings.PASSAGE), 0 for the others."""
        return np.where(self._marked(passages), scores, 0.0)

    def best(self, scores: Floats, k: int) -> list[tuple[int, float]]:
        """Ids and scores of the best `k` above 0, best first, ties by smaller id."""
        # The k-th best is at least the k-th of the best of each run, of which there are few.
        runs = scores.reshape(-1, 1 << _RUN)
        best = runs.max(axis=1)
        least = _kth_best(best, k)
        rows = np.flatnonzero(best >= least)
        values = runs[rows]
        row, place = np.nonzero((values >= least) & (values > 0))
        ids, values = self._ids_of(rows[row] << _RUN | place), values[row, place]
        few = values >= _kth_best(values, k)
        ids, values = ids[few], values[few]
        order = np.lexsort((ids, -values))[:k]
        return list(zip(ids[order].tolist(), values[order].tolist(), strict=True))


def _joined(block: bytes | None, added: Packed) -> Packed:
    return unpacked((block or b"") + added.tobytes() if len(added) else block, POSTING)


def _kth_best(scores: Floats, k: int) -> float:
    """0 if there are no more than `k`."""
    place = len(scores) - k
    return float(np.partition(scores, place)[place]) if place > 0 else 0.0
