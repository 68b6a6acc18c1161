"""`Idempotency-Key`: one thing is made, and told again."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, LiteralString

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.core.http import idempotency
from tests.quick_applications import made

SEARCH = "/external/v1/search"


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["error"]["code"]


def count(sql: LiteralString) -> int:
    with db.reading() as reader:
        return int(db.value(reader, sql))


@contextmanager
def held(owner: str, key: str) -> Iterator[None]:
    """The lock of a request that is being worked on elsewhere."""
    with db.transaction() as tx:
        assert db.value(tx, idempotency.LOCK, lock=f"{owner} {key}")
        yield


def test_a_replay_is_the_same_byte_for_byte(client: FlaskClient, owner: dict[str, str]) -> None:
    headers = {**owner, "Idempotency-Key": "k"}
    first = client.post(SEARCH, json={"query": "q", "depth": "quick"}, headers=headers)
    for key in ("k", '"k"'):
        headers["Idempotency-Key"] = key
        again = client.post(SEARCH, json={"depth": "quick", "query": "q"}, headers=headers)
        assert (again.status, again.data) == (first.status, first.data)
        for name in ("Location", "Retry-After", "Content-Type"):
            assert again.headers[name] == first.headers[name]
        assert again.headers["X-Request-Id"] != first.headers["X-Request-Id"]


def test_a_stored_answer_is_unreadable_at_rest(
    client: FlaskClient, signed_in: dict[str, str]
) -> None:
    headers = {**signed_in, "Idempotency-Key": "k"}
    made = client.post("/v1/api-keys", json={"name": "ci", "scopes": ["search"]}, headers=headers)
    with db.reading() as reader:
        stored = bytes(db.value(reader, "select reply from idempotency_keys"))
    assert made.get_json()["secret"].encode() not in stored
    assert b"secret" not in stored


def test_a_request_that_is_being_worked_on_is_409(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    with db.reading() as reader:
        account = str(db.value(reader, "select id from accounts"))
    with held(account, "k"):
        headers = {**owner, "Idempotency-Key": "k"}
        answer = client.post(SEARCH, json={"query": "q"}, headers=headers)
    assert code(answer) == (409, "idempotency_in_progress")
    assert int(answer.headers["Retry-After"]) >= 1
    assert count("select count(*) from searches") == 0


def test_after_24_hours_and_not_before_a_key_is_new_again(
    client: FlaskClient, owner: dict[str, str]
) -> None:
    headers = {**owner, "Idempotency-Key": "k"}
    first = client.post(SEARCH, json={"query": "q"}, headers=headers)
    age = "update idempotency_keys set created_at = now() - interval "
    with db.transaction() as tx:
        tx.execute(age + "'23 h 59 min'")
    early = client.post(SEARCH, json={"query": "r"}, headers=headers)
    assert code(early) == (409, "idempotency_key_reused")
    with db.transaction() as tx:
        tx.execute(age + "'24 h 1 s'")
    other = client.post(SEARCH, json={"query": "r"}, headers=headers)
    assert other.status_code == 202
    assert other.get_json()["id"] != first.get_json()["id"]


def test_old_keys_are_deleted(client: FlaskClient, owner: dict[str, str]) -> None:
    for key in ("old", "new"):
        client.post(SEARCH, json={"query": "q"}, headers={**owner, "Idempotency-Key": key})
    with db.transaction() as tx:
        tx.execute(
            "update idempotency_keys set created_at = now() - interval '25 h' where key = 'old'"
        )
        assert idempotency.forget_old(tx) == 1
    assert count("select count(*) from idempotency_keys") == 1


def test_a_key_is_up_to_255_visible_characters(client: FlaskClient, owner: dict[str, str]) -> None:
    for key in ("", " ", "a b", "x" * 256, "caf\xe9", "tab\t"):
        headers = {**owner, "Idempotency-Key": key}
        answer = client.post(SEARCH, json={"query": "q"}, headers=headers)
        assert code(answer) == (400, "validation_failed"), key


def test_a_refused_request_uses_up_no_key(client: FlaskClient, owner: dict[str, str]) -> None:
    headers = {**owner, "Idempotency-Key": "k"}
    assert client.post(SEARCH, json={"query": ""}, headers=headers).status_code == 400
    assert client.post(SEARCH, json={"query": "q"}, headers=headers).status_code == 202


def test_one_key_at_two_addresses_is_reuse(client: FlaskClient, signed_in: dict[str, str]) -> None:
    headers = {**signed_in, "Idempotency-Key": "k"}
    made = client.post("/v1/api-keys", json={"name": "a", "scopes": ["search"]}, headers=headers)
    path = f"/v1/api-keys/{made.get_json()['api_key']['id']}/roll"
    answer = client.post(path, json={"overlap_hours": 0}, headers=headers)
    assert code(answer) == (409, "idempotency_key_reused")


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/api-keys", {"name": "ci", "scopes": ["search"]}),
        ("/v1/accounts", {"email": "new@example.org", "password": "correct horse battery"}),
        (
            "/v1/personas/ada/memory",
            {"type": "fact", "content": "Owns a boat", "source": "user_approved"},
        ),
    ],
)
def test_a_request_with_a_secret_is_replayed_after_a_rotation_of_the_secret_key(
    settings: Settings, signed_in: dict[str, str], path: str, body: dict[str, Any]
) -> None:
    rolled = replace(settings, secret_key="y" * 32, secret_key_previous=settings.secret_key)
    headers = {**signed_in, "Idempotency-Key": "k"}
    first, again = (
        made(each, sign_up_open=True).test_client().post(path, json=body, headers=headers)
        for each in (settings, rolled)
    )
    assert (first.status_code, again.status_code, again.data) == (201, 201, first.data)


def test_an_answer_sealed_with_a_secret_key_that_is_gone_is_409(
    app: Flask, settings: Settings, owner: dict[str, str]
) -> None:
    headers = {**owner, "Idempotency-Key": "k"}
    app.test_client().post(SEARCH, json={"query": "q"}, headers=headers)
    app.extensions["idempotency_cipher"] = idempotency.cipher(
        replace(settings, secret_key="y" * 32)
    )
    again = app.test_client().post(SEARCH, json={"query": "q"}, headers=headers)
    assert code(again) == (409, "idempotency_reply_lost")
    assert count("select count(*) from searches") == 1


def test_the_key_of_one_address_is_not_met_by_another(app: Flask) -> None:
    client = made(app.extensions["settings"], sign_up_open=True).test_client()

    def sign_up(address: str) -> Any:
        name = address.replace(".", "-")
        return client.post(
            "/v1/accounts",
            json={"email": f"{name}@example.org", "password": "correct horse battery"},
            headers={"Idempotency-Key": "k"},
            environ_overrides={"REMOTE_ADDR": address},
        )

    assert [sign_up(f"192.0.2.{n}").status_code for n in (1, 2)] == [201, 201]
