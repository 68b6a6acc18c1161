"""Judging of records: assignments of independent accounts, votes, decisions, and the test of who
votes.

A record is decided by a lead of k votes, in the transaction in which the last of them is taken.
The domain whose records are judged is a `Subject`.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.account.audit.service import record_event
from app.domains.campaigns.reviews import (
    assignments,
    decisions,
    gold_items,
    reputation_store,
    reputations,
    store,
    vote_store,
    voters,
)
from app.domains.campaigns.reviews.reputation_store import AccountStanding
from app.domains.campaigns.reviews.reputations import SUSPENDED
from app.domains.campaigns.reviews.store import OLDEST, Review, WaitingReview
from app.domains.providers.nodes import service
from app.domains.providers.nodes.store import accounts_able
from app.domains.providers.work import service as work
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.kinds import EndedJob
from app.domains.queue.jobs.service import enqueue
from app.engine.judging import quorum, wald
from app.engine.judging.checks import RecordChecks

NETWORK_SECONDS: Final = 7 * 86_400.0
"""As long as a run may last: while a node that votes was heard of within this time there is a
network, and `min_validators` is kept."""


@dataclass(frozen=True, slots=True)
class Patience:
    """The time that votes are waited for: with nobody there who could cast one, and at most."""

    alone_seconds: float
    open_seconds: float


@dataclass(frozen=True, slots=True)
class Reputation:
    """The tested answers of an account, as odds of being right. It weighs no vote."""

    right: int
    wrong: int
    gold: int
    mean: float
    low: float
    high: float
    accepted_records: int
    rejected_records: int
    in_probation: bool
    vouched_at: datetime | None
    suspended_at: datetime | None
    reason: str | None


def check_failed(tx: Tx, ended: EndedJob) -> None:
    """`on_end` of our own check: without it the votes decide alone."""
    record_id, version = UUID(ended.payload["record_id"]), ended.payload["version"]
    checked(tx, record_id, version, RecordChecks.nothing())


CHECK = kinds.register(
    "reviews.check", queue="campaigns", deadline_seconds=600, ids_per_message=1, on_end=check_failed
)
ATTEND = kinds.register(
    "reviews.attend", queue="campaigns", deadline_seconds=300, priority=60, every_seconds=30
)


def open(
    tx: Tx,
    record_id: UUID,
    version: int,
    *,
    payer_id: UUID,
    k: int,
    contributor_id: UUID | None,
    overlooked_by: UUID | None = None,
    deadline_at: datetime,
) -> None:
    """Have a record judged by `k` more votes for it than against it, or the reverse.

    Our own check comes first, then its assignments are offered. Done twice, it is done once.
    `overlooked_by` read its page before and found nothing there, which was wrong if it is accepted.
    """
    is_new = store.insert(
        tx,
        record_id=record_id,
        version=version,
        payer_id=payer_id,
        contributor_id=contributor_id,
        overlooked_by=overlooked_by,
        k=k,
        deadline_at=deadline_at,
    )
    if is_new:
        enqueue(tx, CHECK, payer_id, {"record_id": str(record_id), "version": version})


def close(tx: Tx, record_id: UUID, version: int) -> None:
    """The time of its run is over: what the votes have not decided stays unresolved."""
    review = store.lock(tx, record_id, version)
    if review is not None and review.state == "open":
        decisions.decide(tx, review, "unresolved")


def reopen(tx: Tx, record_id: UUID, version: int, k: int, *, former: str) -> None:
    """Have a decision that is disputed judged by 2k + 1 accounts that have not voted.

    `former` is what became of the record: votes may have accepted one that could not be paid.
    """
    if store.reopen(tx, record_id, version, k, former, quorum.DISPUTE_DAYS * 86_400.0):
        assignments.go_on(tx, record_id, version)


def settle_dispute(tx: Tx, record_id: UUID, version: int, upheld: bool) -> None:
    """An operator decides a dispute; `dispute_decided` is not called. Votes learn from it."""
    review = store.lock(tx, record_id, version)
    if review is not None and (review.state != "open" or review.round):
        decisions.settle_dispute(tx, review, upheld=upheld)


def reputation(reader: Reader, account_id: UUID) -> Reputation:
    """As it is now: for the operator."""
    standing = reputation_store.by_id(reader, account_id)
    return _reputation(standing, standing.right_answers, standing.wrong_answers)


def shown_reputation(tx: Tx, account_id: UUID) -> Reputation:
    """As its owner sees it: up to a day old, so that no answer shows whether it was a test."""
    reputation_store.show(tx, account_id)
    standing = reputation_store.by_id(tx, account_id)
    return _reputation(standing, standing.shown_right, standing.shown_wrong)


def _reputation(standing: AccountStanding, right: int, wrong: int) -> Reputation:
    low, high = wald.interval(right, wrong)
    return Reputation(
        right=right,
        wrong=wrong,
        gold=standing.gold_answers,
        mean=wald.mean(right, wrong),
        low=low,
        high=high,
        accepted_records=standing.accepted_records,
        rejected_records=standing.rejected_records,
        in_probation=reputations.is_newcomer(standing),
        vouched_at=standing.vouched_at,
        suspended_at=standing.suspended_at,
        reason=standing.reason,
    )


def suspended(reader: Reader, most: int = 100) -> list[tuple[UUID, Reputation]]:
    """The accounts that are suspended, the latest first."""
    return [
        (each.account_id, reputation(reader, each.account_id))
        for each in reputation_store.suspended(reader, most)
    ]


def reinstate(tx: Tx, account_id: UUID) -> bool:
    """An operator looked at it: its test begins anew. False: it is not suspended."""
    if not reputation_store.reinstate(tx, account_id):
        return False
    service.resume(tx, account_id)
    return True


def vouch(tx: Tx, account_id: UUID, *, vouched: bool) -> bool:
    """The operator vouches for an account, or does no more. False: so it was before."""
    if not reputation_store.vouch(tx, account_id, vouched=vouched):
        return False
    record_event(tx, "reviewer.trusted" if vouched else "reviewer.distrusted", None, account_id)
    return True


def judges(reader: Reader, most: int, after: UUID | None) -> list[tuple[UUID, Reputation]]:
    """The accounts with a node that votes, the oldest first."""
    found = accounts_able(reader, voters.CAPABILITY, most, after)
    return [(account_id, reputation(reader, account_id)) for account_id in found]


def judge_for_payer(tx: Tx, record_id: UUID, version: int, *, accepts: bool) -> bool:
    """Keeps whether a record is right, as its payer says. False: it is decided, or was judged.

    That is a known answer for voters, and decides nothing: else payers could refuse to pay.
    """
    review = store.lock(tx, record_id, version)
    if review is None or not store.judged_by_payer(tx, review, accepts):
        return False
    gold_items.keep_of_payer(tx, review, truth=accepts)
    judged = store.lock(tx, record_id, version)
    if judged is not None:
        votes = vote_store.of(tx, record_id, version)
        tested = [vote for vote in votes if judged.state != "open" or not vote.counted]
        decisions.test_by_payer(tx, judged, tested)
    return True


# The workers' side.


def checked(tx: Tx, record_id: UUID, version: int, outcome: RecordChecks) -> None:
    """Our own check has looked: now its assignments are offered."""
    review = store.lock(tx, record_id, version)
    if review is None or review.state != "open" or review.own_check is not None:
        return
    if store.set_own_check(tx, review, outcome.as_json(), doubted=outcome.doubted):
        assignments.go_on(tx, record_id, version)


def gone(tx: Tx, record_id: UUID, version: int) -> None:
    """The record or its snapshot is not kept any more: there is nothing to vote on."""
    review = store.lock(tx, record_id, version)
    if review is not None and review.state == "open":
        decisions.decide(tx, review, "unresolved", reason=decisions.BROKEN)


def unattended(
    reader: Reader, patience: Patience, after: WaitingReview = OLDEST, most: int = 200
) -> list[WaitingReview]:
    """Open reviews that may have waited long enough, oldest first, from behind one of them."""
    seconds = min(patience.alone_seconds, patience.open_seconds, assignments.STALLED_SECONDS)
    return store.open_since(reader, seconds, after, most)


def attend(tx: Tx, record_id: UUID, version: int, patience: Patience) -> None:
    """Count votes anew; without a network our own checks decide, and waits end."""
    review = store.lock(tx, record_id, version)
    if review is not None and review.own_check is not None:
        assignments.go_on(tx, record_id, version)
        review = store.lock(tx, record_id, version)
    if review is None or review.state != "open":
        return
    waited = (review.now - (review.first_vote_at or review.opened_at)).total_seconds()
    time_is_up = waited >= patience.open_seconds and not review.round
    may_be_alone = waited >= min(patience.alone_seconds, patience.open_seconds)
    if review.now >= review.deadline_at:
        decisions.decide(tx, review, "unresolved")
    elif may_be_alone and _is_alone(tx, review):
        outcome = RecordChecks.from_json(review.own_check or {})
        decisions.decide(tx, review, outcome.state, checks=outcome.named())
    elif time_is_up or (may_be_alone and _have_all_voted(tx, review)):
        decisions.decide(tx, review, "unresolved")
    else:
        assignments.relieve(tx, review)


def _is_alone(tx: Tx, review: Review) -> bool:
    """True if nobody is there who votes: then our own checks decide, whatever k is, and say so."""
    if review.round or review.own_check is None or review.first_vote_at:
        return False
    return not voters.others_there(tx, review, NETWORK_SECONDS)


def _have_all_voted(tx: Tx, review: Review) -> bool:
    """True if every vote counts, and nobody is there who could cast another."""
    if review.round or not review.first_vote_at:
        return False
    cast = vote_store.of(tx, *review.key)
    there = voters.others_there(tx, review, NETWORK_SECONDS)
    return all(vote.counted for vote in cast) and there <= {vote.account_id for vote in cast}


def consequences(tx: Tx, account_id: UUID) -> None:
    """Draws the consequences of a suspension, unless an operator was faster."""
    standing = reputation_store.by_id(tx, account_id)
    if standing.suspended_at is None:
        return
    work.suspend(tx, account_id, standing.reason or reputations.REASON)
    for hear in SUSPENDED:
        hear(tx, account_id)
