"""`citegrid webhooks` over answers that tests make up."""

import json
from typing import Any

import httpx
import pytest
from conftest import RecordedRun
from job_answers import page

from citegrid.cli.exits import Exit

WEBHOOK: dict[str, Any] = {
    "id": "whk_a",
    "url": "https://me.example.org/hooks",
    "events": ["*"],
    "job": None,
    "enabled": True,
    "disabled_at": None,
    "disabled_reason": None,
    "failing_since": None,
    "paused_until": None,
    "former_secret_until": None,
    "created_at": "2026-11-22T09:00:00Z",
}
DELIVERY: dict[str, Any] = {
    "id": "dlv_a",
    "event": "msg_a",
    "type": "job.completed",
    "status": "failed",
    "error": "delivery_failed",
    "redelivery_of": None,
    "created_at": "2026-11-22T09:00:00Z",
    "next_at": None,
    "attempts": [
        {"at": "2026-11-22T09:00:00Z", "status": 500, "error": "http_500", "milliseconds": 3}
        | {"answer": "no"},
        {"at": "2026-11-22T09:00:05Z", "status": None, "error": "timeout", "milliseconds": 15_000}
        | {"answer": None},
    ],
}
NEW = httpx.Response(201, json={"webhook": WEBHOOK, "secret": "whsec_x"})


@pytest.mark.parametrize("arguments", [["add", WEBHOOK["url"]], ["roll", "whk_a"]])
def test_a_secret_is_printed_once(recorded: RecordedRun, arguments: list[str]) -> None:
    done, _ = recorded(NEW, "webhooks", *arguments)
    assert done.stdout == "whk_a\twhsec_x\n"


def test_events_are_chosen(recorded: RecordedRun) -> None:
    _, (asked,) = recorded(NEW, "webhooks", "add", WEBHOOK["url"], "--event", "job.failed")
    assert json.loads(asked.content)["events"] == ["job.failed"]


@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({}, "enabled"),
        ({"failing_since": "2026-11-22T09:00:00Z"}, "failing"),
        ({"paused_until": "2026-11-22T09:00:00Z"}, "paused"),
        ({"enabled": False, "disabled_reason": "gone"}, "disabled (gone)"),
    ],
)
def test_the_list_says_how_each_is(recorded: RecordedRun, more: dict[str, Any], state: str) -> None:
    done, _ = recorded(page("webhooks", [{**WEBHOOK, **more}]), "webhooks", "list")
    assert done.stdout == f"whk_a\t{state}\t*\t{WEBHOOK['url']}\n"


def test_what_is_not_given_is_not_changed(recorded: RecordedRun) -> None:
    answer = httpx.Response(200, json={"webhook": WEBHOOK})
    _, (asked,) = recorded(answer, "webhooks", "update", "whk_a", "--enable")
    assert json.loads(asked.content) == {"enabled": True}


def test_deliveries_show_what_was_answered_and_the_next_page_as_the_command_was_typed(
    recorded: RecordedRun,
) -> None:
    more = {"has_more": True, "next_cursor": "c2"}
    answer = httpx.Response(200, json={"deliveries": [DELIVERY], **more})
    typed = ("webhooks", "deliveries", "whk a", "--status", "failed", "--cursor", "c1")
    done, _ = recorded(answer, *typed)
    assert done.stdout == "dlv_a\tjob.completed\tfailed\t2026-11-22 09:00\t500,timeout\n"
    assert done.stderr == (
        "more:  citegrid webhooks deliveries 'whk a' --status failed --cursor c2\n"
    )


def test_one_delivery_is_sent_again(recorded: RecordedRun) -> None:
    answer = httpx.Response(202, json={"delivery": {**DELIVERY, "body": "{}"}})
    _, (asked,) = recorded(answer, "webhooks", "redeliver", "whk_a", "dlv_a")
    assert asked.url.path == "/v1/webhooks/whk_a/deliveries/dlv_a/redeliver"


@pytest.mark.parametrize(("more", "code"), [(False, Exit.DONE), (True, Exit.TRY_LATER)])
def test_all_that_failed_since_then_is_sent_again(
    recorded: RecordedRun, more: bool, code: Exit
) -> None:
    answer = httpx.Response(202, json={"redelivered": 3, "has_more": more})
    done, (asked,) = recorded(answer, "webhooks", "redeliver", "whk_a", "--since", "2026-11-20")
    assert json.loads(asked.content) == {"since": "2026-11-20T00:00:00Z"}
    assert (done.exit_code, "3 deliveries queued" in done.stderr) == (code, True)


def test_a_test_names_its_delivery(recorded: RecordedRun) -> None:
    answer = httpx.Response(202, json={"delivery": {**DELIVERY, "body": "{}"}})
    assert recorded(answer, "webhooks", "test", "whk_a")[0].stdout == "dlv_a\n"
