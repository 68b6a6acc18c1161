"""One bounded step after another: fresh postings into blocks, dead ones out of them."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from app.core.db import Tx
from app.domains.library.passages.index import compaction_store, generation_store
from app.domains.library.passages.index.postings import (
    ALL_TERMS,
    FRESH,
    PASSAGE,
    POSTING,
    SMALL,
    Packed,
    blocks,
    by_term,
    is_full,
    unpacked,
)

_FRESH_PER_STEP = 4_096  # rows; of batches of 20 pages about half a million postings
_BLOCKS_PER_STEP = 8_192
_ROWS_PER_STEP = 50_000  # of a generation that was left
# While much is being added: a term's last block is rewritten once for many batches.
LIGHTLY, WHOLLY = 2_048, 1
# Queries know which ids are dead, so sweeping the whole index may wait until it is worth it.
_DEAD_SHARE = 0.05


def step(tx: Tx, *, least_fresh: int) -> bool:
    """Take in fresh rows if there are `least_fresh`; False when there was too little to do."""
    compaction_store.alone(tx)
    if compaction_store.fresh_rows(tx, least_fresh) < least_fresh:
        return False
    taken = compaction_store.take_fresh(tx, _FRESH_PER_STEP)
    without_blocks = compaction_store.without_blocks(tx, list(taken))
    small = compaction_store.take_small(tx, without_blocks)
    merged = {}
    for generation, packed in taken.items():
        dead = unpacked(compaction_store.dead(tx, generation), PASSAGE)
        fresh = _living(unpacked(small.get(generation, b"") + packed, FRESH), dead)
        if generation in without_blocks and len(fresh) <= SMALL:
            merged[generation] = fresh.tobytes()
        else:
            _merge(tx, generation, fresh)
    compaction_store.put_small(tx, merged)
    compaction_store.fold_counts(tx, list(taken))
    return True


def _living(fresh: Packed, dead: NDArray[np.int32]) -> Packed:
    return fresh[~np.isin(fresh["posting"]["passage"], dead)] if len(dead) else fresh


def _merge(tx: Tx, generation: int, fresh: Packed) -> None:
    added = dict(by_term(fresh))
    before = compaction_store.take_open(tx, generation, list(added))
    _put(tx, generation, ((term, before.get(term, b"") + new) for term, new in added.items()))


def _put(tx: Tx, generation: int, postings: Iterable[tuple[int, bytes]]) -> None:
    cut = [(term, block) for term, packed in postings for block in blocks(packed)]
    compaction_store.put_full(
        tx, generation, ((term, block) for term, block in cut if is_full(block))
    )
    compaction_store.put_open(
        tx, generation, ((term, block) for term, block in cut if not is_full(block))
    )


def tidy(tx: Tx, *, dead_share: float = _DEAD_SHARE) -> bool:
    """Drop what is dead or was left; False when there is nothing to do.

    A sweep begins when the dead are `dead_share` of the living, and whoever calls goes on with the
    sweep that somebody else began.
    """
    compaction_store.alone(tx)
    if generation_store.forget_some(tx, _ROWS_PER_STEP):
        return True
    purge = compaction_store.purging(tx)
    if purge is None:
        return compaction_store.begin_purge(tx, dead_share)
    upto = compaction_store.next_term(tx, purge.generation, purge.purged_to, _BLOCKS_PER_STEP)
    if upto is None:
        compaction_store.forget_dead(tx, purge.generation)
    else:
        _sweep(tx, purge, upto)
        compaction_store.set_purged(tx, purge.generation, upto)
    return True


def _sweep(tx: Tx, purge: compaction_store.Purge, upto: int) -> None:
    dead = unpacked(purge.passages, PASSAGE)
    held = compaction_store.postings(tx, purge.generation, purge.purged_to, upto)
    if small := held.pop(ALL_TERMS, None):
        kept = _living(unpacked(small, FRESH), dead)
        compaction_store.take_small(tx, [purge.generation])
        compaction_store.put_small(tx, {purge.generation: kept.tobytes()})
    rewritten = {}
    for term, packed in held.items():
        all_of_it = unpacked(packed, POSTING)
        kept = all_of_it[~np.isin(all_of_it["passage"], dead)]
        if len(kept) < len(all_of_it):
            rewritten[term] = kept.tobytes()
    compaction_store.drop_blocks(tx, purge.generation, list(rewritten))
    _put(tx, purge.generation, rewritten.items())


def forget(tx: Tx, ids: Sequence[int]) -> None:
    """Make sure that no posting of these dead passages is left: reads the whole index if one is."""
    compaction_store.alone(tx)
    if not np.isin(unpacked(compaction_store.all_dead(tx), PASSAGE), ids).any():
        return
    while step(tx, least_fresh=WHOLLY):
        pass
    while tidy(tx, dead_share=0.0):
        pass
