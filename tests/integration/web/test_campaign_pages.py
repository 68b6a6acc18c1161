"""Campaigns as pages: what their owners see and do."""

import csv
from decimal import Decimal
from uuid import UUID, uuid4

import pytest
from flask import Flask
from psycopg.types.json import Jsonb

from app.core import db
from app.domains.account.accounts import preferences
from app.web.pages.campaigns import campaign_records
from tests import builders
from tests.campaign_history import DISPUTE, History, three_weeks
from tests.databases import become_owner
from tests.visiting import Visitor

FORM = {
    "name": "Owls",
    "objective": "owls and how they live",
    "sources": "web",
    "freshness": "7d",
    "records_target": "10",
    "amount": "5",
    "token": "USD",
    "min_validators": "2",
    "require_citations": "on",
    "key": "once",
}


def funder() -> UUID:
    """A new account with credit."""
    with db.transaction() as tx:
        account_id = builders.account(tx, f"{uuid4()}@example.org")
        builders.credit(tx, account_id, "10")
        return account_id


@pytest.fixture
def account_id(site: Flask) -> UUID:
    return funder()


@pytest.fixture
def owner(site: Flask, account_id: UUID) -> Visitor:
    return Visitor(site, account_id)


@pytest.fixture
def address(owner: Visitor) -> str:
    """Of a campaign that waits for funds."""
    return owner.post("/campaigns", FORM).headers["Location"].removesuffix("/fund?new=1")


def test_a_newcomer_is_offered_three_campaigns_and_what_they_cost(owner: Visitor) -> None:
    page = owner.get("/campaigns").text
    assert page.count("Use this") == page.count("at most") // 2 == 3
    assert 'value="Prices of heat pumps"' in owner.get("/campaigns/new?idea=prices").text


def test_a_form_that_is_sent_twice_makes_one_campaign(owner: Visitor, address: str) -> None:
    assert owner.post("/campaigns", FORM).headers["Location"] == f"{address}/fund?new=1"
    assert owner.get("/campaigns").text.count(f'href="{address}"') == 1


def test_what_is_wrong_is_told_at_its_field_and_the_form_keeps_what_was_sent(
    owner: Visitor,
) -> None:
    wrong = {**FORM, "records_target": "many", "freshness": "soon", "sources": "company_sites"}
    answer = owner.post("/campaigns", wrong)
    assert answer.status_code == 422
    assert 'id="records_target-problem"' in answer.text
    assert 'id="freshness-problem"' in answer.text
    assert 'value="soon"' in answer.text
    assert 'value="company_sites" checked' in answer.text


def test_a_campaign_that_ends_with_the_calendar_is_shown_in_every_zone(
    owner: Visitor, account_id: UUID
) -> None:
    with db.transaction() as tx:
        shown = {"theme": "system", "shortcuts": True, "page_size": 50}
        preferences.save(tx, account_id, zone="Asia/Tokyo", **shown)
    made = owner.post("/campaigns", {**FORM, "ends_at": "9999-12-31T23:59"})
    page = owner.get(made.headers["Location"].removesuffix("/fund?new=1"))
    assert "9999-12-31 23:59:00 UTC" in page.text


def test_no_more_is_set_aside_than_there_is(owner: Visitor, address: str) -> None:
    answer = owner.post(f"{address}/fund", {"amount": "11"})
    assert answer.status_code == 422
    assert "Your credit does not cover this amount" in answer.text


def test_it_is_funded_paused_resumed_and_cancelled(owner: Visitor, address: str) -> None:
    assert "Waiting for funds" in owner.get(address).text
    states = []
    for what in ("fund", "pause", "pause", "resume", "cancel"):
        assert owner.post(f"{address}/{what}", {"amount": "5"}).headers["Location"] == address
        states.append(owner.get("/campaigns", live=True).text.split("</span> ")[1].split("<")[0])
    assert states == ["Active", "Paused", "Paused", "Active", "Cancelled"]
    assert owner.get(address, live=True).status_code == 286
    billing = owner.get("/billing").text
    assert "Moved to a campaign" in billing
    assert "Returned from a campaign" in billing


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("pause", "The first run starts after you resume the campaign."),
        ("cancel", "The campaign ended before its first run."),
    ],
)
def test_a_campaign_without_runs_says_what_they_wait_for(
    owner: Visitor, address: str, what: str, words: str
) -> None:
    owner.post(f"{address}/fund", {"amount": "5"})
    owner.post(f"{address}/{what}")
    assert words in owner.get(f"{address}/runs").text


@pytest.fixture
def history(account_id: UUID) -> History:
    return three_weeks(account_id)


@pytest.fixture(scope="module")
def finished(site: Flask) -> History:
    """One that no test changes."""
    return three_weeks(funder())


@pytest.fixture
def reader(site: Flask, finished: History) -> Visitor:
    """Its owner."""
    return Visitor(site, finished.funder)


