"""`citegrid campaigns`, and the tools about campaigns, over answers that tests make up."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from agents import found
from campaign_answers import Campaigns
from click.testing import CliRunner, Result

from citegrid import Client
from citegrid.cli import command
from citegrid.cli.exits import Exit
from citegrid.cli.main import commands

Run = Callable[..., Result]
BODY: dict[str, Any] = {
    "name": "Owls",
    "objective": "owls and how they live",
    "data_requirements": {"sources": ["web"], "freshness": "7d", "records_target": 2},
    "reward_budget": {"token": "USD", "amount": "2"},
    "validation": {"min_validators": 2, "require_citations": True},
}


@pytest.fixture
def server() -> Campaigns:
    return Campaigns()


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, server: Campaigns) -> Run:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("SERVICE_BASE_URL", "https://citegrid.example.org")
    monkeypatch.setenv("SERVICE_API_KEY", "cgk_secret")
    transport = httpx.MockTransport(server)
    client = partial(Client, access_token="cga_secret", transport=transport)
    monkeypatch.setattr(command, "Client", lambda url, **_: client(url))

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(commands, arguments, prog_name="citegrid")

    return invoke


def written(folder: Path, body: Any) -> str:
    file = folder / "campaign.json"
    file.write_text(json.dumps(body))
    return str(file)


def test_a_campaign_is_created_from_a_file(run: Run, server: Campaigns, tmp_path: Path) -> None:
    assert run("campaigns", "create", written(tmp_path, BODY)).stdout == "camp_a\n"
    assert server.body == BODY


def test_a_file_with_something_else_is_not_sent(
    run: Run, server: Campaigns, tmp_path: Path
) -> None:
    done = run("campaigns", "create", written(tmp_path, {**BODY, "colour": "red"}))
    assert (done.exit_code, server.asked) == (Exit.USAGE, [])


def test_an_amount_is_sent_as_it_was_written(run: Run, server: Campaigns) -> None:
    run("campaigns", "fund", "camp_a", "2.50")
    assert server.body == {"amount": "2.50"}


def test_the_report_names_what_nothing_served_and_what_nodes_did_not_do(run: Run) -> None:
    shown = run("campaigns", "watch", "camp_a").stdout
    assert "served by no engine: social" in shown
    assert "without nodes: 3 pages read, 2 records judged by the server itself" in shown


def test_a_record_is_shown_with_the_quote_of_each_value(run: Run) -> None:
    shown = run("campaigns", "records", "camp_a").stdout
    assert 'title: Barn owls  "Barn owls"' in shown


def test_records_are_written_as_json(run: Run, tmp_path: Path) -> None:
    run("campaigns", "records", "camp_a", "-o", str(tmp_path / "owls.json"))
    [record] = json.loads((tmp_path / "owls.json").read_text())["records"]
    assert record["data"] == {"title": "Barn owls"}


def test_an_agent_describes_a_campaign_and_leaves_the_money_to_the_user() -> None:
    server = Campaigns()
    shown = found(
        server,
        "service_start_campaign",
        name="Owls",
        objective="owls and how they live",
        records_target=2,
        amount="2",
    )
    assert "citegrid campaigns fund camp_a 2" in shown["next_step"]
    assert server.body == BODY


def test_an_agent_sees_the_records_of_a_campaign_with_their_quotes() -> None:
    shown = found(Campaigns(state="active"), "service_get_campaign", campaign_id="camp_a")
    assert shown["records"][0]["values"][0]["quote"] == "Barn owls"
    assert shown["last_run"].startswith("closed: 3 pages, 2 accepted")
