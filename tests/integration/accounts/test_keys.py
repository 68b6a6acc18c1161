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


def test_a_key_is_taken_as_a_bearer_too(owner: Any, client: FlaskClient) -> None:
    secret = owner.new_key()["secret"]
    answer = client.get("/search", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200


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


def test_the_list_never_shows_a_secret(owner: Any) -> None:
    secret = owner.new_key()["secret"]
    assert secret[9:40] not in owner.call("GET", "/v1/api-keys").get_data(as_text=True)


def test_the_database_never_holds_a_secret(owner: Any) -> None:
    secret = owner.new_key()["secret"]
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


def test_a_revoked_key_is_refused_at_once(owner: Any, client: FlaskClient) -> None:
    made = owner.new_key()
    assert search(client, made["secret"]).status_code == 200
    answer = owner.call("DELETE", f"/v1/api-keys/{made['api_key']['id']}")
    assert (answer.status_code, answer.data) == (204, b"")
    assert code(search(client, made["secret"])) == (401, "auth_revoked_token")


def test_revoking_is_idempotent(owner: Any) -> None:
    path = f"/v1/api-keys/{owner.new_key()['api_key']['id']}"
    assert [owner.call("DELETE", path).status_code for _ in range(2)] == [204, 204]


def test_the_list_holds_no_keys_of_others(owner: Any, stranger: Any) -> None:
    owner.new_key()
    assert stranger.call("GET", "/v1/api-keys").get_json()["api_keys"] == []


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


def test_a_revoked_key_cannot_be_changed(owner: Any) -> None:
    path = f"/v1/api-keys/{owner.new_key()['api_key']['id']}"
    owner.call("DELETE", path)
    assert code(owner.call("PATCH", path, json={"name": "x"})) == (409, "api_key_inactive")


def test_after_a_roll_with_overlap_both_keys_work(owner: Any, client: FlaskClient) -> None:
    old = owner.new_key()
    path = f"/v1/api-keys/{old['api_key']['id']}/roll"
    new = owner.call("POST", path, json={"overlap_hours": 24}).get_json()
    assert [search(client, made["secret"]).status_code for made in (old, new)] == [200, 200]


def test_a_roll_ends_the_old_key_after_the_overlap(owner: Any) -> None:
    old = owner.new_key()["api_key"]
    before = datetime.now(UTC)
    new = owner.call("POST", f"/v1/api-keys/{old['id']}/roll", json={"overlap_hours": 24})
    listed = owner.call("GET", "/v1/api-keys").get_json()["api_keys"][1]
    ends = datetime.fromisoformat(listed["expires_at"])
    assert before <= ends - timedelta(hours=24) <= datetime.now(UTC)
    assert listed["replaced_by"] == new.get_json()["api_key"]["id"]


def test_a_roll_without_overlap_ends_the_old_key_at_once(owner: Any, client: FlaskClient) -> None:
    old = owner.new_key()
    assert search(client, old["secret"]).status_code == 200
    owner.call("POST", f"/v1/api-keys/{old['api_key']['id']}/roll", json={"overlap_hours": 0})
    assert code(search(client, old["secret"])) == (401, "auth_expired_token")


def test_a_rolled_key_lives_as_long_as_the_old_one_did(owner: Any) -> None:
    at = datetime.now(UTC) + timedelta(days=30)
    old = owner.new_key(expires_at=at.isoformat())["api_key"]
    path = f"/v1/api-keys/{old['id']}/roll"
    new = owner.call("POST", path, json={"overlap_hours": 1}).get_json()["api_key"]
    lives = [
        datetime.fromisoformat(key["expires_at"]) - datetime.fromisoformat(key["created_at"])
        for key in (old, new)
    ]
    assert lives[0] == lives[1]


def test_a_key_is_rolled_once(owner: Any) -> None:
    path = f"/v1/api-keys/{owner.new_key()['api_key']['id']}/roll"
    answers = [owner.call("POST", path, json={"overlap_hours": 1}) for _ in range(2)]
    assert answers[0].status_code == 201
    assert code(answers[1]) == (409, "api_key_inactive")


def test_an_overlap_out_of_range_is_refused(owner: Any) -> None:
    for hours in (-1, 169, 1.5, "1", True, None):
        path = f"/v1/api-keys/{owner.new_key()['api_key']['id']}/roll"
        answer = owner.call("POST", path, json={"overlap_hours": hours})
        assert code(answer) == (400, "validation_failed"), hours


def test_a_mistyped_key_never_reaches_the_database(
    owner: Any, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = owner.new_key()["secret"]
    typo = secret[:20] + ("a" if secret[20] != "a" else "b") + secret[21:]
    monkeypatch.setattr(db, "reading", lambda: pytest.fail("asked the database"))
    assert code(search(client, typo)) == (401, "auth_invalid_token")


def test_a_busy_key_costs_no_query(
    owner: Any, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = owner.new_key()["secret"]
    assert search(client, secret).status_code == 200
    monkeypatch.setattr(db, "reading", lambda: pytest.fail("asked the database"))
    assert search(client, secret).status_code == 200


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


def test_the_demo_key_opens_the_demo_account_from_loopback(client: FlaskClient) -> None:
    answers = [search(client, "demo-demo").get_json() for _ in range(2)]
    assert [answer["demo"] for answer in answers] == [True, True]


def test_the_demo_key_is_nothing_from_elsewhere(client: FlaskClient) -> None:
    for said in (
        {"REMOTE_ADDR": "192.0.2.1"},
        {"HTTP_HOST": "search.example.org"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_X_FORWARDED_PROTO": "https"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
    ):
        answer = client.get("/search", headers={"X-API-Key": "demo-demo"}, environ_overrides=said)
        assert code(answer) == (401, "auth_invalid_token"), said


def test_the_demo_key_is_nothing_on_a_public_server(settings: Settings) -> None:
    public = build(replace(settings, service_base_url="https://search.example.org"))
    answer = public.test_client().get("/search", headers={"X-API-Key": "demo-demo"})
    assert code(answer) == (401, "auth_invalid_token")


def test_nobody_signs_in_to_the_demo_account(client: FlaskClient) -> None:
    search(client, "demo-demo")
    with db.reading() as reader:
        assert db.value(reader, "select email from accounts") == "demo@localhost"
    body = {"email": "demo@localhost", "password": "anything at all"}
    assert client.post("/v1/tokens", json=body).status_code == 400
