"""`citegrid alerts` over answers that tests make up."""

import json
from typing import Any

import httpx
from conftest import RecordedRun
from job_answers import page

ALERT: dict[str, Any] = {
    "id": "alrt_a",
    "monitor": "job_a",
    "campaign": None,
    "queue": None,
    "condition": "failing",
    "threshold": 3.0,
    "email": "ada@example.org",
    "webhook": None,
    "state": "unconfirmed",
    "told_at": None,
    "created_at": "2026-11-22T09:00:00Z",
}
MADE = httpx.Response(201, json={"alert": ALERT})


def test_an_alert_is_made_of_what_was_given(recorded: RecordedRun) -> None:
    done, (asked,) = recorded(
        MADE, "alerts", "add", "failing", "3", "--monitor", "job_a", "--email", "ada@example.org"
    )
    assert json.loads(asked.content) == {
        "condition": "failing",
        "threshold": 3.0,
        "monitor": "job_a",
        "email": "ada@example.org",
    }
    assert done.stdout == "alrt_a unconfirmed\n"


def test_a_condition_without_a_threshold_sends_none(recorded: RecordedRun) -> None:
    _, (asked,) = recorded(
        MADE, "alerts", "add", "ended", "--campaign", "camp_a", "--webhook", "whk_a"
    )
    assert "threshold" not in json.loads(asked.content)


def test_the_list_says_what_each_is_about(recorded: RecordedRun) -> None:
    done, _ = recorded(page("alerts", [ALERT]), "alerts", "list")
    assert done.stdout == "alrt_a\tunconfirmed\tjob_a\tfailing 3\tada@example.org\n"


def test_a_long_threshold_is_shown_whole(recorded: RecordedRun) -> None:
    oldest = ALERT | {"monitor": None, "queue": "search", "condition": "oldest"}
    done, _ = recorded(page("alerts", [oldest | {"threshold": 2_592_000.0}]), "alerts", "list")
    assert "\toldest 2592000\t" in done.stdout
