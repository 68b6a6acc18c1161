"""`citegrid disputes` over answers that tests make up."""

import json
from typing import Any

import httpx
import pytest
from conftest import RecordedRun
from job_answers import page

REASON = "The price is that of the former model."
DISPUTE: dict[str, Any] = {
    "id": "disp_a",
    "kind": "dispute",
    "campaign_id": "camp_a",
    "record_id": "crec_a",
    "record_version": 1,
    "category": "wrong_value",
    "reason": REASON,
    "duplicate_of": None,
    "status": "upheld",
    "decided_by": "votes",
    "opened_at": "2026-11-22T09:00:00Z",
    "ends_at": "2026-11-29T09:00:00Z",
    "decided_at": "2026-11-23T09:00:00Z",
}
MADE = httpx.Response(201, json={"dispute": DISPUTE})


def test_a_dispute_is_opened_with_its_category_and_reason(recorded: RecordedRun) -> None:
    done, (request,) = recorded(MADE, "disputes", "open", "camp_a", "crec_a", "wrong_value", REASON)
    assert request.url.path == "/v1/campaigns/camp_a/records/crec_a/dispute"
    assert json.loads(request.content) == {"category": "wrong_value", "reason": REASON}
    assert done.stdout == "disp_a\n"


def test_an_appeal_names_only_the_record(recorded: RecordedRun) -> None:
    _, (request,) = recorded(MADE, "disputes", "appeal", "crec_a", REASON)
    assert request.url.path == "/v1/campaigns/records/crec_a/appeal"


@pytest.mark.parametrize(
    ("arguments", "path"),
    [((), "/v1/disputes"), (("--campaign", "camp_a"), "/v1/campaigns/camp_a/disputes")],
)
def test_the_list_says_who_decided(
    recorded: RecordedRun, arguments: tuple[str, ...], path: str
) -> None:
    done, (request,) = recorded(page("disputes", [DISPUTE]), "disputes", "list", *arguments)
    assert request.url.path == path
    line = "disp_a\tdispute\tupheld by votes\tcrec_a\twrong_value\t2026-11-22 09:00\n"
    assert done.stdout == line


def test_an_appeal_says_which_record_its_own_duplicates(recorded: RecordedRun) -> None:
    appeal = {**DISPUTE, "kind": "appeal", "category": None, "duplicate_of": "crec_b"}
    done, _ = recorded(
        httpx.Response(201, json={"dispute": appeal}), "disputes", "appeal", "crec_a", REASON
    )
    assert "The record was rejected as a duplicate of crec_b.\n" in done.stderr
    done, _ = recorded(page("disputes", [appeal]), "disputes", "list")
    assert "\tcrec_a\tduplicate of crec_b\t" in done.stdout
