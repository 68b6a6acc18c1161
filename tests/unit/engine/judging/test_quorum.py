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

THREE, DOUBTED = Rule.of(3), Rule.of(3, doubted=True)
AMONG_NINE = replace(THREE, half=half_of(3, 9))


@pytest.mark.parametrize(
    ("rule", "accepts", "rejects", "state"),
    [
        # A lead of k decides.
        (Rule.of(1), 1, 0, "accepted"),
        (THREE, 2, 0, None),
        (THREE, 3, 0, "accepted"),
        (THREE, 4, 2, None),
        (THREE, 5, 2, "accepted"),
        (THREE, 0, 3, "rejected"),
        (THREE, 2, 5, "rejected"),
        (THREE, 8, 7, "unresolved"),
        # Accepting what is doubted takes four more.
        (DOUBTED, 6, 0, None),
        (DOUBTED, 7, 0, "accepted"),
        (DOUBTED, 0, 3, "rejected"),
        # Among few, more than half accept and may reject.
        (AMONG_NINE, 4, 0, None),
        (AMONG_NINE, 5, 0, "accepted"),
        (AMONG_NINE, 5, 3, None),
        (AMONG_NINE, 3, 4, None),
        (AMONG_NINE, 4, 5, "rejected"),
        (AMONG_NINE, 0, 3, "rejected"),
    ],
)
def test_votes_decide(rule: Rule, accepts: int, rejects: int, state: str | None) -> None:
    assert outcome(rule, VoteTally(accepts, rejects)) == state


@pytest.mark.parametrize(
    ("rule", "accepts", "rejects", "open_assignments"),
    [
        *(
            (THREE, *row)
            for row in ((0, 0, 3), (1, 0, 2), (1, 1, 3), (2, 1, 2), (3, 0, 0), (7, 7, 1))
        ),
        *((AMONG_NINE, *row) for row in ((3, 0, 2), (4, 3, 2), (3, 4, 1), (0, 1, 2))),
    ],
)
def test_assignments_are_the_fewest_votes_that_could_decide(
    rule: Rule, accepts: int, rejects: int, open_assignments: int
) -> None:
    assert assignments(rule, VoteTally(accepts, rejects)) == open_assignments


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
