"""One bounded step after another: fresh postings into blocks, dead ones out of them."""

from collections.abc import Iterable, Sequence

import numpy as np

from app.core.db import Tx
from app.domains.library.passages.index import compaction_store, generation_store
from app.domains.library.passages.index.postings import (
    FRESH,
    PASSAGE,
    POSTING,
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
    for generation, packed in taken.items():
        fresh = unpacked(packed, FRESH)
        dead = unpacked(compaction_store.dead(tx, generation), PASSAGE)
        if len(dead):
            fresh = fresh[~np.isin(fresh["posting"]["passage"], dead)]
        added = dict(by_term(fresh))
        before = compaction_store.take_open(tx, generation, list(added))
        _put(tx, generation, ((term, before.get(term, b"") + new) for term, new in added.items()))
    compaction_store.fold_counts(tx, list(taken))
    return True


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
    rewritten = {}
    for term, packed in compaction_store.postings(
        tx, purge.generation, purge.purged_to, upto
    ).items():
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
