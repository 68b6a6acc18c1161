"""What answers say of accounts: probation, gold, the test, suspension and coming back."""

from uuid import UUID

import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Reader
from app.domains.campaigns.reviews import (
    gold_items,
    gold_store,
    reputations,
    store,
    subjects,
    vote_store,
)
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.assignments import VALIDATION
from app.domains.campaigns.reviews.gold_store import GoldItem
from app.domains.queue.jobs.dispatch import sweep
from app.engine.judging import gold
from tests import builders, wired
from tests.judged import ACCEPT, RECORD, REJECT, Court

WRONG = {
    "data": {**RECORD["data"], "price": 30},
    "provenance": RECORD["provenance"],
}


def plant(court: Court, *truths: bool) -> list[UUID]:
    """Gold items, each of a record of its own."""
    items = [GoldItem(ids.new(), ids.new(), 1, RECORD if t else WRONG, t) for t in truths]
    with db.transaction() as tx:
        for item in items:
            gold_store.insert(tx, item)
    return [item.id for item in items]


def work_off(settings: Settings) -> None:
    with db.reading() as reader:
        waiting = db.values(
            reader, "select id from jobs where kind = 'reviews.suspend' and state = 'queued'"
        )
    builders.run(settings, list(waiting))


def test_in_probation_a_vote_tests_and_does_not_count(court: Court) -> None:
    court.open()
    newcomer = court.voter(right=3)
    court.vote(newcomer)
    assert court.review().accepts == 0
    court.votes(ACCEPT, ACCEPT, ACCEPT)
    assert court.reputation(court.account_of(newcomer)).right == 4
    with db.reading() as reader:
        assert len(vote_store.agreed(reader, [(court.record_id, 1)])) == 3


def test_a_newcomer_is_given_gold_first(court: Court) -> None:
    court.open()
    items = plant(court, True, False)
    newcomer = court.voter(right=0)
    subjects = set()
    for _ in items:
        item = court.given(newcomer)
        subjects.add(item.subject)
        court.answer(item, ACCEPT)
    assert subjects == set(items)
    reputation = court.reputation(court.account_of(newcomer))
    assert (reputation.right, reputation.wrong, reputation.gold) == (1, 1, 2)


def test_gold_looks_like_any_assignment(court: Court) -> None:
    court.open()
    assignment = court.given(court.voter())
    plant(court, False)
    item = court.given(court.voter(right=0))
    assert item.gold
    seen, usual = VALIDATION.load(item), VALIDATION.load(assignment)
    assert seen is not None
    assert usual is not None
    assert seen.keys() == usual.keys()
    assert seen["record"]["data"]["price"] == 30
    assert abs((item.deadline_at - assignment.deadline_at).total_seconds()) < 700
    assert court.answer(item, REJECT) == court.answer(assignment, REJECT)


def test_an_account_sees_what_was_made_of_a_record_once(court: Court) -> None:
    plant(court, True)
    newcomer = court.voter(right=0)
    court.vote(newcomer)
    assert court.claim(newcomer) is None


def test_an_item_serves_twenty_times(court: Court) -> None:
    plant(court, True)
    with db.transaction() as tx:
        tx.execute("update gold_items set uses = %s", [gold.MOST_USES])
    assert court.claim(court.voter(right=0)) is None


def test_who_judged_a_record_is_not_tested_with_it(court: Court) -> None:
    court.k = 1
    court.open()
    voter = court.voter()
    court.vote(voter)
    with db.reading() as reader:
        [review] = store.without_gold(reader, 0.0)
        made = gold_items.made_of(reader, review)
    with db.transaction() as tx:
        assert gold_items.keep(tx, made)
        tx.execute("update reputations set right_answers = 0")
        node = court.node(tx, court.contributor)
    assert court.claim(voter) is None
    assert court.claim(node) is None
    assert court.claim(court.voter(right=0)) is not None


