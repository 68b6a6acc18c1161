"""A network in which nobody is out of probation yet, and how its votes come to count."""

from uuid import UUID

import pytest

from app.core import db
from app.core.db import Reader
from app.domains.campaigns.reviews import gold_store, reputations, subjects, vote_store
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.service import judge_for_payer
from tests import wired
from tests.judged import ACCEPT, DOUBTED, NEVER, REJECT, Court

ELEVEN = 11


def newcomers(court: Court, *outputs: dict[str, object], right: int = 0) -> list[UUID]:
    """Votes of as many accounts in probation, which are told."""
    voters = [court.voter(right=right) for _ in outputs]
    for voter, output in zip(voters, outputs, strict=True):
        court.vote(voter, output)
    return [court.account_of(voter) for voter in voters]


def vouch(account_id: UUID, *, vouched: bool = True) -> bool:
    with db.transaction() as tx:
        return reviews.vouch(tx, account_id, vouched=vouched)


def judged_for_payer(court: Court, *, accepts: bool) -> bool:
    with db.transaction() as tx:
        return judge_for_payer(tx, court.record_id, 1, accepts=accepts)


# Votes of newcomers.


def test_k_and_two_newcomers_who_agree_decide(court: Court) -> None:
    court.open()
    accounts = newcomers(court, *[ACCEPT] * 4)
    assert court.judged.state is None
    accounts += newcomers(court, ACCEPT)
    [decision] = court.judged.decisions
    assert (decision.state, decision.independent_votes) == ("accepted", 5)
    assert [court.reputation(each).right for each in accounts] == [1] * 5


def test_what_our_check_doubts_takes_as_many_newcomers_as_others(court: Court) -> None:
    court.open(DOUBTED)
    newcomers(court, *[ACCEPT] * 6)
    assert court.judged.state is None
    newcomers(court, ACCEPT)
    assert court.judged.state == "accepted"


def test_newcomers_decide_nothing_where_enough_others_are(court: Court) -> None:
    for _ in range(8):
        court.claim(court.voter())
    court.open()
    newcomers(court, *[ACCEPT] * 7)
    assert court.judged.state is None


def test_newcomers_and_others_decide_together_where_too_few_are_out_of_probation(
    court: Court,
) -> None:
    court.open()
    court.votes(ACCEPT, ACCEPT)
    newcomers(court, ACCEPT, ACCEPT)
    assert court.judged.state is None
    newcomers(court, ACCEPT)
    assert court.judged.state == "accepted"


# Among few, who is first decides nothing.


@pytest.fixture
def nine(court: Court) -> list[UUID]:
    """The nodes of nine accounts that are there, all out of probation."""
    nodes = [court.voter() for _ in range(9)]
    for node in nodes:
        court.claim(node)
    court.open()
    return nodes


def test_a_lead_accepts_nothing_before_more_than_half_of_those_there_do(
    court: Court, nine: list[UUID]
) -> None:
    for node in nine[:4]:
        court.vote(node)
    assert court.judged.state is None
    court.vote(nine[4])
    assert court.judged.state == "accepted"


def test_as_many_as_are_asked_for_decide_where_the_operator_vouches_for_them(
    court: Court, nine: list[UUID]
) -> None:
    for node in nine[:3]:
        vouch(court.account_of(node))
        court.vote(node)
    assert court.judged.state == "accepted"


def test_linked_accounts_that_are_there_are_one(court: Court, nine: list[UUID]) -> None:
    ring = {court.account_of(node) for node in nine[3:]}

    def linked(_reader: Reader, account_id: UUID) -> list[UUID]:
        return sorted(ring - {account_id}) if account_id in ring else []

    with wired.instead(subjects.LINKED, linked):
        for node in nine[:3]:
            court.vote(node)
    assert court.judged.state == "accepted"


def test_a_record_that_too_few_accepted_says_so(court: Court, nine: list[UUID]) -> None:
    for node in nine[:4]:
        court.vote(node)
    with db.transaction() as tx:
        reviews.close(tx, court.record_id, 1)
    [decision] = court.judged.decisions
    assert decision.reasons[0]["category"] == "too_few_votes"


def test_a_ring_that_is_fast_needs_more_than_half_of_those_there(court: Court) -> None:
    for _ in range(6):
        court.claim(court.voter(right=0))
    court.open()
    newcomers(court, *[ACCEPT] * 6)
    assert court.judged.state is None
    newcomers(court, ACCEPT)
    assert court.judged.state == "accepted"


def test_linked_newcomers_are_one(court: Court) -> None:
    voters = [court.voter(right=0) for _ in range(5)]
    ring = {court.account_of(voter) for voter in voters[:2]}

    def linked(_reader: Reader, account_id: UUID) -> list[UUID]:
        return sorted(ring - {account_id}) if account_id in ring else []

    with wired.instead(subjects.LINKED, linked):
        court.open()
        for voter in voters:
            court.vote(voter)
        assert court.judged.state is None
        newcomers(court, ACCEPT)
    [decision] = court.judged.decisions
    assert (decision.state, decision.independent_votes) == ("accepted", 5)


def test_newcomers_linked_with_the_payer_are_none(court: Court) -> None:
    voter = court.voter(right=0)
    of_payer = court.account_of(voter)

    def linked(_reader: Reader, account_id: UUID) -> list[UUID]:
        return [court.payer] if account_id == of_payer else []

    with wired.instead(subjects.LINKED, linked):
        court.open()
        court.vote(voter)
        newcomers(court, *[ACCEPT] * 4)
    assert court.judged.state is None


