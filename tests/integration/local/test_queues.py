"""`citegrid-server queues` and `workers`: the same functions as the page of operations."""

import json

import pytest

from app.core import db
from app.domains.account.audit import store as audit_store
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues import queues
from tests.integration.local.conftest import Run

QUEUE = "searches"


@pytest.fixture(autouse=True)
def _manned(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "queues", lambda: [QUEUE])
    with db.transaction() as tx:
        queues.establish(tx)
        worker_store.beat(tx, worker_store.Beat("host:1", "host:searches", [QUEUE], 2, "0.1"))


def test_a_queue_is_listed_paused_and_resumed(run: Run) -> None:
    assert "idle" in run("queues", "list").stdout
    assert run("queues", "pause", QUEUE).exit_code == 0
    (queue,) = json.loads(run("queues", "list", "--json").stdout)
    assert (queue["state"], " at " in queue["paused_by"]) == ("paused", True)
    assert "paused by" in run("queues", "list").stdout
    assert run("queues", "resume", QUEUE).exit_code == 0
    (queue,) = json.loads(run("queues", "list", "--json").stdout)
    assert queue["state"] == "idle"
    with db.reading() as reader:
        assert [line.action for line in audit_store.of_operators(reader, None, 9)] == [
            "queue.resumed",
            "queue.paused",
        ]


def test_a_queue_or_a_worker_that_is_not_there_is_named_as_such(run: Run) -> None:
    result = run("queues", "pause", "nothing")
    assert (result.exit_code, "queue_not_found" in result.output) == (1, True)
    assert run("workers", "drain").exit_code == 2


def test_a_worker_is_listed_and_drained_but_not_forgotten_while_it_lives(run: Run) -> None:
    assert run("workers", "drain", "host:1").exit_code == 0
    (worker,) = json.loads(run("workers", "list", "--json").stdout)
    assert (worker["status"], worker["id"]) == ("draining", "host:1")
    assert "draining" in run("workers", "list").stdout
    assert "worker_not_gone" in run("workers", "forget", "host:1").output


def test_all_workers_of_this_machine_are_drained_at_once(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.local.commands.queues.socket.gethostname", lambda: "host")
    with db.transaction() as tx:
        worker_store.beat(tx, worker_store.Beat("hostess:1", "hostess:searches", [QUEUE], 2, "0.1"))
    assert run("workers", "drain", "--here").exit_code == 0
    listed = json.loads(run("workers", "list", "--json").stdout)
    assert {worker["id"]: worker["status"] for worker in listed} == {
        "host:1": "draining",
        "hostess:1": "idle",
    }


def test_draining_can_be_waited_for(run: Run) -> None:
    assert "Still busy" in run("workers", "drain", "host:1", "--wait", "0.01").output
    with db.transaction() as tx:
        worker_store.stopped(tx, "host:1")
    assert "Still busy" not in run("workers", "drain", "host:1", "--wait", "30").output
