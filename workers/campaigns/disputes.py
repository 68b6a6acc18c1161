"""Handlers of disputes: settle decided ones, close those that nobody decided in time."""

from typing import Final
from uuid import UUID

from app.core import db
from app.domains.campaigns.campaigns.disputes import service, settlement, store
from app.domains.queue.jobs.service import Finish
from workers.queue.attempt import Attempt, handles

MOST_AT_ONCE: Final = 100


@handles(service.SETTLE)
def settle(attempt: Attempt) -> Finish:
    """Turn the decision round or confirm it, and move the money: a transaction for each step."""
    id = UUID(attempt.payload["dispute_id"])
    with db.reading() as reader:
        dispute = store.by_id(reader, id)
        if dispute is not None and settlement.waits(reader, dispute):
            return lambda _tx: None  # promised again by the sweep
    if dispute is not None and dispute.settled_at is None:
        for step in settlement.steps(dispute):
            with attempt.step() as tx:
                step(tx, dispute)
    return lambda tx: store.set_settled(tx, id)


@handles(service.SWEEP)
def sweep(attempt: Attempt) -> Finish:
    """Refuse what was open for too long; promise again what failed to follow from a decision."""
    with db.reading() as reader:
        overdue = store.overdue(reader, MOST_AT_ONCE)
    for dispute in overdue:
        with attempt.step() as tx:
            service.refuse_overdue(tx, dispute)
    with attempt.step() as tx:
        service.promise_unsettled(tx, MOST_AT_ONCE)
    return lambda _tx: None
