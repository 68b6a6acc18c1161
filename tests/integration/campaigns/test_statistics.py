"""What a campaign came to so far: counted by the database, read by its owner."""

from decimal import Decimal

import pytest

from app.core import db
from app.domains.campaigns.campaigns import presentation, service
from app.domains.campaigns.campaigns.money.statistics import Statistics, statistics_of
from app.domains.campaigns.campaigns.records.record_store import RecordCounts
from app.domains.campaigns.campaigns.schemas import CampaignOut
from app.domains.campaigns.campaigns.store import Campaign
from tests.integration.campaigns.market import Market, shown


def of(campaign: Campaign) -> Statistics:
    with db.reading() as reader:
        return statistics_of(reader, campaign)


@pytest.fixture
def closed(market: Market) -> Campaign:
    """One record of four was accepted, one refused; two are undecided, and money was added."""
    campaign = market.funded(target=4, amount="4")
    market.collect()
    market.decide(most=1)
    market.decide("rejected", most=1)
    market.fund(campaign, "2")
    return market.now(campaign)


def test_what_happened_is_in_the_figures(market: Market, closed: Campaign) -> None:
    made = of(closed)
    with db.reading() as reader:
        campaign = presentation.campaign(reader, closed)
    assert made.records == RecordCounts(
        candidate=2, accepted=1, rejected=1, unresolved=0, duplicates=0
    )
    assert sum(made.spending.values()) == campaign.spent == Decimal("0.3")
    assert [point.amount for point in made.burn_down.left[:3]] == [
        4,
        Decimal("3.7"),
        Decimal("5.7"),
    ]
    assert [point.amount for point in made.burn_down.top_ups] == [4, 2]
    assert campaign.available + campaign.reserved == made.burn_down.left[-1].amount


def test_one_record_is_read_as_the_list_shows_it(market: Market, closed: Campaign) -> None:
    listed = market.records(closed, "rejected")[0]
    with db.reading() as reader:
        row = service.record_of(reader, closed, listed["id"])
        assert shown(row, presentation.record(row, closed.body["schema"])) == listed
        with pytest.raises(service.RecordNotFound):
            service.record_of(reader, closed, closed.id)


def test_a_list_tells_the_same_of_each_campaign_as_its_own_page(
    market: Market, closed: Campaign
) -> None:
    other = market.create()
    with db.reading() as reader:
        together = presentation.campaigns(reader, [closed, other])
        alone = {row.id: presentation.campaign(reader, row) for row in (closed, other)}
    dump = CampaignOut().dump
    assert {id: dump(x) for id, x in together.items()} == {id: dump(x) for id, x in alone.items()}
