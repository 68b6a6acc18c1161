"""Votes decide a record: by a lead, in the transaction of the last of them."""

import pytest

from app.core import db
from app.core.errors import Invalid
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews import vote_store
from app.domains.campaigns.reviews.assignments import VALIDATION
from tests.judged import ACCEPT, DOUBTED, NEVER, REJECT, Court


def test_a_lead_of_k_accepts(court: Court) -> None:
    court.open()
    court.votes(ACCEPT, ACCEPT)
    assert court.judged.state is None
    court.votes(ACCEPT)
    [decision] = court.judged.decisions
    assert (decision.state, decision.independent_votes) == ("accepted", 3)
    assert decision.validated_by == [{"kind": "node", "verdict": "accept"}] * 3


def test_a_lead_of_k_rejects_with_the_reasons_of_the_voters(court: Court) -> None:
    court.open()
    court.votes(REJECT, REJECT, REJECT)
    [decision] = court.judged.decisions
    assert decision.state == "rejected"
    assert decision.reasons == [{"category": "wrong_value", "reason": REJECT["reason"]}] * 3


def test_another_assignment_is_opened_for_every_vote_that_is_missing(court: Court) -> None:
    court.open()
    assert len(court.review().assignments) == 3
    court.votes(ACCEPT, REJECT)
    assert len(court.review().assignments) == 3


def test_what_our_check_doubts_takes_four_more_votes(court: Court) -> None:
    court.open(DOUBTED)
    court.votes(*[ACCEPT] * 6)
    assert court.judged.state is None
    court.votes(ACCEPT)
    assert court.judged.state == "accepted"


def test_fifteen_votes_without_a_lead_are_no_consensus(court: Court) -> None:
    court.open()
    voters = court.votes(*[ACCEPT, REJECT] * 7, ACCEPT)
    [decision] = court.judged.decisions
    assert decision.state == "unresolved"
    assert [reason["category"] for reason in decision.reasons] == ["no_consensus"]
    assert court.reputation(voters[0]).right == 12, "it tests nobody"


def test_assignments_that_nobody_took_end_with_the_decision(court: Court) -> None:
    court.k = 1
    court.open()
    late = court.voter()
    court.votes(ACCEPT)
    assert court.claim(late) is None


def test_a_vote_that_was_overtaken_counts_for_test_and_pool(court: Court) -> None:
    court.open()
    late = court.voter()
    item = court.given(late)
    court.wait(700, NEVER)
    court.votes(REJECT, REJECT, REJECT)
    court.answer(item, REJECT)
    assert court.reputation(court.account_of(late)).right == 13
    with db.reading() as reader:
        agreed = vote_store.agreed(reader, [(court.record_id, 1)])
    assert len(agreed) == 4
    assert len(court.judged.decisions) == 1


def test_the_pool_is_shared_by_those_who_agreed(court: Court) -> None:
    court.open()
    court.votes(REJECT, ACCEPT, ACCEPT, ACCEPT, ACCEPT)
    with db.reading() as reader:
        agreed = vote_store.agreed(reader, [(court.record_id, 1)])
    assert [vote.verdict for vote in agreed] == [True] * 4


def test_an_account_votes_once_on_a_record(court: Court) -> None:
    court.open()
    voter = court.voter()
    court.vote(voter)
    assert court.claim(voter) is None


@pytest.mark.parametrize("whose", ["payer", "contributor"])
def test_whoever_has_an_interest_is_given_no_assignment(court: Court, whose: str) -> None:
    court.open()
    with db.transaction() as tx:
        node = court.node(tx, getattr(court, whose))
    assert court.claim(node) is None


def test_a_run_that_closes_leaves_the_undecided_unresolved(court: Court) -> None:
    court.open()
    court.votes(ACCEPT)
    with db.transaction() as tx:
        reviews.close(tx, court.record_id, 1)
    assert court.judged.state == "unresolved"


def test_opening_twice_is_opening_once(court: Court) -> None:
    record = court.open()
    court.open(record_id=record)
    assert len(court.review().assignments) == 3


def test_an_assignment_that_was_given_up_for_good_is_offered_anew(court: Court) -> None:
    court.k = 1
    court.open()
    item = court.given(court.voter())
    with db.transaction() as tx:
        VALIDATION.ended(tx, item)  # type: ignore[misc]
    [assignment] = court.review().assignments
    assert assignment != item.id


def test_a_voter_sees_nothing_of_where_the_record_comes_from(court: Court) -> None:
    whole = court.judged.load(None, court.record_id, 1)  # type: ignore[arg-type]
    assert whole is not None
    provenance = [{**each, "method": "labels"} for each in whole["record"]["provenance"]]
    record = {**whole["record"], "provenance": provenance, "contributor": "a"}
    page = {**whole["page"], "structured": [], "visible_end": 3}
    court.open()
    court.judged.wholes[court.record_id] = {**whole, "record": record, "page": page, "score": 2}
    item = court.given(court.voter())
    seen = VALIDATION.load(item)
    assert seen == whole


def test_a_vote_without_grounds_is_refused_and_not_counted(court: Court) -> None:
    court.open()
    item = court.given(court.voter())
    for output, field in (
        ({"verdict": "accept", "evidence": []}, "/output/evidence"),
        ({**ACCEPT, "evidence": ACCEPT["evidence"][:1]}, "/output/evidence"),
        (
            {**ACCEPT, "evidence": [{"pointer": "/name", "quote": "Red lamp", "start": 0}]},
            "/output/evidence/0",
        ),
        ({**REJECT, "category": None}, "/output/category"),
        ({**REJECT, "reason": "It is wrong."}, "/output/reason"),
        ({**REJECT, "reason": "long " * 300}, "/output/reason"),
        ({**REJECT, "reason": "x" * 30 + "\0"}, "/output/reason"),
        ({**REJECT, "score": 5}, "/output/score"),
        ({"verdict": "maybe"}, "/output/verdict"),
        ({**ACCEPT, "evidence": {"a": 1}}, "/output/evidence"),
        ({**ACCEPT, "evidence": [None]}, "/output/evidence/0"),
    ):
        with pytest.raises(Invalid) as refused:
            court.answer(item, output)
        assert field in [detail["field"] for detail in refused.value.details], output
    assert court.review().accepts + court.review().rejects == 0


def test_a_vote_on_what_is_gone_ends_without_effect(court: Court) -> None:
    court.open()
    item = court.given(court.voter())
    court.judged.wholes[court.record_id] = None
    court.answer(item, ACCEPT)
    assert court.review().accepts == 0
