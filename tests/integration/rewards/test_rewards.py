"""What an accepted record pays, to the last unit, and when it becomes available."""

from decimal import Decimal
from uuid import UUID

import pytest

from app.core import amounts, ids
from app.core.db import Tx
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.rewards import maturity, shares, store
from app.domains.campaigns.rewards import service as rewards
from app.domains.campaigns.rewards.service import thaw_account
from app.domains.money.ledger import audit
from app.domains.providers.chats.service import ChatSettlement
from tests import builders
from tests.integration.rewards.runs import WINDOW_HOURS, Run, Vote, balance, let_pass, states


@pytest.fixture
def run(tx: Tx) -> Run:
    """With 10 USD set aside."""
    return Run().begin(tx, "10")


@pytest.fixture
def maker() -> UUID:
    """An account that contributes records."""
    return ids.new()


@pytest.fixture
def voter() -> UUID:
    return ids.new()


def matured(tx: Tx) -> int:
    return maturity.mature(tx, WINDOW_HOURS)


def test_seven_tenths_go_to_the_contributor_and_the_rest_to_the_pool(
    tx: Tx, run: Run, maker: UUID
) -> None:
    run.accept(tx, "0.000000011", maker)  # three tenths are 3.3 units
    assert balance(tx, maker, "pending") == "0.000000008"
    assert balance(tx, run.id, "pool") == "0.000000003"
    assert states(tx, maker) == [("contributor", "0.000000008", "pending")]


def test_a_version_is_paid_for_once(tx: Tx, run: Run, maker: UUID) -> None:
    record = run.accept(tx, "1", maker)
    assert run.accept(tx, "1", maker, record) == record
    assert (balance(tx, maker, "pending"), len(states(tx, maker))) == ("0.7", 1)


def test_beyond_the_hold_nothing_is_paid(tx: Tx, run: Run, maker: UUID) -> None:
    run.accept(tx, "10.000000001", maker, paid=False)
    assert (balance(tx, maker, "pending"), states(tx, maker)) == ("0", [])


def test_the_share_of_the_built_in_extraction_stays_in_the_hold(tx: Tx, run: Run) -> None:
    run.accept(tx, "1", None)
    assert balance(tx, run.campaign_id, "reserved") == "9.7"


def test_a_record_that_is_fresh_again_pays_the_pool_only(tx: Tx, run: Run, maker: UUID) -> None:
    run.accept(tx, "1", maker, refreshed=True)
    assert (balance(tx, maker, "pending"), balance(tx, run.id, "pool")) == ("0", "0.3")


def test_the_pool_is_shared_equally_and_the_first_votes_get_what_does_not_divide(
    tx: Tx, run: Run, maker: UUID
) -> None:
    record = run.accept(tx, "0.000000017", maker)
    first, second, third = votes = [Vote(ids.new(), record) for _ in range(3)]
    run.share(tx, *reversed(votes))
    assert balance(tx, first.account_id, "pending") == "0.000000002"
    assert balance(tx, second.account_id, "pending") == "0.000000002"
    assert balance(tx, third.account_id, "pending") == "0.000000001"
    assert balance(tx, run.id, "pool") == "0"


