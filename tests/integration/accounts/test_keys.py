"""API keys over HTTP, on real Postgres."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts.sign_in import authentication_store
from tests import servers
from tests.integration.accounts.conftest import build


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["error"]["code"]


def search(client: FlaskClient, secret: str) -> Any:
    return client.get("/search", headers={"X-API-Key": secret})


def test_a_new_key_has_the_documented_fields(owner: Any) -> None:
    made = owner.new_key(scopes=["jobs", "search", "jobs"])
    key = made["api_key"]
    assert (key["scopes"], key["prefix"], key["last_four"]) == (
        ["search", "jobs"],
        "cgk_live_",
        made["secret"][-4:],
    )
    assert {name for name, value in key.items() if value is None} == {
        "expires_at",
        "last_used_at",
        "revoked_at",
        "corpora",
        "replaced_by",
    }


def test_neither_the_list_nor_the_database_holds_a_secret(owner: Any) -> None:
    secret = owner.new_key()["secret"]
    assert secret[9:40] not in owner.call("GET", "/v1/api-keys").get_data(as_text=True)
    with db.reading() as reader:
        rows = reader.execute("select api_keys::text from api_keys").fetchall()
    assert secret[9:40] not in str(rows)


def test_the_list_is_newest_first_in_pages(owner: Any) -> None:
    made = [owner.new_key(name=f"key {n}")["api_key"]["id"] for n in range(3)]
    first = owner.call("GET", "/v1/api-keys?limit=2").get_json()
    second = owner.call("GET", f"/v1/api-keys?limit=2&cursor={first['next_cursor']}").get_json()
    seen = [key["id"] for key in first["api_keys"] + second["api_keys"]]
    assert seen == made[::-1]
    assert (first["has_more"], second["has_more"], second["next_cursor"]) == (True, False, None)


def test_a_wrong_body_is_refused(owner: Any) -> None:
    for wrong in (
        {"scopes": []},
        {"scopes": ["search", "root"]},
        {"scopes": "search"},
        {"name": " "},
        {"name": "x" * 81},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "9999-12-31T23:59:59-23:59"},
        {"expires_at": "tomorrow"},
        {"extra": 1},
    ):
        body = {"name": "ci", "scopes": ["search"], **wrong}
        answer = owner.call("POST", "/v1/api-keys", json=body)
        assert code(answer) == (400, "validation_failed"), wrong
        assert answer.get_json()["error"]["details"][0]["field"].startswith(f"/{next(iter(wrong))}")


def test_a_revoked_key_is_refused_at_once_and_stays_revoked(
    owner: Any, client: FlaskClient
) -> None:
    made = owner.new_key()
    path = f"/v1/api-keys/{made['api_key']['id']}"
    assert search(client, made["secret"]).status_code == 200
    answer = owner.call("DELETE", path)
    assert (answer.status_code, answer.data) == (204, b"")
    assert code(search(client, made["secret"])) == (401, "auth_revoked_token")
    assert owner.call("DELETE", path).status_code == 204
    assert code(owner.call("PATCH", path, json={"name": "x"})) == (409, "api_key_inactive")


def test_scopes_taken_away_are_gone_at_once(owner: Any, client: FlaskClient) -> None:
    made = owner.new_key()
    assert search(client, made["secret"]).status_code == 200
    path = f"/v1/api-keys/{made['api_key']['id']}"
    changed = owner.call("PATCH", path, json={"scopes": ["jobs"]}).get_json()["api_key"]
    assert (changed["name"], changed["scopes"]) == ("ci", ["jobs"])
    assert code(search(client, made["secret"])) == (403, "api_key_scope")


def test_an_end_can_be_taken_back(owner: Any) -> None:
    at = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    made = owner.new_key(expires_at=at)["api_key"]
    path = f"/v1/api-keys/{made['id']}"
    assert made["expires_at"] is not None
    changed = owner.call("PATCH", path, json={"expires_at": None}).get_json()
    assert changed["api_key"]["expires_at"] is None


def test_a_key_is_rolled_once_and_ends_after_the_overlap(owner: Any, client: FlaskClient) -> None:
    old = owner.new_key()
    path = f"/v1/api-keys/{old['api_key']['id']}/roll"
    before = datetime.now(UTC)
    new = owner.call("POST", path, json={"overlap_hours": 24}).get_json()
    assert [search(client, made["secret"]).status_code for made in (old, new)] == [200, 200]
    listed = owner.call("GET", "/v1/api-keys").get_json()["api_keys"][1]
    ends = datetime.fromisoformat(listed["expires_at"])
    assert before <= ends - timedelta(hours=24) <= datetime.now(UTC)
    assert listed["replaced_by"] == new["api_key"]["id"]
    again = owner.call("POST", path, json={"overlap_hours": 1})
    assert code(again) == (409, "api_key_inactive")


def test_a_key_rolled_without_overlap_is_replaced_at_once_for_as_long_as_it_was_to_live(
    owner: Any, client: FlaskClient
) -> None:
    at = datetime.now(UTC) + timedelta(days=30)
    old = owner.new_key(expires_at=at.isoformat())
    assert search(client, old["secret"]).status_code == 200
    path = f"/v1/api-keys/{old['api_key']['id']}/roll"
    new = owner.call("POST", path, json={"overlap_hours": 0}).get_json()
    assert code(search(client, old["secret"])) == (401, "auth_expired_token")
    lives = [
        datetime.fromisoformat(key["expires_at"]) - datetime.fromisoformat(key["created_at"])
        for key in (old["api_key"], new["api_key"])
    ]
    assert lives[0] == lives[1]


def test_an_overlap_out_of_range_is_refused(owner: Any) -> None:
    path = f"/v1/api-keys/{owner.new_key()['api_key']['id']}/roll"
    for hours in (-1, 169, 1.5, "1", True, None):
        answer = owner.call("POST", path, json={"overlap_hours": hours})
        assert code(answer) == (400, "validation_failed"), hours


def test_neither_a_busy_key_nor_a_mistyped_one_costs_a_query(
    owner: Any, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = owner.new_key()["secret"]
    assert search(client, secret).status_code == 200
    typo = secret[:20] + ("a" if secret[20] != "a" else "b") + secret[21:]
    monkeypatch.setattr(db, "reading", lambda: pytest.fail("asked the database"))
    assert search(client, secret).status_code == 200
    assert code(search(client, typo)) == (401, "auth_invalid_token")


def test_the_last_use_is_written_without_the_request_waiting(
    owner: Any, client: FlaskClient
) -> None:
    search(client, owner.new_key()["secret"])

    def used() -> bool:
        (key,) = owner.call("GET", "/v1/api-keys").get_json()["api_keys"]
        return key["last_used_at"] is not None

    servers.until(used)


def test_the_last_use_is_written_at_most_once_a_minute(owner: Any) -> None:
    owner.new_key()
    with db.transaction() as tx:
        tx.execute("update api_keys set last_used_at = now() - interval '59 seconds'")
        (before, id) = tx.execute("select last_used_at, id from api_keys").fetchone() or ()
        authentication_store.mark_used(tx, [id])
        assert db.value(tx, "select last_used_at from api_keys") == before


def test_the_demo_key_opens_the_demo_account_to_which_nobody_signs_in(
    client: FlaskClient,
) -> None:
    answers = [search(client, "demo-demo").get_json() for _ in range(2)]
    assert [answer["demo"] for answer in answers] == [True, True]
    with db.reading() as reader:
        assert db.value(reader, "select email from accounts") == "demo@localhost"
    body = {"email": "demo@localhost", "password": "anything at all"}
    assert client.post("/v1/tokens", json=body).status_code == 400


def test_the_demo_key_is_nothing_from_elsewhere_and_on_a_public_server(
    client: FlaskClient, settings: Settings
) -> None:
    demo = {"X-API-Key": "demo-demo"}
    for said in (
        {"REMOTE_ADDR": "192.0.2.1"},
        {"HTTP_HOST": "search.example.org"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_X_FORWARDED_PROTO": "https"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
    ):
        answer = client.get("/search", headers=demo, environ_overrides=said)
        assert code(answer) == (401, "auth_invalid_token"), said
    public = build(replace(settings, service_base_url="https://search.example.org"))
    answer = public.test_client().get("/search", headers=demo)
    assert code(answer) == (401, "auth_invalid_token")
