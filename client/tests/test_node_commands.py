"""`citegrid node run` as far as the process that starts the worker goes."""

import json
from pathlib import Path
from unittest.mock import Mock

import httpx
import pytest
from answers import in_turn
from conftest import RecordedRun, Run
from server_double import NODE, TOKEN

from citegrid.cli.exits import Exit
from citegrid.errors import Unauthenticated
from citegrid.node import program, startup
from citegrid.profiles import saved

MADE = httpx.Response(201, json={"node": NODE, "node_token": TOKEN})
CHAT = ("--backend", "http://127.0.0.1:9", "--model", "m")
RATES = ("--input-rate", "0.25", "--output-rate", "1.5")


@pytest.fixture
def supervised(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    commands: list[list[str]] = []

    def supervise(command: list[str]) -> int:
        commands.append(command)
        return 0

    monkeypatch.setattr(program, "supervise", supervise)
    return commands


def test_the_first_start_registers_and_keeps_the_token_for_its_owner_only(
    run: Run, supervised: list[list[str]], tmp_path: Path
) -> None:
    done = run(MADE, "node", "run")
    assert done.exit_code == 0
    kept = tmp_path / "citegrid" / "nodes" / "node.json"
    assert json.loads(kept.read_text())["node_token"] == TOKEN
    assert kept.stat().st_mode & 0o777 == 0o600
    assert TOKEN not in done.output
    assert TOKEN not in " ".join(supervised[0])


def test_a_node_whose_token_cannot_be_kept_is_not_left_behind(
    recorded: RecordedRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved.tempfile, "mkstemp", Mock(side_effect=OSError(30, "Read-only")))
    done, asked = recorded(MADE, "node", "run")
    assert (done.exit_code, [each.method for each in asked]) == (Exit.FAILED, ["POST", "DELETE"])


def test_the_next_start_uses_what_was_kept(run: Run, supervised: list[list[str]]) -> None:
    run(MADE, "node", "run")
    assert run(in_turn(), "node", "run").exit_code == 0
    assert len(supervised) == 2


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment says which node it is."""
    monkeypatch.setenv("CITEGRID_NODE_ID", "node_b")
    monkeypatch.setenv("CITEGRID_NODE_TOKEN", TOKEN)


@pytest.mark.usefixtures("named", "supervised")
def test_the_environment_may_say_which_node_it_is(run: Run) -> None:
    assert run(in_turn(), "node", "run").exit_code == 0


@pytest.mark.usefixtures("supervised")
def test_chats_are_offered_with_their_price(recorded: RecordedRun) -> None:
    _, (asked,) = recorded(MADE, "node", "run", *CHAT, *RATES)
    capabilities = json.loads(asked.content)["capabilities"]
    assert capabilities["work"] == ["extraction", "validation", "chat"]
    assert capabilities["models"] == [
        {
            "model": "m",
            "revision": "1",
            "rates": {"input": "0.25", "output": "1.5"},
            "max_context": 8192,
            "auto_eligible": False,
        }
    ]


@pytest.mark.usefixtures("named")
def test_the_worker_ends_with_a_code_that_is_not_tried_again_where_its_token_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Unauthenticated("No.", code="auth_invalid_token")
    monkeypatch.setattr(startup, "run", lambda *_: refused)
    assert run(in_turn(), "node", "run", "--worker").exit_code == 4