def test_of_a_record_one_item_is_made(court: Court) -> None:
    court.k = 1
    court.open()
    court.votes(ACCEPT)
    with db.reading() as reader:
        [review] = store.without_gold(reader, 0.0)
        made = gold_items.made_of(reader, review)
    with db.transaction() as tx:
        gold_items.keep(tx, made)
        assert not gold_items.keep(tx, made)
    with db.reading() as reader:
        assert store.without_gold(reader, 0.0) == []


def test_made_wrong_it_differs_in_one_value(court: Court, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gold_items.gold, "wanted_truth", lambda _draw: False)
    court.k = 1
    court.open()
    court.votes(ACCEPT)
    with db.reading() as reader:
        made = gold_items.made_of(reader, court.review())
    assert made.record is not None
    changed = [name for name, value in RECORD["data"].items() if made.record["data"][name] != value]
    assert len(changed) == 1


def test_four_wrong_answers_suspend(court: Court, settings: Settings) -> None:
    frozen: list[UUID] = []
    with wired.instead(reputations.SUSPENDED, lambda _tx, account_id: frozen.append(account_id)):
        court.k = 1
        liar = court.voter()
        account_id = court.account_of(liar)
        with db.transaction() as tx:
            tx.execute("update reputations set wald = -3.5 where account_id = %s", [account_id])
        held = _held_elsewhere(court, liar)
        court.open()
        with db.transaction() as tx:
            reputations.learn(tx, {account_id: False})
        assert court.reputation(account_id).suspended_at is not None
        work_off(settings)
        assert frozen == [account_id]
        assert court.claim(liar) is None
        court.record_id = held
        assert court.claim(court.voter()) is not None, "what it held is free again"


def test_a_queue_that_stands_still_spares_nobody_the_suspension(
    court: Court, settings: Settings
) -> None:
    voter = court.voter()
    account_id = court.account_of(voter)
    with db.transaction() as tx:
        tx.execute("update reputations set wald = -4 where account_id = %s", [account_id])
        reputations.learn(tx, {account_id: False})
        tx.execute(
            "update jobs set deadline_at = now() - interval '1 s' where kind = 'reviews.suspend'"
        )
        sweep.sweep(tx)
        tx.execute("update jobs set run_at = now() where kind = 'reviews.suspend'")
    work_off(settings)
    court.open()
    assert court.claim(voter) is None


def _held_elsewhere(court: Court, node_id: UUID) -> UUID:
    held = court.open()
    assert court.claim(node_id) is not None
    return held


def test_an_operator_reinstates(court: Court, settings: Settings) -> None:
    voter = court.voter()
    account_id = court.account_of(voter)
    with db.transaction() as tx:
        tx.execute("update reputations set wald = -4 where account_id = %s", [account_id])
        reputations.learn(tx, {account_id: False})
    work_off(settings)
    court.open()
    assert court.claim(voter) is None
    with db.transaction() as tx:
        assert reviews.reinstate(tx, account_id)
    assert court.claim(voter) is not None
    assert court.reputation(account_id).suspended_at is None


def test_a_suspended_account_is_not_counted(court: Court) -> None:
    court.open()
    voter = court.voter()
    item = court.given(voter)
    with db.transaction() as tx:
        tx.execute("update reputations set suspended_at = now()")
    court.answer(item, ACCEPT)
    assert court.review().accepts == 0


def test_accounts_that_are_linked_count_as_one(court: Court) -> None:
    first, second = court.voter(), court.voter()
    both = {court.account_of(first), court.account_of(second)}

    def linked(_reader: Reader, account_id: UUID) -> list[UUID]:
        return sorted(both - {account_id}) if account_id in both else []

    with wired.instead(subjects.LINKED, linked):
        court.open()
        court.vote(first)
        court.vote(second)
    assert court.review().accepts == 1


def test_nobody_is_known_before_the_first_answer(court: Court) -> None:
    with db.reading() as reader:
        reputation = reviews.reputation(reader, court.payer)
    assert (reputation.right, reputation.mean, reputation.in_probation) == (0, 0.8, True)
