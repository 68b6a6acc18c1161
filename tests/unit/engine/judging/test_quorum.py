"""When votes decide, and how many assignments that may take."""

from dataclasses import replace

import pytest

from app.engine.judging.quorum import (
    MOST_VOTES,
    Rule,
    VoteTally,
    appeal_votes,
    assignments,
    half_of,
    majority,
    newcomers_count,
    outcome,
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
    ("accepts", "rejects", "open_assignments"),
    [(0, 0, 3), (1, 0, 2), (1, 1, 3), (2, 1, 2), (3, 0, 0), (7, 7, 1)],
)
def test_assignments_are_the_fewest_votes_that_could_decide(
    accepts: int, rejects: int, open_assignments: int
) -> None:
    assert assignments(Rule.of(3), VoteTally(accepts, rejects)) == open_assignments


def test_one_vote_decides_where_one_is_wanted() -> None:
    assert outcome(Rule.of(1), VoteTally(1, 0)) == "accepted"


@pytest.mark.parametrize("doubted", [False, True])
@pytest.mark.parametrize("k", range(1, 8))
def test_whoever_votes_there_is_an_end(k: int, doubted: bool) -> None:
    rule = Rule.of(k, doubted=doubted)
    verdicts: list[bool] = []
    while outcome(rule, tally := VoteTally.of(verdicts)) is None:
        assert 1 <= assignments(rule, tally) <= MOST_VOTES - tally.votes
        verdicts.append(tally.votes % 2 == 0)
    assert tally.votes <= MOST_VOTES


@pytest.mark.parametrize(
    ("accepts", "rejects", "state"),
    [
        (3, 0, None),
        (4, 0, None),
        (5, 0, "accepted"),
        (5, 3, None),
        (3, 4, None),
        (4, 5, "rejected"),
        (0, 3, "rejected"),
    ],
)
def test_among_few_more_than_half_accept_and_may_reject(
    accepts: int, rejects: int, state: str | None
) -> None:
    rule = replace(Rule.of(3), half=half_of(3, 9))
    assert outcome(rule, VoteTally(accepts, rejects)) == state


@pytest.mark.parametrize(
    ("accepts", "rejects", "open_assignments"), [(3, 0, 2), (4, 3, 2), (3, 4, 1), (0, 1, 2)]
)
def test_among_few_assignments_are_the_fewest_votes_that_could_decide(
    accepts: int, rejects: int, open_assignments: int
) -> None:
    rule = replace(Rule.of(3), half=half_of(3, 9))
    assert assignments(rule, VoteTally(accepts, rejects)) == open_assignments


@pytest.mark.parametrize(
    ("k", "there", "half"), [(3, 9, 5), (3, 4, 3), (2, 15, 8), (2, 16, 0), (1, 9, 0)]
)
def test_half_is_of_those_who_are_there_if_all_of_them_may_vote(
    k: int, there: int, half: int
) -> None:
    assert half_of(k, there) == half


NOBODY = VoteTally()


def test_newcomers_count_where_two_more_than_k_agree() -> None:
    assert newcomers_count(2, VoteTally(4), NOBODY, 6, 0)
    assert not newcomers_count(2, VoteTally(3), NOBODY, 4, 0)


def test_newcomers_count_where_they_are_more_than_half_of_those_there() -> None:
    assert not newcomers_count(2, VoteTally(4), NOBODY, 9, 0)
    assert newcomers_count(2, VoteTally(5), NOBODY, 9, 0)
    assert newcomers_count(2, VoteTally(15), NOBODY, 30, 0)


def test_one_that_differs_keeps_newcomers_from_counting_where_not_all_may_vote() -> None:
    assert newcomers_count(2, VoteTally(4, 5), NOBODY, 9, 0)
    assert not newcomers_count(2, VoteTally(1, 15), NOBODY, 30, 0)


@pytest.mark.parametrize(
    ("trusted", "trusted_there", "count"),
    [
        (VoteTally(1, 0), 1, True),
        (VoteTally(0, 1), 1, False),
        (VoteTally(0, 0), 1, False),
        (VoteTally(2, 0), 4, True),
        (VoteTally(1, 0), 4, False),
        (VoteTally(2, 2), 4, True),
        (VoteTally(3, 0), 5, False),
    ],
)
def test_newcomers_add_to_trusted_votes_and_replace_none(
    trusted: VoteTally, trusted_there: int, count: bool
) -> None:
    assert newcomers_count(2, VoteTally(6, 3), trusted, 9, trusted_there) is count


def test_a_dispute_is_decided_by_the_majority_of_all_its_votes() -> None:
    votes = appeal_votes(2)
    assert majority(VoteTally(2, 2), votes) is None
    assert majority(VoteTally(3, 0), votes) == "accepted"
    assert majority(VoteTally(2, 3), votes) == "rejected"
