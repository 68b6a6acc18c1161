"""`citegrid nodes` over answers that tests make up."""

import json
from typing import Any

import httpx
import pytest
from answers import in_turn
from conftest import RecordedRun, Run
from job_answers import page
from server_double import NODE

TURN = {
    "id": "work_a",
    "kind": "nodes.extraction",
    "state": "lost",
    "reason": "lease",
    "claimed_at": "2026-11-22T12:00:00Z",
    "ended_at": None,
}


def node(**changes: Any) -> httpx.Response:
    return httpx.Response(200, json={"node": NODE | changes})


def test_a_new_node_is_printed_with_its_token(recorded: RecordedRun) -> None:
    made = httpx.Response(201, json={"node": NODE, "node_token": "cgn_once"})
    options = ("--work", "extraction", "--capacity", "2")
    done, (asked,) = recorded(made, "nodes", "create", "cellar", *options)
    assert done.stdout == "node_a\tcgn_once\n"
    capabilities = {"work": ["extraction"], "capacity": 2}
    assert json.loads(asked.content) == {"name": "cellar", "capabilities": capabilities}


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "offline"),
        ({"maintenance": True}, "maintenance"),
        ({"paused_reason": "awaiting_approval"}, "awaiting_approval"),
        (
            {"paused_reason": "lost_work", "paused_until": "2026-11-22T12:10:00Z"},
            "lost_work until 12:10 UTC",
        ),
    ],
)
def test_the_list_says_why_a_node_gets_no_work(
    run: Run, changes: dict[str, Any], state: str
) -> None:
    done = run(page("nodes", [NODE | changes]), "nodes", "list")
    assert done.stdout == f"node_a\t{state}\textraction\tnode\n"


def test_a_node_is_shown_with_what_it_was_given(run: Run) -> None:
    done = run(in_turn(node(), page("work", [TURN])), "nodes", "show", "node_a")
    assert done.stdout == "node_a offline\nwork_a\tnodes.extraction\tlost\tlease\n"


@pytest.mark.parametrize(
    ("arguments", "changes"),
    [
        (("maintenance", "node_a", "on"), {"maintenance": True}),
        (("maintenance", "node_a", "off"), {"maintenance": False}),
        (("unpause", "node_a"), {"paused": False}),
    ],
)
def test_a_change_is_sent_and_the_new_state_printed(
    recorded: RecordedRun, arguments: tuple[str, ...], changes: dict[str, Any]
) -> None:
    done, (asked,) = recorded(node(), "nodes", *arguments)
    assert done.stdout == "node_a offline\n"
    assert (asked.method, asked.url.path) == ("PATCH", "/v1/nodes/node_a")
    assert json.loads(asked.content) == changes


def test_a_rolled_token_is_printed(run: Run) -> None:
    answer = httpx.Response(200, json={"node": NODE, "node_token": "cgn_new"})
    done = run(answer, "nodes", "roll", "node_a", "--overlap-hours", "0")
    assert done.stdout == "node_a\tcgn_new\n"
