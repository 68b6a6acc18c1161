"""What nodes get of a page, what is taken of what they send, and what happens without it."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from app.core import db
from app.core.errors import Invalid
from app.domains.campaigns.campaigns.records import version_store
from app.domains.campaigns.campaigns.runs import node_work, page_store
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.providers.nodes import pauses
from app.domains.providers.work.assignment import Draw
from app.domains.providers.work.kinds import Item
from tests import builders
from tests import node_work as tests_node_work
from tests.integration.campaigns.market import OWLS, Market
from tests.integration.campaigns.test_states import sweep


@pytest.fixture
def node_account(market: Market) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx, "node@example.org")


def page_of(market: Market, campaign: Campaign) -> page_store.CampaignPage:
    with db.reading() as reader:
        [page] = page_store.page(reader, campaign.id, None, 10)
    return page


def item(market: Market, campaign: Campaign, account_id: UUID | None = None) -> Item:
    return given(market, page_of(market, campaign), account_id)


def given(market: Market, page: page_store.CampaignPage, account_id: UUID | None = None) -> Item:
    assert page.work_id is not None
    return Item(
        id=page.work_id,
        kind=node_work.EXTRACTION.name,
        fence=1,
        account_id=account_id,
        node_id=None,
        payer_id=market.account_id,
        subject=page.id,
        record_id=None,
        version=None,
        gold=False,
        deadline_at=datetime.now(UTC),
    )


def record(title: str = "Barn owls lay their eggs in May") -> dict[str, Any]:
    return {
        "data": {"title": title},
        "provenance": [{"pointer": "/title", "quote": title, "start": 0}],
    }


def accept(given: Item, output: dict[str, Any]) -> Any:
    candidates = node_work.check(given, output)
    with db.transaction() as tx:
        return node_work.accept(tx, given, candidates)


def test_a_node_gets_our_text_of_the_page_until_the_campaign_is_cancelled(
    market: Market, campaign: Campaign
) -> None:
    offered = item(market, campaign)
    given = node_work.load(offered)
    assert given is not None
    assert OWLS[0].split(".")[0] in given["page"]["text"]
    assert given["objective"] == campaign.body["objective"]
    assert given["schema"] == campaign.body["schema"]
    market.act(campaign, "cancel")
    market.work()
    assert node_work.load(offered) is None
    assert market.credit == 100


def test_the_owner_of_a_node_sees_what_became_of_its_records(
    market: Market, campaign: Campaign, node_account: UUID
) -> None:
    accept(item(market, campaign, node_account), {"records": [record()]})
    [candidate] = market.records(campaign, "candidate")
    assert candidate["contributed_by"] == "node"
    assert page_of(market, campaign).built_in is False
    market.decide("rejected")
    page = page_of(market, campaign)
    with db.reading() as reader:
        [found] = version_store.contributed(reader, node_account, [page.id])
        assert version_store.contributed(reader, market.account_id, [page.id]) == []
    assert (found.subject, found.state) == (page.id, "rejected")
    assert found.reasons == [{"category": "other", "reason": "No."}]


def test_a_record_that_is_due_gets_one_version_however_often_a_node_sends_it(
    market: Market, campaign: Campaign, node_account: UUID
) -> None:
    accept(item(market, campaign, node_account), {"records": [record()]})
    market.decide()
    with db.transaction() as tx:
        tx.execute("update campaign_records set due_at = now(), fresh_until = now()")
    market.publish(f"{OWLS[0]} Their wings make no sound.")
    market.tick_again()
    market.work()
    with db.reading() as reader:
        page, *_ = page_store.page(reader, campaign.id, None, 10)
    accept(given(market, page, node_account), {"records": [record(), record()]})
    assert [version for _, version in market.undecided()] == [2]


def test_a_quote_that_is_not_on_the_page_makes_no_candidate(
    market: Market, campaign: Campaign, node_account: UUID
) -> None:
    accept(item(market, campaign, node_account), {"records": [record("Invented owls")]})
    [candidate] = market.records(campaign, "candidate")
    assert (candidate["contributed_by"], "Invented" in str(candidate)) == ("built_in", False)


def test_where_no_node_does_it_as_it_is_to_be_done_the_built_in_extraction_stands_in(
    market: Market, campaign: Campaign
) -> None:
    with pytest.raises(Invalid) as refused:
        node_work.check(item(market, campaign), {"records": [{"data": {}}]})
    assert refused.value.details[0]["field"] == "/output/records/0/provenance"
    with db.transaction() as tx:
        node_work.ended(tx, item(market, campaign))
    [candidate] = market.records(campaign, "candidate")
    assert candidate["contributed_by"] == "built_in"


@pytest.fixture
def reading_node(market: Market, node_account: UUID) -> UUID:
    """A node that was just heard of."""
    with db.transaction() as tx:
        id, _ = tests_node_work.node(tx, market.settings, node_account, work=["extraction"])
        tx.execute("update nodes set seen_at = now()")
    return id


SILENT = "update nodes set seen_at = now() - interval '1 hour'"


def test_a_page_is_offered_for_as_long_as_there_is_a_node(
    market: Market, reading_node: UUID
) -> None:
    campaign = offered_before(market)
    sweep(market)
    assert page_of(market, campaign).state == "offered"
    with db.transaction() as tx:
        tx.execute(SILENT)
    sweep(market)
    [candidate] = market.records(campaign, "candidate")
    assert candidate["contributed_by"] == "built_in"


def test_a_page_that_a_node_has_is_left_to_it(market: Market, reading_node: UUID) -> None:
    campaign = offered_before(market)
    with db.transaction() as tx:
        wanted = tests_node_work.wanted(tx, reading_node, kinds=[node_work.EXTRACTION.name])
        assert len(Draw("salt").claim(tx, wanted)) == 1
        tx.execute(SILENT)
    sweep(market)
    assert page_of(market, campaign).state == "offered"


def test_nothing_is_offered_to_a_node_that_is_paused(market: Market, reading_node: UUID) -> None:
    with db.transaction() as tx:
        pauses.pause(tx, reading_node)
    assert page_of(market, market.with_one_page()).state == "done"


def offered_before(market: Market) -> Campaign:
    """A campaign whose page has been with the nodes for longer than one waits for them."""
    campaign = market.with_one_page()
    assert page_of(market, campaign).state == "offered"
    with db.transaction() as tx:
        tx.execute(
            "update jobs set created_at = created_at - interval '1 hour' where kind = %s",
            [node_work.EXTRACTION.name],
        )
    return campaign


def test_what_comes_after_the_built_in_extraction_changes_nothing(
    market: Market, campaign: Campaign, node_account: UUID
) -> None:
    given = item(market, campaign, node_account)
    with db.transaction() as tx:
        node_work.ended(tx, given)
    assert accept(given, {"records": [record("Barn owls")]}) is None
    assert len(market.undecided()) == 1