def test_its_money_is_shown_as_it_went_down(reader: Visitor, finished: History) -> None:
    page = reader.get(f"/campaigns/{finished.id}", live=True).text
    assert "hx-swap-oob" in page
    assert "<h1>" not in page
    for text in ("5.20 USD", "2.60 USD", "4.20 USD", "21 of 40", "<svg", "Forecast", "Even pace"):
        assert text in page
    assert "4.20 of 12.00 USD spent, 7.80 left. Topped up 1 time." in page
    assert "No source available for: social" in page
    assert '<th scope="row">Accepted records</th>' in page
    with reader.get(f"/campaigns/{finished.id}/ledger.csv") as file:
        rows = list(csv.DictReader(file.text.splitlines()))
    kept = [Decimal(row["amount"]) for row in rows if row["kind"] in ("escrow", "reserved")]
    assert sum(kept) == Decimal("7.8")


READ_NOTHING = {
    "no records were needed, or the remaining funds did not cover one.": {"asked": []},
    "no source could be searched for pages.": {"asked": [], "unserved_kinds": ["web"]},
    "no page was found.": {"asked": [{"kind": "web", "results": 0, "unread": 0}]},
    "no page that was found was due.": {"asked": [{"kind": "web", "results": 3, "unread": 0}]},
    "the remaining funds did not cover a record.": {
        "asked": [{"kind": "web", "results": 3, "unread": 2}]
    },
}


REPORT = """
    update campaign_runs set reserved = 0, report = %s where state = 'closed' and campaign_id = %s
    """


def test_a_closed_run_without_pages_says_that_it_read_nothing_and_why(
    owner: Visitor, history: History
) -> None:
    for reason, report in READ_NOTHING.items():
        with db.transaction() as tx:
            become_owner(tx)
            tx.execute(REPORT, [Jsonb({"pages": 0, **report}), history.campaign.id])
        for part in ("", "/runs"):
            page = owner.get(f"/campaigns/{history.id}{part}").text
            assert "Read nothing</span>" in page
            assert f"No pages were read: {reason}" in page


def test_a_closed_run_with_pages_is_closed(reader: Visitor, finished: History) -> None:
    page = reader.get(f"/campaigns/{finished.id}/runs").text
    assert "Closed</span>" in page
    assert "Read nothing" not in page


def test_records_lead_to_their_passages_and_are_exported_as_filtered(
    reader: Visitor, finished: History
) -> None:
    base = f"/campaigns/{finished.id}"
    assert "CSV (all 3)" in reader.get(f"{base}/records?state=rejected").text
    with reader.get(f"{base}/records.csv?state=rejected") as file:
        assert len(file.text.splitlines()) == 4
    record = f"{base}/records/{finished.accepted[0]}"
    page = reader.get(record).text
    assert "<mark>four to seven eggs</mark>" in page
    link = page.split(f'href="{base}/snapshots/')[2].split('"')[0].replace("&amp;", "&")
    stored = reader.get(f"{base}/snapshots/{link}")
    assert '<mark id="hit">four to seven eggs</mark>' in stored.text
    assert stored.headers["Content-Security-Policy"].startswith("sandbox;")
    for number in ("9", "-1", "9" * 5_000, ""):
        other = link.replace("quote=1", f"quote={number}")
        assert reader.get(f"{base}/snapshots/{other}").status_code == 404


def test_a_record_that_was_rejected_after_all_is_not_checked_again(
    owner: Visitor, history: History
) -> None:
    with db.transaction() as tx:
        rejected = "update campaign_records set state = 'rejected' where campaign_id = %s"
        tx.execute(rejected, [history.campaign.id])
    page = owner.get(f"/campaigns/{history.id}/records/{history.accepted[0]}").text
    assert '<dt>Next check</dt><dd><span class="none">–</span>' in page


def test_an_owner_judges_an_undecided_record_on_its_page(
    reader: Visitor, finished: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, object]] = []
    monkeypatch.setattr(
        campaign_records, "call", lambda name, body, **_: asked.append((name, body))
    )
    record = f"/campaigns/{finished.id}/records/{finished.accepted[0]}"
    assert reader.post(f"{record}/judgement", {"verdict": "accept"}).headers["Location"] == record
    assert asked == [("judgeCampaignRecord", {"verdict": "accept"})]


def test_an_accepted_record_is_disputed_once(owner: Visitor, history: History) -> None:
    base = f"/campaigns/{history.id}"
    record = f"{base}/records/{history.accepted[-1]}"
    short = owner.post(f"{record}/dispute", {**DISPUTE, "reason": "No."})
    assert short.status_code == 422
    assert 'id="reason-problem"' in short.text
    assert owner.post(f"{record}/dispute", DISPUTE).headers["Location"] == f"{base}/disputes"
    assert "The brood is that of another species" in owner.get(f"{base}/disputes").text
    assert owner.post(f"{record}/dispute", DISPUTE).status_code == 422
