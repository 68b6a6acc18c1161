"""Operators over HTTP: queues, workers, jobs of any account."""

from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.actor import Actor, acting
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.account.accounts.service import set_operator
from app.domains.account.audit.service import record_event
from app.domains.queue.jobs import kinds
from app.domains.queue.jobs.operations import worker_store
from app.domains.queue.jobs.operations.queues import queues
from tests import builders
from tests.integration.jobs import rows

EMAIL = "operator@example.org"


class Operator:
    """Calls the interface as one, and returns the JSON of the answer."""

    def __init__(self, client: FlaskClient, token: str) -> None:
        self._client, self._headers = client, {"Authorization": f"Bearer {token}"}

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        answer = self._client.open(
            f"/v1/operations/{path}", method=method, headers=self._headers, json=body
        )
        assert answer.status_code < 300, answer.get_json()
        return answer.get_json(silent=True)


@pytest.fixture
def operator(client: FlaskClient, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Operator:
    monkeypatch.setattr(kinds, "queues", lambda: [rows.QUEUE])
    with db.transaction() as tx:
        queues.establish(tx)
        worker_store.beat(tx, worker_store.Beat("host:1", "host:rows", [rows.QUEUE], 2, "0.1"))
        account = builders.account(tx, EMAIL)
        set_operator(tx, EMAIL, True)
        token = builders.access_token(tx, settings, account)
    return Operator(client, token)


def test_a_queue_is_shown_paused_and_resumed(operator: Operator) -> None:
    rows.promise()
    shown = operator("GET", "queues")
    assert shown["summary"].startswith("rows is flowing: 1 waiting, 0 running, oldest ")
    assert [queue["state"] for queue in shown["queues"]] == ["flowing"]
    paused = operator("POST", f"queues/{rows.QUEUE}/pause")["queue"]
    assert (paused["state"], paused["paused_by"]) == ("paused", EMAIL)
    assert operator("POST", f"queues/{rows.QUEUE}/resume")["queue"]["paused_at"] is None
    done = operator("GET", "actions")["actions"]
    assert [(line["by"], line["action"]) for line in done] == [
        (EMAIL, "queue.resumed"),
        (EMAIL, "queue.paused"),
    ]
    assert len(operator("GET", f"queues/{rows.QUEUE}?window=24h")["samples"]) == 288


def test_an_action_on_an_account_names_the_account(operator: Operator) -> None:
    with db.transaction() as tx, acting(Actor(kind="cli", name="root")):
        account = builders.account(tx)
        record_event(tx, "reviewer.trusted", None, account)
    (line,) = operator("GET", "actions")["actions"]
    assert line["target"] == ids.public(Noun.ACCOUNT, account)


def test_a_worker_is_shown_and_drained(operator: Operator) -> None:
    (worker,) = operator("GET", "workers")["workers"]
    assert (worker["status"], worker["busy"], worker["places"]) == ("idle", 0, 2)
    assert operator("POST", "workers/host:1/drain")["worker"]["status"] == "draining"


def test_a_failed_job_of_any_account_is_found_explained_and_retried(operator: Operator) -> None:
    job = rows.held(payload={"corpus_id": "c"})
    rows.fail(job, retryable=False)
    rows.promise(rows.SHORT)
    (listed,) = operator("GET", "jobs?state=failed")["tasks"]
    assert listed["id"] == ids.public(Noun.TASK, job.id)
    assert listed["account"] == ids.public(Noun.ACCOUNT, rows.ACCOUNT)
    counts = operator("GET", "jobs/counts")
    assert counts == {
        "by_state": {"failed": 1, "queued": 1},
        "total": 2,
        "retriable": 1,
        "cancellable": 1,
    }
    shown = operator("GET", f"jobs/{listed['id']}")["task"]
    assert (shown["input"], shown["can_be_retried"]) == ({"corpus_id": "c"}, True)
    assert [attempt["outcome"] for attempt in shown["attempts"]] == ["failed"]
    (cause,) = operator("GET", "failures")["failures"]
    assert (cause["code"], cause["jobs"], cause["retriable"]) == ("odd", 1, 1)
    assert operator("POST", f"jobs/{listed['id']}/retry")["task"]["state"] == "queued"
    assert operator("POST", f"jobs/{listed['id']}/cancel")["task"]["state"] == "cancelled"


def test_a_bulk_action_is_promised_and_followed(operator: Operator) -> None:
    rows.fail(rows.held(), retryable=False)
    wanted = {"action": "retry", "filter": {"state": "failed", "kind": rows.PLAIN.name}}
    made = operator("POST", "bulk", wanted)["bulk"]
    assert (made["expected"], made["state"], made["filter"]) == (1, "queued", wanted["filter"])
    assert operator("GET", f"bulk/{made['id']}")["bulk"]["requested_by"] == EMAIL
    assert [bulk["id"] for bulk in operator("GET", "bulk")["bulk_actions"]] == [made["id"]]
