"""Handlers of the work that ends runs: stopping them, closing them, looking for what is late."""

from typing import Final
from uuid import UUID

from app.core import db, metrics
from app.core.db import Tx
from app.domains.campaigns.campaigns import kinds, store
from app.domains.campaigns.campaigns.runs import node_work, pages, run_end, run_store
from app.domains.providers.work import outcomes
from app.domains.providers.work import service as work
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt, handles

MOST_AT_ONCE: Final = 100


@handles(kinds.STOP)
def stop(attempt: Attempt) -> Finish:
    """Let a run collect no more, and, where its time is over, wait for no vote either."""
    run_id = UUID(attempt.payload["run_id"])
    while True:
        with attempt.step() as tx:
            stopped = pages.stop(tx, run_id, MOST_AT_ONCE)
        if not stopped.pages:
            break
        with attempt.step() as tx:
            outcomes.withdraw(tx, stopped.work_ids, held=True)
        attempt.check()
    while attempt.payload["undecided"]:
        with attempt.step() as tx:
            if not run_end.end_reviews(tx, run_id, MOST_AT_ONCE):
                break
        attempt.check()
    return lambda tx: run_end.close_if_done(tx, run_id)


@handles(kinds.CLOSE)
def close(attempt: Attempt) -> Finish:
    """Share the pool; then release the rest and move the campaign on, in one transaction."""
    run_id = UUID(attempt.payload["run_id"])
    with attempt.step() as tx:
        run_end.share_pool(tx, run_id)
    return lambda tx: _close(tx, run_id)


def _close(tx: Tx, run_id: UUID) -> None:
    if run_end.close(tx, run_id):
        tx.after_commit.append(metrics.campaign_runs.labels("closed").inc)


@handles(kinds.SWEEP)
def sweep(attempt: Attempt) -> Finish:
    """Promise the end of runs whose deadline has passed, end campaigns whose time is over, and let
    what we read of a page stand in where no node is there to read it."""
    patience = attempt.settings.campaign_node_patience_seconds
    with db.reading() as reader:
        untaken = work.untaken(reader, node_work.EXTRACTION, patience, MOST_AT_ONCE)
        late = run_store.late(reader, MOST_AT_ONCE)
        over = store.ending(reader, MOST_AT_ONCE)
        closing = run_store.closing(reader, MOST_AT_ONCE)
    for campaign_id in over:
        with attempt.step() as tx:
            run_end.end_in_time(tx, campaign_id)
    for run_id in late:
        with attempt.step() as tx:
            run_end.stop_late(tx, run_id)
    for run_id in closing:
        with attempt.step() as tx:
            run_end.promise_close(tx, run_id)
    for work_id, page_id in untaken:
        with attempt.step() as tx:
            if outcomes.withdraw(tx, [work_id]):
                pages.built_in_instead(tx, page_id)
    return lambda _tx: None
