"""The search API: what is accepted, who sees what, and how a search ends."""

import threading
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.queue.jobs.dispatch import sweep
from app.domains.search.searches import store
from tests import builders

PATH = "/external/v1/search"


@pytest.fixture
def search_id(client: FlaskClient, owner: dict[str, str]) -> str:
    """A search that nobody has worked on."""
    id: str = client.post(PATH, json={"query": "Where do owls live?"}, headers=owner).json["id"]
    return id


def count(sql: str) -> int:
    with db.reading() as reader:
        return int(reader.execute(sql).fetchone()[0])


def test_a_search_is_accepted_with_its_address(client: FlaskClient, owner: dict[str, str]) -> None:
    answer = client.post(PATH, json={"query": "  Where do owls live?  "}, headers=owner)
    assert answer.status_code == 202
    assert answer.json == {"id": answer.json["id"], "status": "running"}
    assert answer.headers["Location"] == f"{PATH}/{answer.json['id']}"
    assert int(answer.headers["Retry-After"]) >= 1


def test_an_invalid_body_names_the_field(client: FlaskClient, owner: dict[str, str]) -> None:
    for body, field in (
        ({}, "/query"),
        ({"query": ""}, "/query"),
        ({"query": "   "}, "/query"),
        ({"query": "x" * 2001}, "/query"),
        ({"query": 7}, "/query"),
        ({"query": None}, "/query"),
        ({"query": "bell\x07"}, "/query"),
        ({"query": "q", "unknown": 1}, "/unknown"),
        ({"query": "q", "max_sources": 0}, "/max_sources"),
        ({"query": "q", "max_sources": 21}, "/max_sources"),
        ({"query": "q", "max_sources": "8"}, "/max_sources"),
        ({"query": "q", "max_excerpt_chars": -1}, "/max_excerpt_chars"),
        ({"query": "q", "max_excerpt_chars": 4001}, "/max_excerpt_chars"),
        ({"query": "q", "depth": "bottomless"}, "/depth"),
        ({"query": "q", "freshness": "7"}, "/freshness"),
        ({"query": "q", "freshness": "7d\n"}, "/freshness"),
        ({"query": "q", "include_domains": ["a.org"] * 21}, "/include_domains"),
        ({"query": "q", "include_domains": ["not a domain"]}, "/include_domains/0"),
        ({"query": "q", "persona_id": "a/b"}, "/persona_id"),
    ):
        answer = client.post(PATH, json=body, headers=owner)
        assert answer.status_code == 400, body
        assert answer.json["error"]["code"] == "validation_failed", body
        assert field in [detail["field"] for detail in answer.json["error"]["details"]], body


def test_a_running_search_has_no_result(
    client: FlaskClient, owner: dict[str, str], search_id: str
) -> None:
    answer = client.get(f"{PATH}/{search_id}", headers=owner)
    assert answer.json["status"] == "running"
    assert "result" not in answer.json
    assert int(answer.headers["Retry-After"]) >= 1


def test_waiting_ends_as_soon_as_the_search_does(
    client: FlaskClient, settings: Settings, owner: dict[str, str], search_id: str
) -> None:
    worker = threading.Timer(0.2, builders.work, (settings, search_id))
    worker.start()
    answer = client.get(f"{PATH}/{search_id}?wait=30", headers=owner)
    worker.join()
    assert answer.json["status"] == "completed"


def test_waiting_for_an_unfinished_search_answers_what_is_known(
    client: FlaskClient, owner: dict[str, str], search_id: str
) -> None:
    answer = client.get(f"{PATH}/{search_id}?wait=0.1", headers=owner)
    assert (answer.status_code, answer.json["status"]) == (200, "running")


def test_cancelling_is_immediate_and_final(
    client: FlaskClient, settings: Settings, owner: dict[str, str], search_id: str
) -> None:
    assert client.post(f"{PATH}/{search_id}/cancel", headers=owner).json["status"] == "cancelled"
    builders.work(settings, search_id)
    found = client.get(f"{PATH}/{search_id}", headers=owner).json
    assert found["status"] == "cancelled"
    assert "result" not in found


