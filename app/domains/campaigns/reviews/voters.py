"""The voters of a record: whose votes count, and how many more could vote."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.domains.campaigns.reviews import reputations, store, subjects, vote_store
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.reviews.vote_store import Vote
from app.domains.providers.nodes.store import seen_accounts
from app.engine.judging import quorum
from app.engine.judging.quorum import VoteTally

CAPABILITY: Final = "validation"
SEEN_SECONDS: Final = 600.0
"""An account that was heard of within this time may be waiting for an assignment."""
_ENOUGH: Final = 2 * quorum.MOST_VOTES
"""So many accounts are more than half of which ever vote."""


def is_independent(tx: Tx, review: Review, account_id: UUID) -> bool:
    """True if a vote of the account is independent: of the record, and of those that count."""
    linked = subjects.linked_with(tx, account_id)
    if {review.payer_id, review.contributor_id} & {account_id, *linked}:
        return False
    return not linked or not vote_store.counted_of(tx, *review.key, sorted(linked))


def recount(tx: Tx, review: Review) -> bool:
    """Count the votes of this round anew; whether that changed anything.

    Who has come out of probation since counts from now on, who was suspended does no more.
    """
    cast = vote_store.of(tx, review.record_id, review.version)
    votes = [vote for vote in cast if vote.round == review.round]
    before = {vote.account_id for vote in votes if vote.counted}
    trusted = reputations.trusted(tx, [vote.account_id for vote in votes])
    if before == trusted == {vote.account_id for vote in votes}:
        return False
    counting = _counting(tx, review, votes, trusted)
    if counting == before:
        return False
    vote_store.count(tx, review.record_id, review.version, review.round, sorted(counting))
    verdicts = [vote.verdict for vote in votes if vote.account_id in counting]
    accepts = sum(verdicts)
    store.count(tx, review, accepts=accepts, rejects=len(verdicts) - accepts)
    return True


def _counting(
    tx: Tx, review: Review, votes: Sequence[Vote], trusted: Collection[UUID]
) -> set[UUID]:
    """The accounts whose votes count: the trusted, and agreeing newcomers where these are few."""
    newcomers = reputations.unsuspended(tx, [vote.account_id for vote in votes]) - {*trusted}
    ranked = sorted(votes, key=lambda vote: (vote.account_id not in trusted, vote.work_id))
    able = [vote.account_id for vote in ranked if vote.account_id in newcomers.union(trusted)]
    independent = set(_independent(tx, review, able))
    verdicts = {vote.account_id: vote.verdict for vote in votes if vote.account_id in independent}
    counting = independent & {*trusted}
    if len(verdicts) < review.k + quorum.MORE_IN_PROBATION:
        return counting
    there = others_there(tx, review, SEEN_SECONDS)
    count = quorum.newcomers_count(
        review.k,
        VoteTally.of(verdicts.values()),
        VoteTally.of([verdicts[account_id] for account_id in counting]),
        _number(tx, review, there),
        _number(tx, review, reputations.trusted(tx, [*there])),
    )
    return independent if count else counting


def _independent(reader: Reader, review: Review, accounts: Iterable[UUID]) -> Iterator[UUID]:
    """The accounts that are linked neither with the payer or contributor nor with one before."""
    taken = {review.payer_id, review.contributor_id}
    for account_id in accounts:
        if not taken & {account_id, *subjects.linked_with(reader, account_id)}:
            yield account_id
            taken.add(account_id)


def others_there(reader: Reader, review: Review, seconds: float) -> set[UUID]:
    """Accounts with a voting node heard of lately, without an interest in the record."""
    there = seen_accounts(reader, CAPABILITY, seconds)
    return set(there) - {review.payer_id, review.contributor_id}


def half(reader: Reader, review: Review) -> int:
    there = others_there(reader, review, SEEN_SECONDS)
    return quorum.half_of(review.k, _number(reader, review, there))


def _number(reader: Reader, review: Review, accounts: Collection[UUID]) -> int:
    """Counts the independent accounts among these, no further than it makes a difference."""
    return len(list(islice(_independent(reader, review, sorted(accounts)), _ENOUGH)))
