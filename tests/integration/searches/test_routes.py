"""The search API: what is accepted, who sees what, and how a search ends."""

import threading
from typing import Any

import pytest

from app.core import db
from app.domains.queue.jobs.dispatch import sweep
from app.domains.search.searches import store
from tests import builders
from tests.integration.searches.asking import PATH, Asking


@pytest.fixture
def search_id(ada: Asking) -> str:
    """A search that nobody has worked on."""
    return ada.submit("Where do owls live?")


def count(sql: str) -> int:
    with db.reading() as reader:
        return int(reader.execute(sql).fetchone()[0])


def test_a_search_is_accepted_with_its_address(ada: Asking) -> None:
    answer = ada.post({"query": "  Where do owls live?  "})
    assert answer.status_code == 202
    assert answer.json == {"id": answer.json["id"], "status": "running"}
    assert answer.headers["Location"] == f"{PATH}/{answer.json['id']}"
    assert int(answer.headers["Retry-After"]) >= 1


def test_an_invalid_body_names_the_field(ada: Asking) -> None:
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
        answer = ada.post(body)
        assert answer.status_code == 400, body
        assert answer.json["error"]["code"] == "validation_failed", body
        assert field in [detail["field"] for detail in answer.json["error"]["details"]], body


def test_a_running_search_has_no_result(ada: Asking, search_id: str) -> None:
    answer = ada.get(f"/{search_id}")
    assert answer.json["status"] == "running"
    assert "result" not in answer.json
    assert int(answer.headers["Retry-After"]) >= 1


def test_waiting_ends_as_soon_as_the_search_does(ada: Asking, search_id: str) -> None:
    worker = threading.Timer(0.2, builders.work, (ada.settings, search_id))
    worker.start()
    answer = ada.get(f"/{search_id}?wait=30")
    worker.join()
    assert answer.json["status"] == "completed"


def test_waiting_for_an_unfinished_search_answers_what_is_known(
    ada: Asking, search_id: str
) -> None:
    answer = ada.get(f"/{search_id}?wait=0.1")
    assert (answer.status_code, answer.json["status"]) == (200, "running")


def test_cancelling_is_immediate_and_final(ada: Asking, search_id: str) -> None:
    assert ada.post(below=f"/{search_id}/cancel").json["status"] == "cancelled"
    builders.work(ada.settings, search_id)
    found = ada.get(f"/{search_id}").json
    assert found["status"] == "cancelled"
    assert "result" not in found


def test_cancelling_twice_is_the_same(ada: Asking, search_id: str) -> None:
    first = ada.post(below=f"/{search_id}/cancel").json
    assert ada.post(below=f"/{search_id}/cancel").json == first


def test_a_finished_search_is_not_to_be_retried_and_cancelling_returns_it_unchanged(
    ada: Asking, answered: dict[str, Any]
) -> None:
    assert "Retry-After" not in ada.get(f"/{answered['id']}").headers
    assert ada.post(below=f"/{answered['id']}/cancel").json == answered


def test_a_search_past_its_deadline_failed_and_says_whether_to_try_again(
    ada: Asking, search_id: str
) -> None:
    with db.transaction() as tx:
        tx.execute("update jobs set deadline_at = now() - interval '1 s'")
    with db.transaction() as tx:
        sweep.sweep(tx)
    found = ada.get(f"/{search_id}").json
    assert found["status"] == "failed"
    assert found["error"]["code"] == "deadline_exceeded"
    assert found["error"]["retryable"] is True


def test_the_list_is_newest_first_and_pages_through_everything_once(ada: Asking) -> None:
    made = [ada.submit(f"q{n}") for n in range(5)]
    seen, cursor = [], ""
    while True:
        page = ada.get(f"?limit=2{cursor}").json
        seen += [search["id"] for search in page["searches"]]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert seen == made[::-1]


def test_the_list_filters_by_status_and_shows_no_answers(
    ada: Asking, answered: dict[str, Any], search_id: str
) -> None:
    completed = ada.get("?status=completed").json["searches"]
    assert [search["id"] for search in completed] == [answered["id"]]
    assert "result" not in completed[0]
    assert completed[0]["answer_state"] == answered["result"]["state"]
    assert ada.get("?status=pending").json["searches"] == []


def test_a_stranger_lists_nothing(stranger: Asking, search_id: str) -> None:
    assert stranger.get().json["searches"] == []


def test_a_source_that_is_not_there_is_404(ada: Asking, answered: dict[str, Any]) -> None:
    for n in ("0", "99", "999999999999999999999"):
        answer = ada.get(f"/{answered['id']}/sources/{n}/snapshot")
        assert (answer.status_code, answer.json["error"]["code"]) == (404, "source_not_found")


def test_the_key_belongs_to_the_account(ada: Asking, stranger: Asking) -> None:
    once = {"Idempotency-Key": "k"}
    mine, theirs = (each.post({"query": "q"}, **once) for each in (ada, stranger))
    assert mine.json["id"] != theirs.json["id"]


def test_an_expired_search_is_gone_with_its_provenance(
    ada: Asking, answered: dict[str, Any]
) -> None:
    with db.transaction() as tx:
        tx.execute("update searches set expires_at = now() - interval '1 s'")
    assert ada.get(f"/{answered['id']}").status_code == 404
    builders.forget_expired(ada.settings)
    assert count("select count(*) from searches") == 0
    assert count("select count(*) from search_sources") == 0


def test_a_search_that_cannot_be_kept_promises_no_job(
    ada: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "INSERT", store.INSERT.replace("%(query)s", "%(query)s || 1 / 0"))
    assert ada.post({"query": "q"}).status_code == 500
    with db.reading() as reader:
        assert db.value(reader, "select count(*) from jobs") == 0
