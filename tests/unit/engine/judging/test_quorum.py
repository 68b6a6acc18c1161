"""When votes decide, and how many seats that may take."""

import pytest

from app.engine.judging.quorum import (
    MOST_VOTES,
    Rule,
    VoteTally,
    appeal_votes,
    majority,
    outcome,
    seats,
)


@pytest.mark.parametrize(
    ("accepts", "rejects", "state"),
    [
        (2, 0, None),
        (3, 0, "accepted"),
        (4, 2, None),
        (5, 2, "accepted"),
        (0, 3, "rejected"),
        (2, 5, "rejected"),
        (8, 7, "unresolved"),
    ],
)
def test_a_lead_of_k_decides(accepts: int, rejects: int, state: str | None) -> None:
    assert outcome(Rule.of(3), VoteTally(accepts, rejects)) == state


@pytest.mark.parametrize(
    ("accepts", "rejects", "state"), [(6, 0, None), (7, 0, "accepted"), (0, 3, "rejected")]
)
def test_accepting_what_is_doubted_takes_four_more(
    accepts: int, rejects: int, state: str | None
) -> None:
    assert outcome(Rule.of(3, doubted=True), VoteTally(accepts, rejects)) == state


@pytest.mark.parametrize(
    ("accepts", "rejects", "open_seats"),
    [(0, 0, 3), (1, 0, 2), (1, 1, 3), (2, 1, 2), (3, 0, 0), (7, 7, 1)],
)
def test_seats_are_the_fewest_votes_that_could_decide(
    accepts: int, rejects: int, open_seats: int
) -> None:
    assert seats(Rule.of(3), VoteTally(accepts, rejects)) == open_seats


def test_one_vote_decides_where_one_is_wanted() -> None:
    assert outcome(Rule.of(1), VoteTally(1, 0)) == "accepted"


@pytest.mark.parametrize("doubted", [False, True])
@pytest.mark.parametrize("k", range(1, 8))
def test_whoever_votes_there_is_an_end(k: int, doubted: bool) -> None:
    rule = Rule.of(k, doubted=doubted)
    tally = VoteTally()
    while outcome(rule, tally) is None:
        assert 1 <= seats(rule, tally) <= MOST_VOTES - tally.votes
        tally = tally.with_vote(tally.votes % 2 == 0)
    assert tally.votes <= MOST_VOTES


def test_our_own_checks_are_two_votes_at_most() -> None:
    assert VoteTally(1, 0).with_checks(5) == VoteTally(3, 0)
    assert VoteTally(1, 0).with_checks(-5) == VoteTally(1, 2)


def test_a_dispute_is_decided_by_the_majority_of_all_its_votes() -> None:
    votes = appeal_votes(2)
    assert majority(VoteTally(2, 2), votes) is None
    assert majority(VoteTally(3, 0), votes) == "accepted"
    assert majority(VoteTally(2, 3), votes) == "rejected"
