"""The end of a judging: one transaction tells votes, voters and the record what was decided."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from app.core import metrics
from app.core.db import Tx
from app.domains.campaigns.reviews import reputations, store, subjects, vote_store
from app.domains.campaigns.reviews.store import Review
from app.domains.campaigns.reviews.subjects import Decision
from app.domains.campaigns.reviews.vote_store import Vote
from app.domains.providers.work import service as work
from app.engine.judging import quorum
from app.engine.judging.quorum import Rule, State, VoteTally

NO_CONSENSUS: Final = {
    "category": "no_consensus",
    "reason": "The votes did not agree, or too few came in time.",
}
BROKEN: Final = {"category": "broken", "reason": "The page that it was read from is not kept."}
NOT_BORNE_OUT: Final = {
    "category": "not_found",
    "reason": "Our own checks: the quotes do not bear it out, and reading the page again differs.",
}


def tally(review: Review) -> VoteTally:
    return VoteTally(review.accepts, review.rejects)


def outcome(review: Review, counted: VoteTally) -> State | None:
    """Decides by the votes and the rule of this round."""
    if review.round:
        return quorum.majority(counted, quorum.appeal_votes(review.k))
    return quorum.outcome(rule(review), counted)


def rule(review: Review) -> Rule:
    return Rule.of(review.k, doubted=review.doubted)


def seats_wanted(review: Review) -> int:
    """The number of seats that have to be open now."""
    if review.round:
        return quorum.appeal_votes(review.k) - tally(review).votes
    return quorum.seats(rule(review), tally(review))


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
    reasons, validated_by = _reasons(state, counted, reason), [*_named(counted), *checks]
    if not store.decide(tx, review, state, reasons, validated_by):
        return
    work.withdraw(tx, review.seats)
    tx.after_commit.append(_counter(state, "votes" if counted else "checks"))
    if state != "unresolved":
        _test(tx, review, cast, accepted=state == "accepted")
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


def _reasons(
    state: str, counted: Sequence[Vote], reason: dict[str, str] | None
) -> list[dict[str, str]]:
    """Why it was not accepted, in the words of those whose votes counted."""
    if state == "accepted":
        return []
    if state == "unresolved":
        return [reason or NO_CONSENSUS]
    stated = [
        {"category": vote.category or "other", "reason": vote.reason or ""}
        for vote in counted
        if not vote.verdict
    ]
    return stated or [reason or NOT_BORNE_OUT]


def _named(counted: Sequence[Vote]) -> list[dict[str, Any]]:
    """Voters stay unknown: to each other, and to those whose records they judged."""
    return [{"kind": "node", "verdict": "accept" if vote.verdict else "reject"} for vote in counted]


def _counter(state: str, by: str) -> Callable[[], None]:
    return metrics.reviews_decided.labels(state, by).inc


def _test(tx: Tx, review: Review, votes: Sequence[Vote], *, accepted: bool) -> None:
    """Every vote on a decided record is a test of who cast it, the uncounted and unanimous too."""
    rounds = sorted({vote.round for vote in votes})
    vote_store.settle(tx, review.record_id, review.version, rounds, accepted=accepted)
    reputations.learn(tx, {vote.account_id: vote.verdict == accepted for vote in votes})


# A dispute or an appeal is another round: its votes decide whether the former decision was wrong.


def settle_dispute(tx: Tx, review: Review, *, upheld: bool) -> None:
    """An operator decides, whether or not seats were opened for it."""
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
    upheld = state != "unresolved" and accepted != (review.former == "accepted")
    if not _close(tx, review, _state_after(review, upheld=upheld)):
        return
    if state != "unresolved":
        _test_by_dispute(tx, review, review.former, accepted=accepted, upheld=upheld, voted_on=True)
    subjects.SUBJECT.only.dispute_decided(tx, review.record_id, review.version, upheld)


def _state_after(review: Review, *, upheld: bool) -> str:
    former = review.former or "unresolved"
    opposite = "rejected" if former == "accepted" else "accepted"
    return opposite if upheld else former


def _close(tx: Tx, review: Review, state: str) -> bool:
    if not store.decide(tx, review, state, review.reasons, review.validated_by):
        return False
    work.withdraw(tx, review.seats)
    return True


def _test_by_dispute(
    tx: Tx, review: Review, former: str | None, *, accepted: bool, upheld: bool, voted_on: bool
) -> None:
    """Tests those who voted on the dispute, and once more those who were wrong before it."""
    votes = vote_store.of(tx, review.record_id, review.version)
    tested = [vote for vote in votes if voted_on and vote.round == review.round]
    if upheld and former != "unresolved":
        tested = votes
    _test(tx, review, tested, accepted=accepted)