def test_a_vote_to_reject_earns_what_one_to_accept_earns(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = run.accept(tx, "1", maker)
    run.share(tx, Vote(ids.new(), record), Vote(voter, ids.new(), verdict=False))
    assert states(tx, voter) == [("validator", "0.15", "pending")]


def test_without_votes_the_pool_returns_to_the_escrow(tx: Tx, run: Run, maker: UUID) -> None:
    run.accept(tx, "1", maker)
    assert run.share(tx) == 0
    assert balance(tx, run.campaign_id, "escrow") == "0.3"


def test_a_pool_is_shared_once(tx: Tx, run: Run, maker: UUID, voter: UUID) -> None:
    record = run.accept(tx, "1", maker)
    vote = Vote(voter, record)
    run.share(tx, vote)
    assert run.share(tx, vote) == 0
    assert states(tx, voter) == [("validator", "0.3", "pending")]


def test_nothing_is_available_within_the_window(tx: Tx, run: Run, maker: UUID) -> None:
    run.accept(tx, "1", maker)
    let_pass(tx, WINDOW_HOURS - 1)
    assert matured(tx) == 0
    assert balance(tx, maker, "available") == "0"


def test_after_the_window_a_reward_is_available_once(tx: Tx, run: Run, maker: UUID) -> None:
    run.accept(tx, "1", maker)
    let_pass(tx, WINDOW_HOURS)
    assert [matured(tx), matured(tx)] == [1, 0]
    assert (balance(tx, maker, "pending"), balance(tx, maker, "available")) == ("0", "0.7")
    assert states(tx, maker) == [("contributor", "0.7", "available")]


def test_the_oldest_version_matures_first_with_all_its_lines(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    older = run.accept(tx, "1", maker)
    run.share(tx, Vote(voter, older))
    let_pass(tx, 1)
    run.accept(tx, "2", maker)
    let_pass(tx, WINDOW_HOURS)
    assert matured(tx) == 2
    assert states(tx, maker) == [
        ("contributor", "0.7", "available"),
        ("contributor", "1.4", "pending"),
    ]


def test_no_more_entries_mature_at_once_than_allowed(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = run.accept(tx, "1", maker)
    run.share(tx, Vote(voter, record))
    let_pass(tx, WINDOW_HOURS)
    assert [maturity.mature(tx, WINDOW_HOURS, 1) for _ in range(3)] == [1, 1, 0]


def test_what_a_disputed_record_earned_does_not_mature(tx: Tx, run: Run, maker: UUID) -> None:
    record = run.accept(tx, "1", maker)
    assert rewards.freeze(tx, record, 1)
    let_pass(tx, WINDOW_HOURS)
    assert matured(tx) == 0


def test_votes_that_are_paid_during_a_dispute_do_not_mature_either(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = run.accept(tx, "1", maker)
    rewards.freeze(tx, record, 1)
    run.share(tx, Vote(voter, record))
    let_pass(tx, WINDOW_HOURS)
    assert matured(tx) == 0


def test_a_reward_that_is_available_cannot_be_frozen(tx: Tx, run: Run, maker: UUID) -> None:
    record = run.accept(tx, "1", maker)
    let_pass(tx, WINDOW_HOURS)
    matured(tx)
    assert not rewards.freeze(tx, record, 1)


def test_a_refused_dispute_ends_the_window(tx: Tx, run: Run, maker: UUID) -> None:
    record = run.accept(tx, "1", maker)
    rewards.freeze(tx, record, 1)
    rewards.thaw(tx, record, 1)
    rewards.thaw(tx, record, 1)
    assert (balance(tx, maker, "pending"), balance(tx, maker, "available")) == ("0", "0.7")


def test_taken_back_before_the_run_closes_the_part_in_the_pool_returns_too(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record, other = run.accept(tx, "1", maker), run.accept(tx, "2", maker)
    assert rewards.take_back(tx, record, 1, run.escrow()) == 1
    assert run.share(tx, Vote(voter, other)) == Decimal("0.6")
    assert balance(tx, run.campaign_id, "escrow") == "1"
    assert states(tx, maker) == [
        ("contributor", "0.7", "returned"),
        ("contributor", "1.4", "pending"),
    ]


def test_taken_back_after_the_run_closed_the_votes_on_the_record_return(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = run.accept(tx, "1", maker)
    other = Vote(ids.new(), ids.new(), verdict=False)
    run.share(tx, Vote(voter, record), other)
    assert rewards.take_back(tx, record, 1, run.escrow()) == Decimal("0.85")
    assert (balance(tx, voter, "pending"), balance(tx, other.account_id, "pending")) == (
        "0",
        "0.15",
    )


def test_a_reward_is_taken_back_once(tx: Tx, run: Run, maker: UUID) -> None:
    record = run.accept(tx, "1", maker)
    assert [rewards.take_back(tx, record, 1, run.escrow()) for _ in range(2)] == [1, 0]


def test_votes_for_what_was_taken_back_get_no_share_of_the_pool(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record, other = run.accept(tx, "1", maker), run.accept(tx, "2", maker)
    rewards.take_back(tx, record, 1, run.escrow())
    run.share(
        tx, Vote(voter, record), Vote(ids.new(), record, verdict=False), Vote(ids.new(), other)
    )
    assert balance(tx, voter, "pending") == "0"
    assert balance(tx, run.id, "pool") == "0"


def test_an_appeal_pays_contributor_and_votes_out_of_what_was_set_aside(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = ids.new()
    paid = [
        shares.accept_late(
            tx,
            shares.AcceptedVersion(
                campaign_id=run.campaign_id,
                run_id=ids.new(),
                record_id=record,
                version=1,
                token="USD",
                reward=Decimal(1),
                contributor_id=maker,
                refreshed=False,
            ),
            run.id,
            [Vote(voter, record), Vote(ids.new(), record)],
            run.escrow(),
        )
        for _ in range(2)
    ]
    assert paid == [True, False]
    assert (balance(tx, maker, "pending"), balance(tx, voter, "pending")) == ("0.7", "0.15")
    assert balance(tx, run.campaign_id, "escrow") == "9"
    assert audit.broken(tx) == {}


def test_judging_of_a_frozen_account_does_not_mature_until_it_is_thawed(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = run.accept(tx, "1", maker)
    store.freeze_judging(tx, voter)
    run.share(tx, Vote(voter, record))
    let_pass(tx, WINDOW_HOURS)
    assert [matured(tx), matured(tx)] == [1, 0]  # the contributor's
    assert [thaw_account(tx, voter) for _ in range(2)] == [True, False]
    assert matured(tx) == 1


def test_a_suspension_freezes_what_an_account_earned_by_judging(
    tx: Tx, run: Run, maker: UUID
) -> None:
    voter = builders.account(tx)
    record = run.accept(tx, "1", maker)
    run.share(tx, Vote(voter, record))
    suspended = "insert into reputations (account_id, suspended_at) values (%s, now())"
    tx.execute(suspended, [voter])
    reviews.consequences(tx, voter)
    let_pass(tx, WINDOW_HOURS)
    matured(tx)
    assert (balance(tx, voter, "available"), balance(tx, maker, "available")) == ("0", "0.7")


def test_a_frozen_account_stays_so_when_a_dispute_of_its_record_is_refused(
    tx: Tx, run: Run, maker: UUID, voter: UUID
) -> None:
    record = run.accept(tx, "1", maker)
    run.share(tx, Vote(voter, record))
    store.freeze_judging(tx, voter)
    rewards.freeze(tx, record, 1)
    rewards.thaw(tx, record, 1)
    assert (balance(tx, maker, "available"), balance(tx, voter, "available")) == ("0.7", "0")


def test_a_chat_earns_one_entry_that_is_available(tx: Tx, maker: UUID) -> None:
    chat = ids.new()
    for _ in range(2):
        rewards.earn(tx, ChatSettlement(chat, maker, "USD", Decimal("0.1")))
    rewards.earn(tx, ChatSettlement(ids.new(), maker, "USD", Decimal(0)))
    assert states(tx, maker) == [("provider", "0.1", "available")]


def test_balances_tell_what_is_frozen_and_when_the_next_matures(
    tx: Tx, run: Run, maker: UUID
) -> None:
    disputed, _ = run.accept(tx, "1", maker), run.accept(tx, "2", maker)
    rewards.freeze(tx, disputed, 1)
    (usd,) = rewards.balances(tx, maker, WINDOW_HOURS)
    page = store.page(tx, maker, None, None, None, 2)
    assert (amounts.text(usd.pending), amounts.text(usd.frozen)) == ("2.1", "0.7")
    assert usd.next_available_at is not None
    assert (usd.next_available_at - page[0].created_at).total_seconds() == WINDOW_HOURS * 3_600
