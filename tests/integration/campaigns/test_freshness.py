"""Records that were accepted are looked at again in time."""

import pytest

from app.core import db
from app.domains.campaigns.campaigns.runs import run
from tests.integration.campaigns.market import OWLS, Market

DUE = """
    update campaign_records set due_at = now() - interval '1 s', fresh_until = now()
    where state = 'accepted'
    """


def grown_old(market: Market) -> None:
    """Accept what is there, and let time pass until it is due."""
    market.collect()
    market.decide()
    with db.transaction() as tx:
        tx.execute(DUE)


def again(market: Market) -> None:
    market.tick_again()
    market.work()


def test_a_record_is_due_in_the_last_fifth_of_its_time(market: Market) -> None:
    campaign = market.funded(target=4, amount="4", freshness_seconds=1_000)
    market.site.searxng(market.site.url + "/0")
    market.collect()
    market.decide()
    [record] = market.records(campaign)
    seconds = (record["due_at"] - record["verified_at"]).total_seconds()
    assert 800 <= seconds <= 1_000


def test_an_unchanged_page_makes_its_record_fresh_for_nothing(market: Market) -> None:
    market.publish(OWLS[0])
    campaign = market.funded(target=3, amount="3")
    grown_old(market)
    [before] = market.records(campaign)
    again(market)
    [after] = market.records(campaign)
    assert after["verified_at"] > before["verified_at"]
    assert after["version"] == 1
    assert market.runs(campaign)[0]["report"]["outcomes"] == {"unchanged": 1}
    assert market.balance(campaign.id, "escrow") == 3


def test_a_changed_page_is_judged_again_and_makes_a_new_version(market: Market) -> None:
    market.publish(OWLS[0])
    campaign = market.funded(target=3, amount="3")
    grown_old(market)
    market.publish(f"{OWLS[0]} Their wings make no sound.")
    again(market)
    reserved = market.runs(campaign)[0]["reserved"]
    assert market.balance(campaign.id, "reserved") == reserved
    assert reserved % 1 != 0  # the judges' part alone
    market.decide()
    [record] = market.records(campaign)
    assert record["version"] == 2
    assert "no sound" in record["data"]["summary"]


def test_a_version_that_is_refused_leaves_the_one_before(market: Market) -> None:
    market.publish(OWLS[0])
    campaign = market.funded(target=3, amount="3")
    grown_old(market)
    market.publish(f"{OWLS[0]} Their wings make no sound.")
    again(market)
    market.decide("rejected")
    [record] = market.records(campaign)
    assert record["version"] == 1


def test_a_page_that_is_gone_keeps_no_other_record_from_being_looked_at(
    market: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "MOST_DUE", 1)
    market.publish(*OWLS[:2])
    campaign = market.funded(target=4, amount="4")
    grown_old(market)
    with db.transaction() as tx:
        tx.execute(f"{DUE} and url like '%/0'".replace("1 s", "1 h"))
    market.site.pages.pop("/0")
    again(market)
    again(market)
    outcomes = [each["report"]["outcomes"] for each in market.runs(campaign)[:2]]
    assert outcomes[0] == {"unchanged": 1}
