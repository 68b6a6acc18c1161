"""A campaign from its tick to its close, without any node."""

from app.core import db
from app.domains.campaigns.campaigns.runs import run_end
from app.domains.records.page_jobs import service as extractions
from tests.integration.campaigns.market import Market


def test_a_campaign_without_nodes_says_who_judged_its_records_and_returns_its_money_once(
    market: Market,
) -> None:
    campaign = market.funded(target=2, amount="2")
    market.collect()
    market.decide()
    assert market.now(campaign).state == "completed"
    assert len(market.records(campaign)) == 2
    [run] = market.runs(campaign)
    assert run["state"] == "closed"
    assert run["report"]["built_in"] == {"extracted": 2, "validated": 2}
    with db.transaction() as tx:
        assert run_end.close(tx, run["id"]) is False
    assert market.credit == 100
    assert market.balance(campaign.id, "escrow") == 0
    assert market.balance(campaign.id, "reserved") == 0


def test_a_run_reserves_its_greatest_cost_for_records_of_which_each_value_has_a_quote(
    market: Market,
) -> None:
    campaign = market.funded(target=4, amount="2")
    market.collect()
    assert market.balance(campaign.id, "reserved") == 2
    assert market.balance(campaign.id, "escrow") == 0
    records = market.records(campaign, "candidate")
    assert len(records) == 4
    for record in records:
        quoted = {each["pointer"] for each in record["provenance"]}
        assert quoted == {f"/{name}" for name in record["data"]}
        [first, *_] = record["provenance"]
        with db.reading() as reader:
            text = extractions.snapshot(reader, market.account_id, first["snapshot"]).text
        assert text[first["start"] : first["end"]] == first["quote"]


def test_a_run_takes_no_more_records_than_it_can_pay(market: Market) -> None:
    campaign = market.create(target=4, amount="2")
    market.fund(campaign, "1")
    market.collect()
    assert len(market.undecided()) == 2


def test_a_campaign_that_cannot_pay_for_a_record_is_exhausted_and_a_top_up_reopens_it(
    market: Market,
) -> None:
    campaign = market.poor()
    market.decide()
    assert market.now(campaign).state == "exhausted"
    assert market.fund(campaign, "1").state == "active"


def test_a_run_that_finds_nothing_closes_and_reports_a_kind_that_no_engine_serves(
    market: Market,
) -> None:
    campaign = market.funded(sources=["web", "social"])
    market.site.searxng()
    market.collect()
    [run] = market.runs(campaign)
    assert run["state"] == "closed"
    assert run["report"]["unserved_kinds"] == ["social"]
    assert [each["kind"] for each in run["report"]["asked"]] == ["web"]
    assert market.now(campaign).state == "active"


def test_a_rejected_record_says_why_costs_nothing_and_is_not_read_again(market: Market) -> None:
    campaign = market.funded(target=2, amount="2")
    market.collect()
    market.decide("rejected")
    assert {reason["reason"] for record in market.records(campaign, "rejected")
            for reason in record["reasons"]} == {"No."}  # fmt: skip
    assert market.balance(campaign.id, "escrow") == 2
    market.site.searxng(*(f"{market.site.url}/{n}" for n in range(2)))
    market.tick_again()
    market.work()
    second, _first = market.runs(campaign)
    assert second["report"]["asked"][0]["unread"] == 0
