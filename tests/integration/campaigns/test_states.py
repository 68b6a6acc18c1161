"""What moves a campaign, and what its ticks do meanwhile."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from app.core import db
from app.domains.campaigns.campaigns import kinds, service
from app.domains.queue.jobs import service as jobs
from tests.integration.campaigns.market import Market

ENDED = "update campaigns set ends_at = now() - interval '1 s'"
LATE = "update campaign_runs set deadline_at = now() - interval '1 s' where state <> 'closed'"


def sweep(market: Market) -> None:
    with db.transaction() as tx:
        jobs.enqueue(tx, kinds.SWEEP, jobs.OPERATOR, {})
    market.work()


def states(market: Market, campaign: Any) -> list[str]:
    return [run["state"] for run in market.runs(campaign)]


def test_a_campaign_waits_for_its_funds(market: Market) -> None:
    campaign = market.create()
    market.tick()
    assert campaign.state == "awaiting_funds"
    assert market.runs(campaign) == []


def test_less_than_a_record_costs_begins_nothing(market: Market) -> None:
    campaign = market.create(target=2, amount="2")
    assert market.fund(campaign, "0.5").state == "awaiting_funds"


def test_the_audit_log_writes_small_funds_as_every_amount(market: Market) -> None:
    market.fund(market.create(), "0.000000001")
    funded = "select facts ->> 'amount' from audit_events where action = 'campaign.funded'"
    with db.reading() as reader:
        assert db.value(reader, funded) == "0.000000001"


def test_a_campaign_begins_when_it_starts(market: Market) -> None:
    later = datetime.now(UTC) + timedelta(days=1)
    campaign = market.funded(starts_at=later)
    market.collect()
    assert market.runs(campaign) == []


def test_a_tick_of_a_paused_campaign_is_passed_over_and_says_so(market: Market) -> None:
    campaign = market.funded()
    market.act(campaign, "pause")
    market.collect()
    [run] = market.runs(campaign)
    assert (run["state"], run["report"]["skipped"]) == ("skipped", "paused")


def test_an_open_run_of_a_paused_campaign_goes_on(market: Market) -> None:
    campaign = market.funded(target=2)
    market.collect()
    market.act(campaign, "pause")
    market.decide()
    assert states(market, campaign) == ["closed"]


def test_a_paused_campaign_whose_money_is_spent_stays_paused_when_it_is_funded(
    market: Market,
) -> None:
    campaign = market.poor()
    market.act(campaign, "pause")
    market.decide()
    assert market.balance(campaign.id, "escrow") < campaign.reward
    assert market.fund(campaign, "1").state == "paused"


def test_a_paused_campaign_without_money_for_a_record_is_exhausted_when_it_is_resumed(
    market: Market,
) -> None:
    campaign = market.poor()
    market.act(campaign, "pause")
    assert market.act(campaign, "resume").state == "active"  # its run may return some
    market.act(campaign, "pause")
    market.decide()
    assert market.act(campaign, "resume").state == "exhausted"
    assert market.fund(campaign, "1").state == "active"


def test_a_paused_campaign_goes_on_when_it_is_resumed(market: Market) -> None:
    campaign = market.funded()
    market.act(campaign, "pause")
    market.act(campaign, "resume")
    market.collect()
    assert states(market, campaign) == ["reviewing"]


def test_pausing_twice_is_one_event(market: Market) -> None:
    campaign = market.funded()
    assert market.act(campaign, "pause") == market.act(campaign, "pause")
    with db.reading() as reader:
        sql = "select count(*) from audit_events where action = 'campaign.paused'"
        assert db.value(reader, sql) == 1


def test_a_tick_while_a_run_is_open_is_passed_over(market: Market) -> None:
    campaign = market.funded()
    market.collect()
    market.tick_again()
    market.work()
    skipped, _open = market.runs(campaign)
    assert (skipped["state"], skipped["report"]["skipped"]) == ("skipped", "overlapping")


def test_what_no_run_reserved_returns_as_a_campaign_is_cancelled(market: Market) -> None:
    campaign = market.funded(target=4, amount="2")
    market.fund(campaign, "3")
    market.collect()
    market.act(campaign, "cancel")
    assert market.credit == 98
    assert market.balance(campaign.id, "reserved") == 2


def test_what_was_submitted_before_a_cancel_is_still_judged(market: Market) -> None:
    campaign = market.funded(target=2)
    market.collect()
    market.act(campaign, "cancel")
    market.work()
    market.decide()
    assert len(market.records(campaign)) == 2
    assert market.credit == 100


def test_cancelling_twice_changes_nothing(market: Market) -> None:
    campaign = market.funded()
    first = market.act(campaign, "cancel")
    assert market.act(campaign, "cancel") == first


@pytest.mark.parametrize("name", ["pause", "resume"])
def test_an_ended_campaign_is_neither_paused_nor_resumed(market: Market, name: str) -> None:
    campaign = market.funded()
    market.act(campaign, "cancel")
    with pytest.raises(service.CampaignState):
        market.act(campaign, name)


def test_an_ended_campaign_takes_no_money(market: Market) -> None:
    campaign = market.funded()
    market.act(campaign, "cancel")
    with pytest.raises(service.CampaignState):
        market.fund(campaign, "1")


def test_a_campaign_whose_time_is_over_ends_and_returns_its_money(market: Market) -> None:
    campaign = market.funded()
    with db.transaction() as tx:
        tx.execute(ENDED)
    sweep(market)
    assert market.now(campaign).state == "ended"
    assert market.credit == 100


def test_a_run_past_its_deadline_closes_with_what_is_undecided_unresolved(
    market: Market,
) -> None:
    campaign = market.funded(target=2)
    market.collect()
    with db.transaction() as tx:
        tx.execute(LATE)
    sweep(market)
    assert states(market, campaign) == ["closed"]
    assert len(market.records(campaign, "unresolved")) == 2
    assert market.balance(campaign.id, "reserved") == 0
