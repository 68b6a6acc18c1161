"""What happens when votes do not come: our own checks decide, join, or the review ends."""

import pytest

from app.core import db
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.service import Patience
from app.engine.judging.checks import RecordChecks
from tests.judged import ACCEPT, AGREED, NEVER, REJECT, Court

ALONE = Patience(alone_seconds=600, open_seconds=6 * 3600)


def test_our_checks_decide_alone_when_nobody_is_there(court: Court) -> None:
    court.open()
    court.wait(601, ALONE)
    [decision] = court.judged.decisions
    assert (decision.state, decision.independent_votes) == ("accepted", 0)
    assert decision.validated_by == [
        {"kind": "built_in", "check": "quotes", "verdict": "accept"},
        {"kind": "built_in", "check": "second_extraction", "verdict": "accept"},
    ]


def test_they_do_not_decide_while_somebody_could_vote(court: Court) -> None:
    court.open()
    court.claim(court.voter())
    court.wait(601, ALONE)
    assert court.judged.state is None


def test_they_do_not_decide_while_somebody_in_probation_votes(court: Court) -> None:
    court.open()
    court.vote(court.voter(right=0))
    court.wait(601, ALONE)
    assert court.judged.state is None


@pytest.mark.parametrize(
    ("checks", "seconds", "state"),
    [
        (AGREED, 500, None),  # they wait for ten minutes
        (RecordChecks("contradicted", "contradicted"), 601, "rejected"),
        (RecordChecks("agreed", "silent"), 601, "unresolved"),
    ],
)
def test_alone_they_decide_late_and_only_if_both_agree(
    court: Court, checks: RecordChecks, seconds: float, state: str | None
) -> None:
    court.open(checks)
    court.wait(seconds, ALONE)
    assert court.judged.state == state


def test_with_too_few_votes_a_record_stays_unresolved_and_says_why(court: Court) -> None:
    court.open()
    court.votes(ACCEPT, ACCEPT)
    court.vote(court.voter(right=0))
    court.wait(6 * 3600 + 1, ALONE)
    [decision] = court.judged.decisions
    assert (decision.state, decision.independent_votes) == ("unresolved", 2)
    [reason] = decision.reasons
    assert reason["category"] == "too_few_votes"
    assert reason["reason"].startswith("3 independent votes have to agree, and 2 counted. 1 more")


def test_where_somebody_votes_our_checks_accept_nothing_alone(court: Court) -> None:
    court.open()
    court.claim(court.voter(right=0))
    court.wait(6 * 3600 + 1, ALONE)
    [decision] = court.judged.decisions
    assert (decision.state, decision.reasons[0]["category"]) == ("unresolved", "too_few_votes")


def test_a_network_that_was_silent_for_a_week_is_none(court: Court) -> None:
    court.open()
    court.claim(court.voter())
    with db.transaction() as tx:
        tx.execute("update nodes set seen_at = now() - interval '8 days'")
    court.wait(601, ALONE)
    assert court.judged.state == "accepted"


def test_votes_enough_without_a_lead_are_no_consensus_after_six_hours(court: Court) -> None:
    court.open()
    court.votes(ACCEPT, REJECT, ACCEPT)
    court.wait(6 * 3600 + 1, ALONE)
    assert court.judged.state == "unresolved"


def test_where_all_have_voted_nobody_is_waited_for(court: Court) -> None:
    court.open(RecordChecks("agreed", "contradicted"))
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    court.wait(500, ALONE)
    assert court.judged.state is None
    court.wait(101, ALONE)
    [decision] = court.judged.decisions
    assert (decision.state, decision.reasons[0]["category"]) == ("unresolved", "too_few_votes")


def test_who_has_not_voted_is_waited_for(court: Court) -> None:
    court.open(RecordChecks("agreed", "contradicted"))
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    court.claim(court.voter())
    court.wait(601, ALONE)
    assert court.judged.state is None


def test_a_vote_that_may_count_later_is_waited_for(court: Court) -> None:
    court.open(RecordChecks("agreed", "contradicted"))
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    court.vote(court.voter(right=0))
    court.wait(601, ALONE)
    assert court.judged.state is None


def test_past_its_deadline_a_review_ends(court: Court) -> None:
    court.open()
    with db.transaction() as tx:
        tx.execute("update reviews set deadline_at = now()")
    court.attend(NEVER)
    assert court.judged.state == "unresolved"


def test_a_record_that_is_gone_ends_as_broken(court: Court) -> None:
    court.open()
    with db.transaction() as tx:
        reviews.gone(tx, court.record_id, 1)
    [decision] = court.judged.decisions
    assert (decision.state, decision.reasons[0]["category"]) == ("unresolved", "broken")


def test_an_assignment_that_is_held_for_long_is_not_waited_for(court: Court) -> None:
    court.k = 1
    court.open()
    court.claim(court.voter())
    court.wait(601, NEVER)
    court.votes(ACCEPT)
    assert court.judged.state == "accepted"


def test_what_waits_is_found_by_its_age(court: Court) -> None:
    record = court.open(AGREED)
    with db.reading() as reader:
        assert reviews.unattended(reader, ALONE) == []
    court.age(601)
    with db.reading() as reader:
        [waiting] = reviews.unattended(reader, ALONE)
        assert (waiting.record_id, waiting.version) == (record, 1)
        assert reviews.unattended(reader, ALONE, waiting) == []
