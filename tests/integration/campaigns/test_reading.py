"""A run that has closed, as its owner, the owner's webhooks and the operator see it."""

import json
from typing import Any

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from app.core import db
from app.domains.campaigns.campaigns import service
from app.domains.campaigns.campaigns.store import Campaign
from app.local.commands import operator_command
from app.local.commands.market import campaigns as commands
from tests import builders
from tests.integration.campaigns.market import OWLS, Market

HOOK = """
    insert into webhooks (id, account_id, url, events, secret)
    values (gen_random_uuid(), %s, 'https://example.org/', array['*'], ''::bytea)
    """
TOLD = "select type from webhook_events order by id"


@pytest.fixture
def closed(market: Market) -> Campaign:
    market.publish(OWLS[0], OWLS[0], OWLS[1])
    campaign = market.funded(target=3, amount="3")
    market.collect()
    market.decide()
    return campaign


@pytest.fixture
def read(client: FlaskClient, market: Market, closed: Campaign) -> Any:
    with db.transaction() as tx:
        token = builders.access_token(tx, market.settings, market.account_id)
    headers = {"Authorization": f"Bearer {token}"}

    def get(noun: str) -> list[dict[str, Any]]:
        answer = client.get(f"/v1/campaigns/{market.id(closed)}/{noun}", headers=headers)
        assert answer.status_code == 200, answer.get_json()
        found: list[dict[str, Any]] = answer.get_json()[
            {"ledger": "entries"}.get(noun, noun.partition("?")[0])
        ]
        return found

    return get


def test_its_owner_reads_what_became_of_its_pages_records_and_money(read: Any) -> None:
    [run] = read("runs")
    assert run["report"]["outcomes"] == {"read": 3}
    counts = {name: run["report"][name] for name in ("candidates", "accepted", "duplicates")}
    assert counts == {"candidates": 2, "accepted": 2, "duplicates": 1}
    assert (run["reserved"], run["spent"]) == ("3", "0")
    amounts = [float(entry["amount"]) for entry in read("ledger") if entry["kind"] == "escrow"]
    assert sum(amounts) == 3.0
    assert {(page["state"], page["outcome"], page["by"]) for page in read("work")} == {
        ("done", "read", "built_in")
    }
    assert [record["state"] for record in read("records")] == ["accepted", "accepted"]
    [copy] = read("records?state=rejected")
    assert copy["duplicate_of"].startswith("crec_")
    assert copy["reasons"][0]["category"] == "duplicate"


def test_webhooks_hear_of_a_run_that_closed_and_of_a_campaign_that_is_complete(
    market: Market,
) -> None:
    market.funded(target=2)
    with db.transaction() as tx:
        tx.execute(HOOK, (market.account_id,))
    market.collect()
    market.decide()
    with db.reading() as reader:
        assert [row[0] for row in reader.execute(TOLD)] == ["run.closed", "campaign.completed"]


def test_the_operator_reads_the_report_of_any_campaign(
    market: Market, closed: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operator_command, "settings", lambda _: market.settings)
    done = CliRunner().invoke(commands.campaigns_group, ["report", market.id(closed)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["runs"][0]["state"] == "closed"


def test_pages_that_were_read_long_ago_are_forgotten(market: Market, closed: Campaign) -> None:
    with db.transaction() as tx:
        tx.execute("update campaign_pages set read_at = now() - interval '40 days'")
        assert service.retire_pages(tx, 31) == 3
    assert len(market.records(closed)) == 2
