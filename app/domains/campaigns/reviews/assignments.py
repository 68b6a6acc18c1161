"""Seats: offered by need, answered by a vote, or left empty."""

from typing import Any, Final
from uuid import UUID

from app.core import db, metrics
from app.core.db import Reader, Tx
from app.domains.campaigns.reviews import (
    decisions,
    gold_store,
    reputations,
    store,
    subjects,
    vote_items,
    vote_store,
)
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.reviews.vote_items import VoteInput
from app.domains.providers.nodes import store as node_store
from app.domains.providers.work import outcomes
from app.domains.providers.work import service as work
from app.domains.providers.work.kinds import Item, WorkKind
from app.domains.queue.jobs.kinds import Kind
from app.engine.judging import quorum

CAPABILITY: Final = "validation"
STALLED_SECONDS: Final = 600.0
_MOST_RELIEF: Final = 3
RECORDED: Final[dict[str, Any]] = {"recorded": True}
"""What every vote is answered with: a voter learns nothing from it."""


def load(item: Item) -> dict[str, Any] | None:
    """The blind input of a seat; None when record or snapshot is gone."""
    with db.reading() as reader:
        whole = vote_items.whole_input(reader, item)
    return None if whole is None else vote_items.blind(whole)


def check(item: Item, output: dict[str, Any]) -> VoteInput | None:
    """The vote, if it is one. Raises Invalid. None: there is nothing left to vote on."""
    with db.reading() as reader:
        whole = vote_items.whole_input(reader, item)
    return None if whole is None else vote_items.ballot(whole, output)


def accept(tx: Tx, item: Item, ballot: VoteInput | None) -> dict[str, Any]:
    """Take a vote, in the transaction that ends its work."""
    if ballot is None or item.account_id is None:
        return RECORDED
    if item.gold:
        _test(tx, item, ballot)
    elif item.record_id is not None and item.version is not None:
        _cast(tx, item, item.account_id, item.record_id, item.version, ballot)
    return RECORDED


def _test(tx: Tx, item: Item, ballot: VoteInput) -> None:
    gold = gold_store.by_id(tx, item.subject)
    if gold and item.account_id and gold_store.answered(tx, item.id, ballot.accepts):
        reputations.learn(tx, {item.account_id: ballot.accepts == gold.truth}, are_gold=True)
        metrics.votes.labels("gold").inc()


def _cast(
    tx: Tx, item: Item, account_id: UUID, record_id: UUID, version: int, ballot: VoteInput
) -> None:
    review = store.lock(tx, record_id, version)
    if review is None:
        return
    deciding_seat = review.state == "open" and item.id in review.seats
    counted = _counts(tx, review, account_id)
    is_first = vote_store.insert(
        tx,
        record_id,
        version,
        account_id,
        round=review.round if deciding_seat or not review.round else review.round - 1,
        node_id=item.node_id,
        work_id=item.id,
        verdict=ballot.accepts,
        category=ballot.category,
        reason=ballot.reason,
        evidence=ballot.evidence,
        counted=counted,
    )
    if not is_first:
        vacated(tx, record_id, version, item.id)
        return
    metrics.votes.labels("counted" if counted else "probation").inc()
    if deciding_seat:
        accepts, rejects = counted and ballot.accepts, counted and not ballot.accepts
        store.voted(tx, review, item.id, accepts=int(accepts), rejects=int(rejects))
        go_on(tx, record_id, version)
    else:
        _late(tx, review, account_id, accepts=ballot.accepts)


def _counts(tx: Tx, review: Review, account_id: UUID) -> bool:
    """True if the vote is independent: of the record, and of the other votes."""
    if account_id in (review.payer_id, review.contributor_id):
        return False
    linked = subjects.linked_with(tx, account_id)
    if {review.payer_id, review.contributor_id} & linked:
        return False
    if linked and vote_store.counted_of(tx, review.record_id, review.version, sorted(linked)):
        return False
    return bool(reputations.trusted(tx, [account_id]))


def _late(tx: Tx, review: Review, account_id: UUID, *, accepts: bool) -> None:
    """A vote that was overtaken decides nothing; it is tested, and paid, as if it had come."""
    state = review.former if review.state == "open" else review.state
    if state in ("accepted", "rejected"):
        right = accepts == (state == "accepted")
        vote_store.settle_one(tx, review.record_id, review.version, account_id, agreed=right)
        reputations.learn(tx, {account_id: right})


def go_on(tx: Tx, record_id: UUID, version: int) -> None:
    """Decide what the votes decide, or open the seats that are missing."""
    review = store.lock(tx, record_id, version)
    if review is None or review.state != "open":
        return
    state = decisions.outcome(review, decisions.tally(review))
    if state is not None:
        decisions.decide(tx, review, state)
        return
    missing = decisions.seats_wanted(review) - len(review.seats)
    if missing > 0:
        store.seated(tx, review, _offered(tx, review, missing))


def relieve(tx: Tx, review: Review) -> None:
    """Nobody has voted for a while: whoever holds a seat may never do so. Another one, up to three
    more than are needed."""
    waited = (review.now - review.moved_at).total_seconds()
    missing = decisions.seats_wanted(review) + _MOST_RELIEF - len(review.seats)
    if review.seats and missing > 0 and waited >= STALLED_SECONDS:
        store.seated(tx, review, _offered(tx, review, 1))


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
            slots=many + len(review.seats),
            excluded=[*never, *voters],
            deadline_seconds=max(1.0, seconds),
        )
        for _ in range(many)
    ]


def ended(tx: Tx, item: Item) -> None:
    """A seat that nobody answered: another one, if votes are still missing."""
    if not item.gold and item.record_id is not None and item.version is not None:
        vacated(tx, item.record_id, item.version, item.id)


def vacated(tx: Tx, record_id: UUID, version: int, work_id: UUID) -> None:
    review = store.lock(tx, record_id, version)
    if review is not None and work_id in review.seats:
        store.vacated(tx, record_id, version, work_id)
        go_on(tx, record_id, version)


def able_accounts(reader: Reader, review: Review, seconds: float) -> set[UUID]:
    """The accounts that could cast a vote that counts and were heard of lately."""
    seen = node_store.seen_accounts(reader, CAPABILITY, seconds)
    voted = vote_store.accounts(reader, review.record_id, review.version)
    able = reputations.trusted(reader, seen)
    return able - {review.payer_id, review.contributor_id, *voted}


VALIDATION: Final = WorkKind(
    kind=outcomes.register_kind(
        Kind(
            name="nodes.validation",
            queue="nodes.validation",
            deadline_seconds=quorum.OPEN_SECONDS,
            max_attempts=5,
        )
    ),
    capability=CAPABILITY,
    load=load,
    check=check,
    accept=accept,
    ended=ended,
)
