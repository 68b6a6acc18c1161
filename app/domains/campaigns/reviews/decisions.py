"""The end of a judging: one transaction tells votes, voters and the record what was decided."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from app.core import metrics
from app.core.db import Reader, Tx
from app.domains.campaigns.reviews import (
    gold_store,
    reputations,
    store,
    subjects,
    vote_store,
    voters,
)
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.reviews.subjects import Decision
from app.domains.campaigns.reviews.vote_store import Vote
from app.domains.providers.work import outcomes
from app.engine.judging import quorum
from app.engine.judging.quorum import Rule, State

NO_CONSENSUS: Final = {"category": "no_consensus", "reason": "The votes did not agree."}
TOO_FEW_VOTES: Final = "too_few_votes"
BROKEN: Final = {"category": "broken", "reason": "The page that it was read from is not kept."}
NOT_BORNE_OUT: Final = {
    "category": "not_found",
    "reason": "Our own checks: the quotes do not bear it out, and reading the page again differs.",
}


def outcome(reader: Reader, review: Review) -> State | None:
    """Decides by the votes and the rule of this round."""
    if review.round:
        return quorum.majority(review.tally, quorum.appeal_votes(review.k))
    return quorum.outcome(rule(reader, review), review.tally)


def rule(reader: Reader, review: Review) -> Rule:
    """The rule of the first round. Who is there is looked up only where it makes a difference."""
    against = vote_store.newcomers_against(reader, *review.key, review.round)
    led = Rule.of(review.k, doubted=review.doubted, newcomers_against=against)
    state = quorum.outcome(led, review.tally)
    if state == "rejected" or (state is None and review.rejects < review.k):
        return led
    vouched = vote_store.vouched_accepts(reader, *review.key, review.round)
    if state == "accepted" and vouched >= review.k:
        return led
    return replace(led, half=voters.half(reader, review))


def assignments_wanted(reader: Reader, review: Review) -> int:
    """The number of assignments that have to be open now."""
    if review.round:
        return quorum.appeal_votes(review.k) - review.tally.votes
    return quorum.assignments(rule(reader, review), review.tally)


def decide(
    tx: Tx,
    review: Review,
    state: State,
    *,
    checks: Sequence[dict[str, Any]] = (),
    reason: dict[str, str] | None = None,
) -> None:
    """End an open review, whose row the transaction holds. `checks` are those of ours that took
    part, `reason` says what no vote did."""
    if review.round:
        _decide_dispute(tx, review, state)
        return
    cast = vote_store.of(tx, review.record_id, review.version)
    counted = [vote for vote in cast if vote.counted]
    reasons = _reasons(state, counted, reason or _unresolved(review, cast, counted))
    validated_by = [*_named(counted), *checks]
    if not store.decide(tx, review, state, reasons, validated_by):
        return
    outcomes.withdraw(tx, review.assignments)
    tx.after_commit.append(_counter(state, "votes" if counted else "checks"))
    if state != "unresolved":
        _test(tx, review, cast, accepted=state == "accepted")
    else:
        test_by_payer(tx, review, cast)
    subjects.SUBJECT.only.decided(
        tx,
        Decision(
            record_id=review.record_id,
            version=review.version,
            state=state,
            reasons=reasons,
            votes=len(cast),
            independent_votes=len(counted),
            validated_by=validated_by,
            own_check=review.own_check,
        ),
    )


def _unresolved(review: Review, cast: Sequence[Vote], counted: Sequence[Vote]) -> dict[str, str]:
    """Why the votes decide nothing: they differ, or there are too few of them."""
    if len({vote.verdict for vote in counted}) > 1:
        return NO_CONSENSUS
    others = len(cast) - len(counted)
    wanted = f"{review.k} independent votes have to agree"
    if len(counted) >= review.k:
        wanted += ", more where our own check doubts the record or few accounts are there"
    reason = f"{wanted}, and {len(counted)} counted."
    if others:
        reason += f" {others} more were cast by accounts that are in probation, or not independent."
    return {"category": TOO_FEW_VOTES, "reason": reason}


def _reasons(
    state: str, counted: Sequence[Vote], otherwise: dict[str, str]
) -> list[dict[str, str]]:
    """Why it was not accepted, in the words of those whose votes counted."""
    if state == "accepted":
        return []
    if state == "unresolved":
        return [otherwise]
    stated = [
        {"category": vote.category or "other", "reason": vote.reason or ""}
        for vote in counted
        if not vote.verdict
    ]
    return stated or [NOT_BORNE_OUT]


def _named(counted: Sequence[Vote]) -> list[dict[str, Any]]:
    """Voters stay unknown: to each other, and to those whose records they judged."""
    return [{"kind": "node", "verdict": "accept" if vote.verdict else "reject"} for vote in counted]


def _counter(state: str, by: str) -> Callable[[], None]:
    return metrics.reviews_decided.labels(state, by).inc


def _test(
    tx: Tx, review: Review, votes: Sequence[Vote], *, accepted: bool, again: bool = False
) -> None:
    """Every vote on a decided record is a test of who cast it, the uncounted and unanimous too.

    So it is of who contributed the record, and of who had read its page before and found nothing.
    Votes that the payer's word has tested are tested `again` by disputes only.
    """
    rounds = sorted({vote.round for vote in votes})
    vote_store.settle(tx, review.record_id, review.version, rounds, accepted=accepted)
    reputations.learn(
        tx,
        {
            vote.account_id: vote.verdict == accepted
            for vote in votes
            if again or vote.agreed is None
        },
        contributions=_contributions(review, accepted=accepted) if votes else {},
    )


def _contributions(review: Review, *, accepted: bool) -> dict[UUID, bool]:
    tested = {review.overlooked_by: False} if accepted else {}
    tested[review.contributor_id] = accepted
    return {account_id: right for account_id, right in tested.items() if account_id is not None}


def test_by_payer(tx: Tx, review: Review, votes: Sequence[Vote]) -> None:
    """Tests votes by what the payer says, where no decision does or does not soon."""
    if review.payer_verdict is None:
        return
    linked = subjects.linked_with(tx, review.payer_id)
    answers = {}
    for vote in sorted(votes, key=lambda vote: vote.account_id):
        right = vote.verdict == review.payer_verdict
        if (
            vote.agreed is None
            and vote.account_id not in linked
            and gold_store.of_payer(tx, vote.account_id, review.payer_id, right=right)
        ):
            vote_store.settle_one(
                tx, review.record_id, review.version, vote.account_id, agreed=right
            )
            answers[vote.account_id] = right
    reputations.learn(tx, answers)


# A dispute or an appeal is another round: its votes decide whether the former decision was wrong.


def settle_dispute(tx: Tx, review: Review, *, upheld: bool) -> None:
    """An operator decides, whether or not assignments were opened for it."""
    former = review.former if review.state == "open" else review.state
    accepted = (former == "accepted") != upheld
    if review.state == "open":
        _close(tx, review, _state_after(review, upheld=upheld))
    elif upheld:
        store.overturn(tx, review, "accepted" if accepted else "rejected")
    disputed = review.state == "open"
    _test_by_dispute(tx, review, former, accepted=accepted, upheld=upheld, voted_on=disputed)


def _decide_dispute(tx: Tx, review: Review, state: State) -> None:
    """Votes that do not agree, or too few of them, leave the former decision as it was."""
    accepted = state == "accepted"
    is_decided = state != "unresolved"
    upheld = is_decided and accepted != (review.former == "accepted")
    if not _close(tx, review, _state_after(review, upheld=upheld)):
        return
    if is_decided:
        _test_by_dispute(tx, review, review.former, accepted=accepted, upheld=upheld, voted_on=True)
    subjects.SUBJECT.only.dispute_decided(
        tx, review.record_id, review.version, upheld if is_decided else None
    )


def _state_after(review: Review, *, upheld: bool) -> str:
    former = review.former or "unresolved"
    opposite = "rejected" if former == "accepted" else "accepted"
    return opposite if upheld else former


def _close(tx: Tx, review: Review, state: str) -> bool:
    if not store.decide(tx, review, state, review.reasons, review.validated_by):
        return False
    outcomes.withdraw(tx, review.assignments)
    return True


def _test_by_dispute(
    tx: Tx, review: Review, former: str | None, *, accepted: bool, upheld: bool, voted_on: bool
) -> None:
    """Tests those who voted on the dispute, and once more those who were wrong before it."""
    votes = vote_store.of(tx, review.record_id, review.version)
    tested = [vote for vote in votes if voted_on and vote.round == review.round]
    if upheld and former != "unresolved":
        tested = votes
    _test(tx, review, tested, accepted=accepted, again=True)
