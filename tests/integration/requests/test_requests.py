"""What is kept of a request, what never is, and reading it."""

from collections.abc import Callable
from typing import Any

from app.core import db
from app.domains.own_data.requests import recorder
from tests import builders
from tests.integration.requests.conftest import Keeping

Kept = Callable[[str], dict[str, Any]]
QUESTION = "Which owl hunts by day, said Marigold?"
SEARCH = "/external/v1/search"


def test_a_request_is_found_by_the_id_of_its_answer(keeping: Keeping, kept: Kept) -> None:
    answer = keeping.client.post(SEARCH, json={"query": QUESTION}, headers=keeping.key)
    request = kept(answer.headers["X-Request-Id"])
    assert (request["method"], request["path"], request["status"]) == ("POST", SEARCH, 202)
    assert (request["operation"], request["source"]) == ("createSearch", "key")
    assert request["api_key"]["last_four"] == keeping.key["X-API-Key"][-4:]
    assert request["made"] == answer.get_json()["id"]


def test_nothing_of_the_body_the_query_or_the_credential_is_kept(keeping: Keeping) -> None:
    key = keeping.key["X-API-Key"]
    headers = {"X-API-Key": key, "User-Agent": f"agent {key}"}
    keeping.client.post(f"{SEARCH}?t=Marigold", json={"query": QUESTION}, headers=headers)
    keeping.client.post(SEARCH, json={"query": QUESTION, "extra": "Marigold"}, headers=headers)
    keeping.recorder.write()
    with db.reading() as reader:
        rows = str(reader.execute("select * from requests").fetchall())
    assert "agent" in rows
    assert "Marigold" not in rows
    assert key[8:] not in rows


def test_an_error_is_kept_as_it_was_answered(keeping: Keeping, kept: Kept) -> None:
    answer = keeping.client.post(SEARCH, json={"query": ""}, headers=keeping.key)
    error = answer.get_json()["error"]
    request_id = error.pop("request_id")
    assert kept(request_id)["error"] == error


def test_an_error_about_a_name_that_postgres_cannot_store_loses_no_request(
    keeping: Keeping, kept: Kept
) -> None:
    hostile = keeping.client.get(f"{SEARCH}?a%00=1&a%00=2", headers=keeping.key)
    another = keeping.client.post(SEARCH, json={}, headers=keeping.key)
    assert kept(another.headers["X-Request-Id"])["status"] == another.status_code
    (detail,) = kept(hostile.headers["X-Request-Id"])["error"]["details"]
    assert detail == {"field": "/a\ufffd", "problem": "Given twice."}


def test_a_key_that_was_revoked_is_seen_to_be_used(keeping: Keeping, kept: Kept) -> None:
    with db.transaction() as tx:
        revoked = builders.api_key(tx, keeping.settings, keeping.account)
        last_four = revoked[-4:]
        tx.execute("update api_keys set revoked_at = now() where last_four = %s", [last_four])
    answer = keeping.client.get(SEARCH, headers={"X-API-Key": revoked})
    request = kept(answer.headers["X-Request-Id"])
    assert (request["code"], request["source"]) == ("auth_revoked_token", "key")
    assert request["api_key"]["last_four"] == last_four


def test_an_answer_that_was_replayed_says_so(keeping: Keeping, kept: Kept) -> None:
    headers = {**keeping.key, "Idempotency-Key": "once"}
    answers = [
        keeping.client.post(SEARCH, json={"query": QUESTION}, headers=headers) for _ in range(2)
    ]
    first, second = (kept(answer.headers["X-Request-Id"]) for answer in answers)
    assert [first["replayed"], second["replayed"]] == [False, True]
    assert first["made"] == second["made"]
    assert second["headers"]["Idempotency-Key"] == "once"


def test_calls_of_nodes_are_not_kept(keeping: Keeping) -> None:
    keeping.client.get("/v1/nodes", headers=keeping.node)
    keeping.client.post("/v1/nodes/x/heartbeat", json={"in_flight": 0}, headers=keeping.node)
    keeping.recorder.write()
    with db.reading() as reader:
        paths = db.values(reader, "select path from requests")
    assert not [path for path in paths if path.startswith("/v1/nodes")]


def test_a_list_shows_calls_by_status_method_and_key(keeping: Keeping) -> None:
    keeping.client.post(SEARCH, json={}, headers=keeping.key)
    keeping.client.get("/v1/account", headers=keeping.signed_in)
    keeping.recorder.write()
    assert _listed(keeping, "?status=4xx&method=POST&limit=1") == [("POST", 400)]
    assert ("GET", 200) in _listed(keeping, "?status=2xx")
    key = keeping.client.get("/v1/api-keys", headers=keeping.signed_in).get_json()["api_keys"][-1]
    assert ("GET", 200) not in _listed(keeping, f"?api_key={key['id']}")


def _listed(keeping: Keeping, query: str) -> list[tuple[str, int]]:
    answer = keeping.client.get(f"/v1/requests{query}", headers=keeping.signed_in).get_json()
    return [(each["method"], each["status"]) for each in answer["requests"]]


def test_a_page_is_found_by_its_id_and_in_no_list(keeping: Keeping, kept: Kept) -> None:
    page = builders.answered(keeping.account, source="page", path="/searches", operation=None)
    with db.transaction() as tx:
        recorder.insert(tx, [page])
    assert kept(page.id)["path"] == "/searches"
    answer = keeping.client.get("/v1/requests?limit=200", headers=keeping.signed_in)
    assert page.id not in [each["id"] for each in answer.get_json()["requests"]]