def test_who_comes_out_of_probation_counts_on_what_is_open(court: Court) -> None:
    court.k = 1
    court.open()
    [account] = newcomers(court, ACCEPT, right=ELEVEN)
    with db.transaction() as tx:
        reputations.learn(tx, {account: True})
    court.attend(NEVER)
    assert court.judged.state == "accepted"


def test_a_newcomer_against_a_record_makes_accepting_it_take_one_more(court: Court) -> None:
    court.open()
    newcomers(court, REJECT)
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    assert court.judged.state is None
    court.votes(ACCEPT)
    assert court.judged.state == "accepted"


def test_a_newcomer_against_a_record_does_not_reject_it(court: Court) -> None:
    court.open()
    newcomers(court, REJECT)
    court.votes(REJECT, REJECT)
    assert court.judged.state is None


def test_who_is_suspended_counts_no_more_on_what_is_open(court: Court) -> None:
    court.open()
    [account] = court.votes(ACCEPT)
    with db.transaction() as tx:
        tx.execute("update reputations set suspended_at = now() where account_id = %s", [account])
    court.attend(NEVER)
    assert court.review().accepts == 0


# The operator vouches.


def test_a_vote_of_who_is_vouched_for_counts_at_once(court: Court) -> None:
    court.k = 1
    court.open()
    voter = court.voter(right=0)
    assert vouch(court.account_of(voter))
    court.vote(voter)
    assert court.judged.state == "accepted"


def test_who_is_vouched_for_no_more_is_in_probation_again(court: Court) -> None:
    court.k = 1
    court.open()
    voter = court.voter(right=0)
    account = court.account_of(voter)
    vouch(account)
    assert vouch(account, vouched=False)
    court.vote(voter)
    assert court.judged.state is None
    assert court.reputation(account).in_probation


def test_vouching_does_not_lift_a_suspension(court: Court) -> None:
    account = court.account_of(court.voter())
    with db.transaction() as tx:
        tx.execute("update reputations set suspended_at = now()")
    vouch(account)
    with db.reading() as reader:
        assert reputations.trusted(reader, [account]) == set()


# What who pays says.


def test_what_who_pays_says_tests_the_votes_of_newcomers(court: Court) -> None:
    court.open()
    right, wrong = newcomers(court, REJECT, ACCEPT)
    assert judged_for_payer(court, accepts=False)
    assert (court.reputation(right).right, court.reputation(wrong).wrong) == (1, 1)


def test_a_vote_that_comes_later_is_tested_by_it_too(court: Court) -> None:
    court.open()
    judged_for_payer(court, accepts=True)
    [account] = newcomers(court, ACCEPT)
    assert court.reputation(account).right == 1


def test_a_vote_is_tested_once(court: Court) -> None:
    court.open()
    [account] = newcomers(court, ACCEPT)
    judged_for_payer(court, accepts=True)
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    assert court.judged.state == "accepted"
    assert court.reputation(account).right == 1


def test_what_who_pays_says_decides_nothing(court: Court) -> None:
    court.k = 1
    court.open()
    assert judged_for_payer(court, accepts=False)
    assert court.judged.state is None
    court.votes(ACCEPT)
    assert court.judged.state == "accepted"


def test_who_pays_says_it_once(court: Court) -> None:
    court.open()
    assert judged_for_payer(court, accepts=False)
    assert not judged_for_payer(court, accepts=True)


def test_who_pays_says_nothing_of_what_is_decided(court: Court) -> None:
    court.k = 1
    court.open()
    court.votes(ACCEPT)
    assert not judged_for_payer(court, accepts=True)


def test_what_who_pays_says_is_gold_for_others(court: Court) -> None:
    court.open()
    judged_for_payer(court, accepts=True)
    item = court.given(court.voter(right=0))
    assert item.gold
    court.answer(item, REJECT)


def test_one_payer_cannot_suspend_anybody(court: Court) -> None:
    voter = court.voter(right=0)
    for _ in range(6):
        court.open()
        court.vote(voter)
        judged_for_payer(court, accepts=False)
    assert court.reputation(court.account_of(voter)).wrong == 2


def test_one_payer_cannot_end_a_probation(court: Court) -> None:
    account = court.account_of(court.voter(right=0))
    with db.transaction() as tx:
        counted = [gold_store.of_payer(tx, account, court.payer, right=True) for _ in range(12)]
    assert counted.count(True) == 8


def test_votes_on_what_stays_unresolved_are_tested_by_who_pays(court: Court) -> None:
    court.open()
    [account] = court.votes(REJECT)
    with db.transaction() as tx:
        reviews.close(tx, court.record_id, 1)
    judged_for_payer(court, accepts=True)
    assert court.reputation(account).wrong == 1
    with db.reading() as reader:
        [vote] = vote_store.of(reader, court.record_id, 1)
    assert vote.agreed is False


# Who contributes is tested too.


def test_who_contributes_junk_is_suspended(court: Court) -> None:
    court.k = 1
    for _ in range(6):
        court.open()
        court.votes(REJECT)
    assert court.reputation(court.contributor).reason == reputations.CONTRIBUTOR_REASON


def test_who_contributes_what_is_accepted_is_not(court: Court) -> None:
    court.k = 1
    for output in (ACCEPT, ACCEPT, REJECT, ACCEPT, REJECT, ACCEPT, REJECT, ACCEPT):
        court.open()
        court.votes(output)
    assert court.reputation(court.contributor).suspended_at is None
