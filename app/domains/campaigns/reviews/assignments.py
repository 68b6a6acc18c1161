"""Assignments: offered by need, answered by a vote, or left empty."""

from typing import Any, Final
from uuid import UUID

from app.core import db, metrics
from app.core.db import Tx
from app.domains.campaigns.reviews import (
    decisions,
    gold_store,
    reputations,
    store,
    vote_items,
    vote_store,
    voters,
)
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.reviews.vote_items import VoteInput
from app.domains.providers.work import outcomes
from app.domains.providers.work import service as work
from app.domains.providers.work.kinds import Item, WorkKind
from app.engine.judging import quorum

STALLED_SECONDS: Final = 600.0
_MOST_RELIEF: Final = 3
RECORDED: Final[dict[str, Any]] = {"recorded": True}
"""What every vote is answered with: a voter learns nothing from it."""


def load(item: Item) -> dict[str, Any] | None:
    """The blind input of an assignment; None when record or snapshot is gone."""
    with db.reading() as reader:
        whole = vote_items.whole_input(reader, item)
    return None if whole is None else vote_items.blind(whole)


def check(item: Item, output: dict[str, Any]) -> VoteInput | None:
    """The vote, if it is one. Raises Invalid. None: there is nothing left to vote on."""
    with db.reading() as reader:
        whole = vote_items.whole_input(reader, item)
    return None if whole is None else vote_items.vote(whole, output)


def accept(tx: Tx, item: Item, vote: VoteInput | None) -> dict[str, Any]:
    """Take a vote, in the transaction that ends its work."""
    if vote is None or item.account_id is None:
        return RECORDED
    if item.gold:
        _test(tx, item, vote)
    elif item.record_id is not None and item.version is not None:
        _cast(tx, item, item.account_id, item.record_id, item.version, vote)
    return RECORDED


def _test(tx: Tx, item: Item, vote: VoteInput) -> None:
    gold = gold_store.by_id(tx, item.subject)
    if not gold or not item.account_id or not gold_store.set_verdict(tx, item.id, vote.accepts):
        return
    right = vote.accepts == gold.truth
    metrics.votes.labels("gold").inc()
    if gold.payer_id is None or gold_store.of_payer(
        tx, item.account_id, gold.payer_id, right=right
    ):
        reputations.learn(tx, {item.account_id: right}, are_gold=True)


def _cast(
    tx: Tx, item: Item, account_id: UUID, record_id: UUID, version: int, vote: VoteInput
) -> None:
    review = store.lock(tx, record_id, version)
    if review is None:
        return
    decides = review.state == "open" and item.id in review.assignments
    trusted = bool(reputations.trusted(tx, [account_id]))
    counted = trusted and voters.is_independent(tx, review, account_id)
    is_first = vote_store.insert(
        tx,
        record_id=record_id,
        version=version,
        account_id=account_id,
        round=review.round if decides or not review.round else review.round - 1,
        node_id=item.node_id,
        work_id=item.id,
        verdict=vote.accepts,
        category=vote.category,
        reason=vote.reason,
        evidence=vote.evidence,
        counted=counted,
    )
    if not is_first:
        unanswered(tx, record_id, version, item.id)
        return
    metrics.votes.labels("counted" if counted else "probation").inc()
    if decides:
        accepts, rejects = counted and vote.accepts, counted and not vote.accepts
        store.count_vote(tx, review, item.id, accepts=int(accepts), rejects=int(rejects))
        if not trusted:
            decisions.test_by_payer(tx, review, vote_store.of(tx, record_id, version))
        go_on(tx, record_id, version)
    else:
        _late(tx, review, account_id, accepts=vote.accepts)


def _late(tx: Tx, review: Review, account_id: UUID, *, accepts: bool) -> None:
    """A vote that was overtaken decides nothing; it is tested, and paid, as if it had come."""
    state = review.former if review.state == "open" else review.state
    if state in ("accepted", "rejected"):
        right = accepts == (state == "accepted")
        vote_store.settle_one(tx, review.record_id, review.version, account_id, agreed=right)
        reputations.learn(tx, {account_id: right})


def go_on(tx: Tx, record_id: UUID, version: int) -> None:
    """Decide what the votes decide, or open the assignments that are missing."""
    review = store.lock(tx, record_id, version)
    if review is not None and review.state == "open" and voters.recount(tx, review):
        review = store.lock(tx, record_id, version)
    if review is None or review.state != "open":
        return
    state = decisions.outcome(tx, review)
    if state is not None:
        decisions.decide(tx, review, state)
        return
    missing = decisions.assignments_wanted(tx, review) - len(review.assignments)
    if missing > 0:
        store.add_assignments(tx, review, _offered(tx, review, missing))


def relieve(tx: Tx, review: Review) -> None:
    """Nobody has voted for a while: whoever holds an assignment may never do so. Another one, up to
    three more than are needed."""
    waited = (review.now - review.moved_at).total_seconds()
    missing = decisions.assignments_wanted(tx, review) + _MOST_RELIEF - len(review.assignments)
    if review.assignments and missing > 0 and waited >= STALLED_SECONDS:
        store.add_assignments(tx, review, _offered(tx, review, 1))


def _offered(tx: Tx, review: Review, many: int) -> list[UUID]:
    seconds = min(quorum.OPEN_SECONDS, (review.deadline_at - review.now).total_seconds())
    voters = vote_store.accounts(tx, review.record_id, review.version)
    never = [id for id in (review.payer_id, review.contributor_id) if id is not None]
    return [
        work.offer(
            tx,
            VALIDATION,
            review.payer_id,
            subject=review.record_id,
            record_id=review.record_id,
            version=review.version,
            slots=many + len(review.assignments),
            excluded=[*never, *voters],
            deadline_seconds=max(1.0, seconds),
        )
        for _ in range(many)
    ]


def ended(tx: Tx, item: Item) -> None:
    """An assignment that nobody answered: another one, if votes are still missing."""
    if not item.gold and item.record_id is not None and item.version is not None:
        unanswered(tx, item.record_id, item.version, item.id)


def unanswered(tx: Tx, record_id: UUID, version: int, work_id: UUID) -> None:
    review = store.lock(tx, record_id, version)
    if review is not None and work_id in review.assignments:
        store.remove_assignment(tx, record_id, version, work_id)
        go_on(tx, record_id, version)


VALIDATION: Final = WorkKind(
    kind=outcomes.register_kind(
        "nodes.validation",
        queue="nodes.validation",
        deadline_seconds=quorum.OPEN_SECONDS,
        max_attempts=5,
    ),
    capability=voters.CAPABILITY,
    load=load,
    check=check,
    accept=accept,
    ended=ended,
)
