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


def test_less_than_a_record_costs_begins_nothing_and_is_in_the_audit_log(market: Market) -> None:
    campaign = market.create(target=2, amount="2")
    assert campaign.state == "awaiting_funds"
    assert market.fund(campaign, "0.000000001").state == "awaiting_funds"
    assert market.fund(campaign, "0.5").state == "awaiting_funds"
    market.tick()
    assert market.runs(campaign) == []
    funded = "select facts ->> 'amount' from audit_events where action = 'campaign.funded'"
    with db.reading() as reader:
        assert list(db.values(reader, f"{funded} order by id")) == ["0.000000001", "0.5"]


def test_a_campaign_begins_when_it_starts(market: Market) -> None:
    later = datetime.now(UTC) + timedelta(days=1)
    campaign = market.funded(starts_at=later)
    market.collect()
    assert market.runs(campaign) == []


def test_a_tick_of_a_paused_campaign_is_passed_over_until_it_is_resumed(market: Market) -> None:
    campaign = market.funded()
    assert market.act(campaign, "pause") == market.act(campaign, "pause")
    with db.reading() as reader:
        sql = "select count(*) from audit_events where action = 'campaign.paused'"
        assert db.value(reader, sql) == 1
    market.collect()
    [run] = market.runs(campaign)
    assert (run["state"], run["report"]["skipped"]) == ("skipped", "paused")
    market.act(campaign, "resume")
    market.tick_again()
    market.work()
    assert states(market, campaign) == ["reviewing", "skipped"]


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


def test_a_tick_is_passed_over_while_a_run_is_open_which_goes_on_when_it_is_paused(
    market: Market,
) -> None:
    campaign = market.funded(target=2)
    market.collect()
    market.tick_again()
    market.work()
    skipped, _open = market.runs(campaign)
    assert (skipped["state"], skipped["report"]["skipped"]) == ("skipped", "overlapping")
    market.act(campaign, "pause")
    market.decide()
    assert states(market, campaign) == ["skipped", "closed"]


def test_a_cancel_returns_at_once_what_no_run_reserved_and_the_rest_once_it_is_judged(
    market: Market,
) -> None:
    campaign = market.funded(target=4, amount="2")
    market.fund(campaign, "3")
    market.collect()
    market.act(campaign, "cancel")
    assert market.credit == 98
    assert market.balance(campaign.id, "reserved") == 2
    market.work()
    market.decide()
    assert len(market.records(campaign)) == 4
    assert market.credit == 100


def test_a_cancelled_campaign_stays_so_and_takes_no_money(market: Market) -> None:
    campaign = market.funded()
    ended = market.act(campaign, "cancel")
    assert market.act(campaign, "cancel") == ended
    for name in ("pause", "resume"):
        with pytest.raises(service.CampaignState):
            market.act(campaign, name)
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
