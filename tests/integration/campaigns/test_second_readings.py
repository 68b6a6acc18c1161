"""Pages of which a node made nothing, and who reads them after it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from app.core import db
from app.domains.campaigns.campaigns.runs import page_store, run_store, second_readings
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.store import Campaign
from tests import builders
from tests.integration.campaigns.market import Market
from tests.integration.campaigns.test_node_work import accept, given, item, page_of, record

NOTHING: dict[str, Any] = {"records": []}


@pytest.fixture
def readers(market: Market, monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """Two accounts whose nodes read pages."""
    with db.transaction() as tx:
        readers = [builders.account(tx, f"reader-{n}@example.org") for n in range(2)]
    monkeypatch.setattr(second_readings, "seen_accounts", lambda *_: readers)
    return readers


Send = Callable[[UUID, dict[str, Any]], Any]


@pytest.fixture
def send(market: Market, campaign: Campaign) -> Send:
    """Hands in for the page, as a node of an account."""
    return lambda account_id, output: accept(item(market, campaign, account_id), output)


def test_a_page_whose_records_were_all_rejected_is_given_to_another_account(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    send(readers[0], {"records": [record()]})
    market.decide("rejected")
    page = page_of(market, campaign)
    assert page.state == "offered"
    wanted = "select excluded from work where id = %(id)s"
    with db.reading() as reader:
        assert db.value(reader, wanted, id=page.work_id) == [readers[0]]
    assert market.runs(campaign)[0]["state"] == "collecting"
    with db.reading() as reader:
        run = run_store.open_of(reader, campaign.id)
    assert run is not None
    assert run.records_taken == 0  # what was rejected leaves its room


def test_what_the_other_account_finds_is_paid(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    send(readers[0], {"records": [record("Barn owls")]})
    market.decide("rejected")
    send(readers[1], {"records": [record()]})
    market.decide("accepted")
    assert [each["contributed_by"] for each in market.records(campaign)] == ["node"]
    assert str(market.balance(readers[1], "pending").normalize()) == "0.7"


def test_a_page_is_given_to_another_account_once(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    send(readers[0], {"records": [record("Barn owls")]})
    market.decide("rejected")
    send(readers[1], {"records": [record()]})
    market.decide("rejected")
    assert page_of(market, campaign).state == "done"
    assert market.runs(campaign)[0]["state"] == "closed"


def test_a_page_with_one_record_that_was_not_rejected_is_done(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    send(readers[0], {"records": [record(), record("Barn owls")]})
    market.decide("accepted", most=1)
    market.decide("rejected")
    assert page_of(market, campaign).state == "done"


@pytest.mark.parametrize(("drawn", "state"), [(0.1, "offered"), (0.9, "done")])
def test_a_page_on_which_nobody_found_anything_is_checked_at_random(
    market: Market,
    campaign: Campaign,
    readers: list[UUID],
    send: Send,
    monkeypatch: pytest.MonkeyPatch,
    drawn: float,
    state: str,
) -> None:
    monkeypatch.setattr(second_readings._SECRET, "random", lambda: drawn)
    with db.transaction() as tx:
        tx.execute("delete from extraction_records")
    send(readers[0], NOTHING)
    assert page_of(market, campaign).state == state


def test_without_another_account_what_we_read_stands_in(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    del readers[1]
    send(readers[0], NOTHING)
    [candidate] = market.records(campaign, "candidate")
    assert candidate["contributed_by"] == "built_in"


def test_who_found_nothing_where_another_did_was_wrong(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    send(readers[0], NOTHING)
    page = page_of(market, campaign)
    assert (page.state, page.first_reader) == ("offered", readers[0])
    send(readers[1], {"records": [record()]})
    with db.reading() as reader:
        [overlooked_by] = db.values(reader, "select overlooked_by from reviews")
    assert overlooked_by == readers[0]


# Rejected when its run has closed: a dispute, for instance.


@pytest.fixture
def rejected_late(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> CampaignPage:
    """The page of the next run, after all that the first reader had found was disputed."""
    send(readers[0], {"records": [record("Barn owls")]})
    reject_late(market)
    return newest_page(campaign)


def reject_late(market: Market) -> None:
    """All that was accepted, when its run has closed; the next run begins."""
    market.decide("accepted")
    with db.transaction() as tx:
        tx.execute("update campaign_versions set state = 'rejected'")
        tx.execute("update campaign_records set state = 'rejected'")
        assert db.values(tx, "select state from campaign_runs") == ["closed"]
    market.tick_again()
    market.work()


def newest_page(campaign: Campaign) -> CampaignPage:
    with db.reading() as reader:
        return page_store.page(reader, campaign.id, None, 1)[0]


def test_who_brought_what_was_rejected_late_is_not_asked_again_and_has_not_found_nothing(
    market: Market, rejected_late: CampaignPage, readers: list[UUID]
) -> None:
    wanted = "select excluded from work where id = %(id)s"
    with db.reading() as reader:
        assert db.value(reader, wanted, id=rejected_late.work_id) == [readers[0]]
    accept(given(market, rejected_late, readers[1]), {"records": [record()]})
    with db.reading() as reader:
        overlooked = db.values(reader, "select overlooked_by from reviews")
    assert list(overlooked) == [None, None]


def test_a_page_rejected_late_is_read_by_one_more_run_and_no_other(
    market: Market, campaign: Campaign, rejected_late: CampaignPage, readers: list[UUID]
) -> None:
    accept(given(market, rejected_late, readers[1]), {"records": [record()]})
    market.decide("rejected")
    market.tick_again()
    market.work()
    assert newest_page(campaign).id == rejected_late.id


def test_without_another_account_what_we_read_of_a_page_rejected_late_stands_in(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    del readers[1]
    send(readers[0], {"records": [record("Barn owls")]})
    reject_late(market)
    assert newest_page(campaign).built_in
    assert [each["contributed_by"] for each in market.records(campaign, "candidate")] == [
        "built_in"
    ]


def test_a_page_of_which_something_is_accepted_is_not_read_again(
    market: Market, campaign: Campaign, readers: list[UUID], send: Send
) -> None:
    send(readers[0], {"records": [record()]})
    market.decide("accepted")
    page = newest_page(campaign)
    market.tick_again()
    market.work()
    assert newest_page(campaign).id == page.id
