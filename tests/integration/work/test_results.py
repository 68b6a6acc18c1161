"""What nodes say of their work: results, leases, declining; and what follows from silence."""

from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.ids import Noun
from app.domains.providers.work import outcomes, turn_store
from app.domains.providers.work.claims import ClaimBroker
from app.domains.queue.jobs import store
from app.domains.queue.jobs.dispatch import sweep as sweeping
from tests import builders, node_work

Answer = dict[str, Any]


class Worker:
    """A node that speaks HTTP."""

    def __init__(self, client: FlaskClient, settings: Settings, email: str, **changes: Any) -> None:
        self._client = client
        with db.transaction() as tx:
            self.account_id = builders.account(tx, email)
            self.id, token = node_work.node(tx, settings, self.account_id, **changes)
        self._headers = {"Authorization": f"Bearer {token}"}

    def ask(self, key: str, wait: float = 0) -> TestResponse:
        path = f"/v1/nodes/{ids.public(Noun.NODE, self.id)}/work/claim?wait={wait}"
        return self.post(path, key=key, kinds=node_work.KINDS)

    def claim(self, key: str = "1", wait: float = 0) -> list[Answer]:
        answer = self.ask(key, wait)
        return [] if answer.status_code == 204 else answer.get_json()["work"]

    def say(self, verb: str, item: Answer, **body: Any) -> TestResponse:
        return self.post(f"/v1/work/{item['id']}/{verb}", **{"fence": item["fence"], **body})

    def post(self, path: str, **body: Any) -> TestResponse:
        return self._client.post(path, json=body, headers=self._headers)


@pytest.fixture
def worker(client: FlaskClient, settings: Settings) -> Worker:
    return Worker(client, settings, "worker@example.org")


@pytest.fixture
def other(client: FlaskClient, settings: Settings) -> Worker:
    return Worker(client, settings, "other@example.org")


@pytest.fixture
def payer(database: str) -> UUID:
    with db.transaction() as tx:
        return builders.account(tx, "payer@example.org")


@pytest.fixture
def item(worker: Worker, payer: UUID) -> Answer:
    """In the hands of the node."""
    offer(payer)
    (item,) = worker.claim()
    return item


def offer(payer: UUID, **terms: Any) -> UUID:
    with db.transaction() as tx:
        return node_work.offered(tx, payer, **terms)


def code(answer: TestResponse) -> str:
    return str(answer.get_json()["error"]["code"])


def state(item: Answer) -> str:
    with db.reading() as reader:
        job = store.by_id(reader, internal(item))
    assert job is not None
    return job.state


def internal(item: Answer) -> UUID:
    id = ids.internal(Noun.WORK, item["id"])
    assert id is not None
    return id


def sweep() -> None:
    with db.transaction() as tx:
        sweeping.sweep(tx)


def silence(item: Answer) -> None:
    """The lease ends without a word of the node."""
    with db.transaction() as tx:
        tx.execute("update jobs set lease_until = now() - interval '1 s' where state = 'running'")
    sweep()


def test_a_claim_is_answered_with_the_input(item: Answer) -> None:
    assert item["kind"] == "test.extraction"
    assert set(item["input"]) == {"subject"}


