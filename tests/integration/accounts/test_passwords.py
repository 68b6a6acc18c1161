"""Changing the password, and signing out everywhere."""

from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from app.domains.account.accounts.sign_in import session_store, sessions
from tests.integration.accounts.conftest import EMAIL, PASSWORD, Owner, bearer

NEW = "another horse battery"
CHANGE = {"current_password": PASSWORD, "new_password": NEW}
PATH = "/v1/account/password"


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["error"]["code"]


def sign_in(client: FlaskClient, password: str) -> int:
    body = {"email": EMAIL, "password": password}
    return client.post("/v1/tokens", json=body).status_code


@pytest.fixture
def elsewhere(app: Flask, owner: Owner) -> Owner:
    """The same account, signed in once more."""
    return Owner(app.test_client()).sign_in()


def test_a_new_password_replaces_the_old_one_and_ends_other_sign_ins(
    owner: Owner, elsewhere: Owner
) -> None:
    key = owner.new_key()["secret"]
    answer = owner.call("POST", PATH, json=CHANGE)
    assert (answer.status_code, answer.data) == (204, b"")
    assert [sign_in(owner.client, password) for password in (NEW, PASSWORD)] == [201, 401]
    assert code(elsewhere.call("GET", "/v1/account")) == (401, "auth_revoked_token")
    body = {"refresh_token": elsewhere.tokens["refresh_token"]}
    refreshed = elsewhere.client.post("/v1/tokens/refresh", json=body)
    assert code(refreshed) == (401, "auth_revoked_token")
    assert owner.call("GET", "/v1/account").status_code == 200
    assert owner.client.get("/search", headers=bearer(key)).status_code == 200


def test_a_wrong_current_password_changes_nothing(owner: Owner, elsewhere: Owner) -> None:
    answer = owner.call("POST", PATH, json={**CHANGE, "current_password": "not this one"})
    assert code(answer) == (400, "validation_failed")
    assert answer.get_json()["error"]["details"][0]["field"] == "/current_password"
    assert sign_in(owner.client, PASSWORD) == 201
    assert elsewhere.call("GET", "/v1/account").status_code == 200


def test_guessing_the_current_password_is_slowed_down(owner: Owner) -> None:
    guess = {**CHANGE, "current_password": "not this one"}
    answers = [owner.call("POST", PATH, json=guess).status_code for _ in range(8)]
    assert answers[-1] == 429


def test_a_new_password_follows_the_rules_of_new_accounts(owner: Owner) -> None:
    answer = owner.call("POST", PATH, json={**CHANGE, "new_password": EMAIL})
    assert answer.get_json()["error"]["details"][0]["field"] == "/new_password"


def test_a_password_proven_before_a_change_neither_changes_it_nor_begins_a_session(
    owner: Owner,
) -> None:
    with db.reading() as reader:
        proven = session_store.login(reader, EMAIL)
    assert proven is not None
    owner.call("POST", PATH, json=CHANGE)
    with db.transaction() as tx, pytest.raises(sessions.AuthInvalidCredentials):
        sessions.change_password(tx, proven, "a hash", proven.id)
    with db.transaction() as tx, pytest.raises(sessions.AuthInvalidCredentials):
        sessions.hold(tx, proven)


def test_signing_out_everywhere_ends_every_session_of_the_account_and_nothing_else(
    owner: Owner, elsewhere: Owner, stranger: Owner
) -> None:
    key = owner.new_key()["secret"]
    assert owner.call("DELETE", "/v1/tokens").status_code == 204
    for session in (owner, elsewhere):
        assert code(session.call("GET", "/v1/account")) == (401, "auth_revoked_token")
    assert stranger.call("GET", "/v1/account").status_code == 200
    assert owner.client.get("/search", headers=bearer(key)).status_code == 200
    assert sign_in(owner.client, PASSWORD) == 201
