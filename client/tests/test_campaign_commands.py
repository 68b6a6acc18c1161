"""`citegrid campaigns`, and the tools about campaigns, over answers that tests make up."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from agents import found
from campaign_answers import RECORD, Campaigns
from conftest import Run

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
def run(run: Run, server: Campaigns) -> Run:
    return partial(run, server)


def written(folder: Path, body: Any) -> str:
    file = folder / "campaign.json"
    file.write_text(json.dumps(body))
    return str(file)


def test_a_campaign_is_created_from_a_file(run: Run, server: Campaigns, tmp_path: Path) -> None:
    assert run("campaigns", "create", written(tmp_path, BODY)).stdout == "camp_a\n"
    assert server.body == BODY


def test_an_amount_is_sent_as_it_was_written(run: Run, server: Campaigns) -> None:
    run("campaigns", "fund", "camp_a", "2.50")
    assert server.body == {"amount": "2.50"}


def test_the_report_names_what_nothing_served_and_what_nodes_did_not_do(run: Run) -> None:
    shown = run("campaigns", "watch", "camp_a").stdout
    assert "no source available for: social" in shown
    assert "without nodes: 3 pages read, 2 records judged by built-in checks" in shown


@pytest.mark.parametrize(
    ("asked", "unserved", "reason"),
    [
        ([], [], "no records were needed, or the remaining funds did not cover one"),
        ([], ["web"], "no source could be searched for pages"),
        ([(0, 0)], [], "no page was found"),
        ([(3, 0)], [], "no page that was found was due"),
        ([(3, 2)], [], "the remaining funds did not cover a record"),
    ],
)
def test_the_report_of_a_run_that_read_nothing_says_why(
    run: Run,
    server: Campaigns,
    asked: list[tuple[int, int]],
    unserved: list[str],
    reason: str,
) -> None:
    found = [{"kind": "web", "results": hits, "unread": unread} for hits, unread in asked]
    server.report = {"pages": 0, "asked": found, "unserved_kinds": unserved}
    assert f"no pages were read: {reason}\n" in run("campaigns", "report", "camp_a").stdout


def test_the_report_of_a_run_that_could_not_be_planned_says_so(run: Run, server: Campaigns) -> None:
    server.report = {"pages": 0, "error": "engines_unavailable"}
    assert "planning failed: engines_unavailable" in run("campaigns", "report", "camp_a").stdout


def test_a_record_is_shown_with_the_quote_of_each_value(run: Run) -> None:
    shown = run("campaigns", "records", "camp_a").stdout
    assert 'title: Barn owls  "Barn owls"' in shown


def test_a_record_is_judged(run: Run, server: Campaigns) -> None:
    done = run("campaigns", "judge", "camp_a", "crec_a", "reject")
    assert (done.exit_code, server.body) == (0, {"verdict": "reject"})
    assert server.asked[-1].url.path == "/v1/campaigns/camp_a/records/crec_a/judgement"


def test_a_duplicate_names_the_record_that_it_repeats(run: Run, server: Campaigns) -> None:
    duplicate = {"reasons": [{"category": "duplicate", "reason": None}], "duplicate_of": "crec_b"}
    server.record = {**RECORD, "state": "rejected", **duplicate}
    shown = run("campaigns", "records", "camp_a", "--state", "rejected").stdout
    assert shown.splitlines()[-1] == "  duplicate of crec_b"


def test_a_reason_without_words_is_its_category(run: Run, server: Campaigns) -> None:
    server.record = {**RECORD, "reasons": [{"category": "irrelevant", "reason": None}]}
    assert run("campaigns", "records", "camp_a").stdout.splitlines()[-1] == "  irrelevant"


def test_records_are_written_as_json(run: Run, tmp_path: Path) -> None:
    run("campaigns", "records", "camp_a", "-o", str(tmp_path / "owls.json"))
    [record] = json.loads((tmp_path / "owls.json").read_text())
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


def test_an_agent_reads_of_one_page_and_one_duplicate() -> None:
    server = Campaigns(state="active")
    server.report = {"pages": 1, "duplicates": 1}
    shown = found(server, "service_get_campaign", campaign_id="camp_a")
    assert shown["last_run"].startswith("closed: 1 page, 2 accepted")
    assert "1 duplicate" in shown["last_run"]
    assert "1 duplicates" not in shown["last_run"]


def test_an_agent_is_told_that_values_of_a_campaign_are_cut() -> None:
    server = Campaigns(state="active")
    data = {"title": "Barn owls " * 900, "at": {"place": "Bath"}}
    server.record = {**server.record, "data": data}
    shown = found(server, "service_get_campaign", campaign_id="camp_a")
    values = {each["field"]: each["value"] for each in shown["records"][0]["values"]}
    assert values["/at/place"] == "Bath"
    assert len(values["/title"]) == 2_000
    assert "values or quotes are left out or cut" in shown["next_step"]
