"""Reindexing in slices while searches go on: the operator's passages, then accounts'."""

import time
from functools import partial
from uuid import UUID

from app.core import db
from app.core.db import Tx
from app.domains.library.passages import rebuild
from app.domains.library.passages.index import retriever
from app.domains.library.passages.index.generation_store import UnfinishedGeneration
from app.domains.library.passages.service import REBUILD
from app.domains.queue.jobs.service import Finish
from workers.index.compaction import compact
from workers.queue.attempt import Attempt, handles

SLICE_SECONDS = 20.0  # then other work of the queue gets its turn
STEPS_PER_MERGE = 8  # of a thousand passages


@handles(REBUILD)
def reindex(attempt: Attempt) -> Finish:
    """Continue the rebuild, and enqueue the rest; the last job drops what served before."""
    if attempt.payload.get("switched"):
        attempt.stage("tidying", 99)
        compact(attempt)
        return _go_on_with_accounts
    given = attempt.payload.get("account_id")
    account_id = None if given is None else UUID(given)
    attempt.stage("rebuilding", 0)
    with attempt.step() as tx:
        building = rebuild.begin(tx, account_id)
    until, steps = time.monotonic() + SLICE_SECONDS, 0
    while step := _build(attempt, building, account_id):
        building, steps = step, steps + 1
        if steps % STEPS_PER_MERGE == 0:
            compact(attempt, lightly=True)
        if time.monotonic() >= until:
            return partial(rebuild.promise, account_id=account_id)
    done = building

    def end(tx: Tx) -> None:
        rebuild.switch(tx, done, account_id)
        rebuild.promise(tx, switched=True)

    return end


def _go_on_with_accounts(tx: Tx) -> None:
    """Once an index is done, that of an account is next which an older analysis made."""
    stale = rebuild.stale_account(tx)
    if stale is not None:
        rebuild.promise(tx, account_id=stale)


def _build(
    attempt: Attempt,
    building: UnfinishedGeneration,
    account_id: UUID | None,
) -> UnfinishedGeneration | None:
    """The next passages; where the rebuild stands then, None when it is complete."""
    with db.reading() as reader:
        waiting, left = rebuild.unbuilt(reader, building, account_id=account_id)
    if not waiting:
        return None
    attempt.report("rebuilding", 50, passages_left=left)
    analysed = retriever.analyse(waiting)
    with attempt.step() as tx:
        return rebuild.build(tx, building, analysed)
