"""A decision that is disputed is judged again, by others."""

import pytest

from app.core import db
from app.domains.campaigns.reviews import gold_items, store
from app.domains.campaigns.reviews import service as reviews
from tests.judged import ACCEPT, REJECT, Court


@pytest.fixture
def disputed(court: Court) -> Court:
    """A record that three accepted, reopened with k = 1: three votes decide."""
    court.open()
    court.first = court.votes(ACCEPT, ACCEPT, ACCEPT)  # type: ignore[attr-defined]
    with db.transaction() as tx:
        reviews.reopen(tx, court.record_id, 1, 1, former="accepted")
    return court


def test_most_of_2k_plus_1_votes_uphold_a_dispute(disputed: Court) -> None:
    disputed.votes(REJECT, REJECT)
    assert disputed.judged.disputes == [(disputed.record_id, 1, True)]
    assert disputed.review().state == "rejected"


def test_most_votes_for_the_record_refuse_it(disputed: Court) -> None:
    disputed.votes(REJECT, ACCEPT, ACCEPT)
    assert disputed.judged.disputes == [(disputed.record_id, 1, False)]
    assert disputed.review().state == "accepted"


def test_who_voted_before_is_given_no_assignment(court: Court) -> None:
    court.k = 1
    court.open()
    voter = court.voter()
    court.vote(voter)
    with db.transaction() as tx:
        reviews.reopen(tx, court.record_id, 1, 1, former="accepted")
    assert court.claim(voter) is None


def test_upheld_it_is_a_wrong_answer_of_those_who_decided(disputed: Court) -> None:
    disputed.votes(REJECT, REJECT)
    for account_id in disputed.first:  # type: ignore[attr-defined]
        reputation = disputed.reputation(account_id)
        assert (reputation.right, reputation.wrong) == (13, 1)


def test_a_dispute_too_few_vote_on_is_refused_at_its_end(disputed: Court) -> None:
    disputed.votes(REJECT)
    with db.transaction() as tx:
        reviews.close(tx, disputed.record_id, 1)
    assert disputed.judged.disputes == [(disputed.record_id, 1, None)]
    assert disputed.review().state == "accepted"


def test_an_operator_settles_it_without_votes(court: Court) -> None:
    court.open()
    voters = court.votes(ACCEPT, ACCEPT, ACCEPT)
    with db.transaction() as tx:
        reviews.settle_dispute(tx, court.record_id, 1, True)
    assert court.review().state == "rejected"
    assert court.judged.disputes == [], "who settles knows it"
    assert court.reputation(voters[0]).wrong == 1


def test_an_operator_settles_it_while_votes_come_in(disputed: Court) -> None:
    [voter] = disputed.votes(REJECT)
    with db.transaction() as tx:
        reviews.settle_dispute(tx, disputed.record_id, 1, False)
    assert disputed.review().state == "accepted"
    assert disputed.reputation(voter).wrong == 1
    assert disputed.reputation(disputed.first[0]).wrong == 0  # type: ignore[attr-defined]


def test_an_appeal_against_no_consensus_can_be_won(court: Court) -> None:
    court.open()
    court.votes(ACCEPT)
    with db.transaction() as tx:
        reviews.close(tx, court.record_id, 1)
        reviews.reopen(tx, court.record_id, 1, 1, former="unresolved")
    court.votes(ACCEPT, ACCEPT)
    assert court.judged.disputes == [(court.record_id, 1, True)]
    assert court.review().state == "accepted"


def test_what_a_dispute_decided_is_gold_as_it_is(disputed: Court) -> None:
    disputed.votes(REJECT, REJECT)
    with db.reading() as reader:
        [review] = store.without_gold(reader, 0.0)
        made = gold_items.made_of(reader, review)
    assert made.truth is False
    assert made.record is not None
    assert made.record["data"]["price"] == 20


def test_an_appeal_of_what_was_accepted_and_could_not_be_paid_is_won_by_votes_for_it(
    court: Court,
) -> None:
    court.open()
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    with db.transaction() as tx:
        reviews.reopen(tx, court.record_id, 1, 1, former="unresolved")
    court.votes(ACCEPT, ACCEPT)
    assert court.judged.disputes == [(court.record_id, 1, True)]


def test_a_dispute_is_not_over_six_hours_after_its_first_vote(disputed: Court) -> None:
    disputed.votes(REJECT)
    disputed.wait(6 * 3600 + 1, reviews.Patience(alone_seconds=600, open_seconds=6 * 3600))
    assert disputed.review().state == "open"
