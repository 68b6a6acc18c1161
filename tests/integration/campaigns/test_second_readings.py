"""Pages of which a node made nothing, and who reads them after it."""

from dataclasses import dataclass
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
RIGHT: dict[str, Any] = {"records": [record()]}
WRONG: dict[str, Any] = {"records": [record("Barn owls")]}


@dataclass
class Readers:
    """Accounts whose nodes read the one page of a campaign."""

    market: Market
    campaign: Campaign
    ids: list[UUID]

    def send(self, number: int, output: dict[str, Any]) -> None:
        """Hand in for the page, as a node of the account with this number."""
        accept(item(self.market, self.campaign, self.ids[number]), output)

    def hand_in_late(self, page: CampaignPage, number: int, output: dict[str, Any]) -> None:
        accept(given(self.market, page, self.ids[number]), output)

    def page(self) -> CampaignPage:
        return page_of(self.market, self.campaign)

    def newest_page(self) -> CampaignPage:
        with db.reading() as reader:
            return page_store.page(reader, self.campaign.id, None, 1)[0]

    def excluded(self, page: CampaignPage) -> list[UUID]:
        """The accounts that are not asked to read the page."""
        with db.reading() as reader:
            sql = "select excluded from work where id = %(id)s"
            return list(db.value(reader, sql, id=page.work_id))

    def run_again(self) -> None:
        self.market.tick_again()
        self.market.work()

    def contributed(self, state: str = "accepted") -> list[str]:
        """Who brought each record."""
        return [each["contributed_by"] for each in self.market.records(self.campaign, state)]


@pytest.fixture
def readers(market: Market, campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> Readers:
    """Two."""
    with db.transaction() as tx:
        ids = [builders.account(tx, f"reader-{n}@example.org") for n in range(2)]
    monkeypatch.setattr(second_readings, "seen_accounts", lambda *_: ids)
    return Readers(market, campaign, ids)


def test_a_page_whose_records_were_all_rejected_is_given_to_another_account_and_paid(
    readers: Readers,
) -> None:
    readers.send(0, WRONG)
    readers.market.decide("rejected")
    assert readers.page().state == "offered"
    assert readers.excluded(readers.page()) == [readers.ids[0]]
    assert readers.market.runs(readers.campaign)[0]["state"] == "collecting"
    with db.reading() as reader:
        run = run_store.open_of(reader, readers.campaign.id)
    assert run is not None
    assert run.records_taken == 0  # what was rejected leaves its room
    readers.send(1, RIGHT)
    readers.market.decide("accepted")
    assert readers.contributed() == ["node"]
    assert str(readers.market.balance(readers.ids[1], "pending").normalize()) == "0.7"


def test_a_page_is_given_to_another_account_once(readers: Readers) -> None:
    readers.send(0, WRONG)
    readers.market.decide("rejected")
    readers.send(1, RIGHT)
    readers.market.decide("rejected")
    assert readers.page().state == "done"
    assert readers.market.runs(readers.campaign)[0]["state"] == "closed"


def test_a_page_with_one_record_that_was_not_rejected_is_done(readers: Readers) -> None:
    readers.send(0, {"records": [record(), record("Barn owls")]})
    readers.market.decide("accepted", most=1)
    readers.market.decide("rejected")
    assert readers.page().state == "done"


@pytest.mark.parametrize(("drawn", "state"), [(0.1, "offered"), (0.9, "done")])
def test_a_page_on_which_nobody_found_anything_is_checked_at_random(
    readers: Readers, monkeypatch: pytest.MonkeyPatch, drawn: float, state: str
) -> None:
    monkeypatch.setattr(second_readings._SECRET, "random", lambda: drawn)
    with db.transaction() as tx:
        tx.execute("delete from extraction_records")
    readers.send(0, NOTHING)
    assert readers.page().state == state


def test_without_another_account_what_we_read_stands_in(readers: Readers) -> None:
    del readers.ids[1]
    readers.send(0, NOTHING)
    assert readers.contributed("candidate") == ["built_in"]


def test_who_found_nothing_where_another_did_was_wrong(readers: Readers) -> None:
    readers.send(0, NOTHING)
    page = readers.page()
    assert (page.state, page.first_reader) == ("offered", readers.ids[0])
    readers.send(1, RIGHT)
    with db.reading() as reader:
        assert list(db.values(reader, "select overlooked_by from reviews")) == [readers.ids[0]]


# Rejected when its run has closed: a dispute, for instance.


@pytest.fixture
def rejected_late(readers: Readers) -> CampaignPage:
    """The page of the next run, after all that the first reader had found was disputed."""
    readers.send(0, WRONG)
    reject_late(readers)
    return readers.newest_page()


def reject_late(readers: Readers) -> None:
    """All that was accepted, when its run has closed; the next run begins."""
    readers.market.decide("accepted")
    with db.transaction() as tx:
        tx.execute("update campaign_versions set state = 'rejected'")
        tx.execute("update campaign_records set state = 'rejected'")
        assert db.values(tx, "select state from campaign_runs") == ["closed"]
    readers.run_again()


def test_who_brought_what_was_rejected_late_is_not_asked_again_and_has_not_found_nothing(
    readers: Readers, rejected_late: CampaignPage
) -> None:
    assert readers.excluded(rejected_late) == [readers.ids[0]]
    readers.hand_in_late(rejected_late, 1, RIGHT)
    with db.reading() as reader:
        assert list(db.values(reader, "select overlooked_by from reviews")) == [None, None]
    # One more run reads it, and no other.
    readers.market.decide("rejected")
    readers.run_again()
    assert readers.newest_page().id == rejected_late.id


def test_without_another_account_what_we_read_of_a_page_rejected_late_stands_in(
    readers: Readers,
) -> None:
    del readers.ids[1]
    readers.send(0, WRONG)
    reject_late(readers)
    assert readers.newest_page().built_in
    assert readers.contributed("candidate") == ["built_in"]


def test_a_page_of_which_something_is_accepted_is_not_read_again(readers: Readers) -> None:
    readers.send(0, RIGHT)
    readers.market.decide("accepted")
    page = readers.newest_page()
    readers.run_again()
    assert readers.newest_page().id == page.id