def test_repetitions_of_a_claim_are_woken_once_it_is_answered(
    worker: Worker, payer: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    woken = list[str]()
    monkeypatch.setattr(ClaimBroker, "wake_repetitions", lambda _, claim: woken.append(claim.key))
    offer(payer)
    with worker.ask("k"):
        assert woken == []
    assert woken == ["k"]


def test_a_result_ends_the_work(worker: Worker, item: Answer) -> None:
    answer = worker.say("result", item, output={"a": 1})
    assert (answer.status_code, state(item)) == (200, "succeeded")


def test_the_same_result_again_gets_the_first_answer_again(worker: Worker, item: Answer) -> None:
    first = worker.say("result", item, output={"a": 1, "b": 2})
    again = worker.say("result", item, output={"b": 2, "a": 1})
    assert again.get_json() == first.get_json()


def test_another_result_is_a_conflict(worker: Worker, item: Answer) -> None:
    worker.say("result", item, output={"a": 1})
    assert code(worker.say("result", item, output={"a": 2})) == "result_conflict"


def test_a_refused_result_may_be_corrected(worker: Worker, item: Answer) -> None:
    assert code(worker.say("result", item, output={"wrong": True})) == "validation_failed"
    assert worker.say("result", item, output={}).status_code == 200


def test_a_result_after_the_lease_changes_nothing(worker: Worker, item: Answer) -> None:
    silence(item)
    before = len(node_work.accepted)
    assert code(worker.say("result", item, output={})) == "lease_lost"
    assert (state(item), len(node_work.accepted)) == ("queued", before)


def test_a_result_with_another_fence_is_refused(worker: Worker, item: Answer) -> None:
    assert code(worker.say("result", item, output={}, fence=7)) == "lease_lost"


def test_what_a_silent_node_had_goes_to_another(
    worker: Worker, other: Worker, item: Answer
) -> None:
    silence(item)
    assert worker.claim("2") == []
    (again,) = other.claim()
    assert (again["id"], again["fence"]) == (item["id"], 2)


@pytest.fixture
def again(worker: Worker, item: Answer) -> Answer:
    """The same item, which its silent node got again after a while."""
    silence(item)
    with db.transaction() as tx:
        tx.execute("update work set lost_at = now() - interval '6 minutes'")
    (again,) = worker.claim("2")
    return again


def test_a_silent_node_gets_it_again_after_a_while(item: Answer, again: Answer) -> None:
    assert (again["id"], again["fence"]) == (item["id"], 2)


def test_work_that_a_node_had_twice_is_listed_once(worker: Worker, again: Answer) -> None:
    with db.reading() as reader:
        listed = turn_store.turns(reader, worker.id, None, 2)
    assert [(ids.public(Noun.WORK, turn.id), turn.state) for turn in listed] == [
        (again["id"], "working")
    ]


def test_a_lease_is_renewed_for_a_minute(worker: Worker, item: Answer) -> None:
    renewed = worker.say("extend", item).get_json()
    assert renewed["lease_until"] > item["lease_until"]
    assert renewed["cancelled"] is False


def test_a_lease_never_goes_beyond_the_deadline(worker: Worker, item: Answer) -> None:
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() + interval '20 seconds'")
    renewed = worker.say("extend", item).get_json()
    assert renewed["lease_until"] == renewed["deadline_at"]


def test_a_node_hears_that_its_work_was_withdrawn(worker: Worker, item: Answer) -> None:
    with db.transaction() as tx:
        outcomes.withdraw(tx, [internal(item)], held=True)
    assert worker.say("extend", item).get_json()["cancelled"] is True


def test_what_a_node_has_is_withdrawn_only_if_that_is_meant(worker: Worker, item: Answer) -> None:
    with db.transaction() as tx:
        assert outcomes.withdraw(tx, [internal(item)]) == 0
    assert worker.say("result", item, output={}).status_code == 200


def test_what_nobody_has_is_withdrawn(worker: Worker, payer: UUID) -> None:
    unwanted = offer(payer)
    with db.transaction() as tx:
        assert outcomes.withdraw(tx, [unwanted]) == 1
    assert worker.claim() == []


def test_declined_work_goes_to_others_and_not_to_that_account_again(
    worker: Worker, other: Worker, item: Answer
) -> None:
    assert worker.say("decline", item, reason="cannot").status_code == 204
    assert worker.claim("2") == []
    assert [again["id"] for again in other.claim()] == [item["id"]]


def test_declining_twice_is_as_once(worker: Worker, item: Answer) -> None:
    worker.say("decline", item, reason="other")
    assert worker.say("decline", item, reason="other").status_code == 204


def test_declining_is_no_attempt(worker: Worker, item: Answer) -> None:
    worker.say("decline", item, reason="overloaded")
    with db.reading() as reader:
        job = store.by_id(reader, internal(item))
    assert job is not None
    assert (job.state, job.max_attempts - job.attempt) == ("queued", 5)


def test_work_for_one_node_alone_fails_when_that_declines(worker: Worker, payer: UUID) -> None:
    offer(payer, kind=node_work.CHAT, node_id=worker.id)
    (item,) = worker.claim()
    worker.say("decline", item, reason="overloaded")
    assert (state(item), node_work.failed[-1]) == ("failed", internal(item))


def test_work_past_its_deadline_is_told_to_its_domain(worker: Worker, item: Answer) -> None:
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() - interval '1 s'")
    sweep()
    assert node_work.failed[-1] == internal(item)
    assert worker.say("extend", item).get_json()["cancelled"] is True


def test_work_whose_subject_is_gone_is_not_handed_out(worker: Worker, payer: UUID) -> None:
    node_work.gone.add(offer(payer))
    there = offer(payer)
    assert worker.claim() == []
    assert [item["id"] for item in worker.claim("2")] == [ids.public(Noun.WORK, there)]