def test_cancelling_twice_is_the_same(
    client: FlaskClient, owner: dict[str, str], search_id: str
) -> None:
    first = client.post(f"{PATH}/{search_id}/cancel", headers=owner).json
    assert client.post(f"{PATH}/{search_id}/cancel", headers=owner).json == first


def test_a_finished_search_is_not_to_be_retried_and_cancelling_returns_it_unchanged(
    client: FlaskClient, owner: dict[str, str], answered: dict[str, Any]
) -> None:
    assert "Retry-After" not in client.get(f"{PATH}/{answered['id']}", headers=owner).headers
    assert client.post(f"{PATH}/{answered['id']}/cancel", headers=owner).json == answered


def test_a_search_past_its_deadline_failed_and_says_whether_to_try_again(
    client: FlaskClient, owner: dict[str, str], search_id: str
) -> None:
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() - interval '1 s'")
    with db.transaction() as tx:
        sweep.sweep(tx)
    found = client.get(f"{PATH}/{search_id}", headers=owner).json
    assert found["status"] == "failed"
    assert found["error"]["code"] == "deadline_exceeded"
    assert found["error"]["retryable"] is True


def test_the_list_is_newest_first_and_pages_through_everything_once(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    made = [client.post(PATH, json={"query": f"q{n}"}, headers=owner).json["id"] for n in range(5)]
    seen, cursor = [], ""
    while True:
        page = client.get(f"{PATH}?limit=2{cursor}", headers=owner).json
        seen += [search["id"] for search in page["searches"]]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == made[::-1]


def test_the_list_filters_by_status_and_shows_no_answers(
    client: FlaskClient, owner: dict[str, str], answered: dict[str, Any], search_id: str
) -> None:
    completed = client.get(f"{PATH}?status=completed", headers=owner).json["searches"]
    assert [search["id"] for search in completed] == [answered["id"]]
    assert "result" not in completed[0]
    assert completed[0]["answer_state"] == answered["result"]["state"]
    assert client.get(f"{PATH}?status=pending", headers=owner).json["searches"] == []


def test_a_stranger_lists_nothing(
    client: FlaskClient, stranger: dict[str, str], search_id: str
) -> None:
    assert client.get(PATH, headers=stranger).json["searches"] == []


def test_a_source_that_is_not_there_is_404(
    client: FlaskClient, owner: dict[str, str], answered: dict[str, Any]
) -> None:
    for n in ("0", "99", "999999999999999999999"):
        answer = client.get(f"{PATH}/{answered['id']}/sources/{n}/snapshot", headers=owner)
        assert (answer.status_code, answer.json["error"]["code"]) == (404, "source_not_found")


def test_the_key_belongs_to_the_account(
    client: FlaskClient, owner: dict[str, str], stranger: dict[str, str]
) -> None:
    mine = client.post(PATH, json={"query": "q"}, headers={**owner, "Idempotency-Key": "k"})
    theirs = client.post(PATH, json={"query": "q"}, headers={**stranger, "Idempotency-Key": "k"})
    assert mine.json["id"] != theirs.json["id"]


def test_an_expired_search_is_gone_with_its_provenance(
    client: FlaskClient, settings: Settings, owner: dict[str, str], answered: dict[str, Any]
) -> None:
    with db.transaction() as tx:
        tx.execute("update searches set expires_at = now() - interval '1 s'")
    assert client.get(f"{PATH}/{answered['id']}", headers=owner).status_code == 404
    builders.forget_expired(settings)
    assert count("select count(*) from searches") == 0
    assert count("select count(*) from search_sources") == 0


def test_a_search_that_cannot_be_kept_promises_no_job(
    client: FlaskClient, owner: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "INSERT", store.INSERT.replace("%(query)s", "%(query)s || 1 / 0"))
    assert client.post(PATH, json={"query": "q"}, headers=owner).status_code == 500
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from jobs") == 0
