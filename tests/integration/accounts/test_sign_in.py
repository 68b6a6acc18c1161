"""Accounts and tokens over HTTP, on real Postgres and Redis."""

import io
import logging
import threading
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from app.domains.account.accounts import service
from app.domains.account.accounts.sign_in import passwords, session_store, sessions
from tests.integration.accounts.conftest import build

EMAIL, PASSWORD = "ada@example.org", "correct horse battery"
BODY = {"email": EMAIL, "password": PASSWORD}


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["error"]["code"]


def account(client: FlaskClient, token: str) -> Any:
    return client.get("/v1/account", headers={"Authorization": f"Bearer {token}"})


def refresh(client: FlaskClient, token: str, **headers: str) -> Any:
    return client.post("/v1/tokens/refresh", json={"refresh_token": token}, headers=headers)


def test_a_new_account_answers_with_itself_and_takes_its_email_in_any_case(
    client: FlaskClient,
) -> None:
    answer = client.post("/v1/accounts", json={**BODY, "email": "Ada@Example.ORG"})
    made = answer.get_json()["account"]
    assert (answer.status_code, made["email"]) == (201, "Ada@example.org")
    assert (made["id"][:5], made["created_at"][-1]) == ("acct_", "Z")
    again = client.post("/v1/accounts", json={**BODY, "email": EMAIL.upper()})
    assert code(again) == (409, "email_taken")


def test_twenty_simultaneous_sign_ups_make_one_account(app: Flask) -> None:
    answers: list[int] = []

    def sign_up() -> None:
        with app.test_client() as own:
            answers.append(own.post("/v1/accounts", json=BODY).status_code)

    threads = [threading.Thread(target=sign_up) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers.count(201) == 1
    assert set(answers) <= {201, 409, 503}  # 503: the lane for passwords was full


REMOTE = {"REMOTE_ADDR": "192.0.2.1"}
PUBLIC = "https://search.example.org"


def test_beyond_this_machine_signing_up_is_closed(client: FlaskClient, settings: Settings) -> None:
    public = build(replace(settings, service_base_url=PUBLIC)).test_client()
    for answer in (
        client.post("/v1/accounts", json=BODY, environ_overrides=REMOTE),
        client.post("/v1/accounts", json=BODY, headers={"X-Forwarded-For": "192.0.2.1"}),
        public.post("/v1/accounts", json=BODY),  # behind a proxy that says nothing of itself
    ):
        assert code(answer) == (403, "sign_up_closed")


def test_the_operator_may_open_signing_up(settings: Settings) -> None:
    opened = build(replace(settings, service_base_url=PUBLIC, sign_up_open=True)).test_client()
    answer = opened.post("/v1/accounts", json=BODY, environ_overrides=REMOTE)
    assert answer.status_code == 201


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("email", "nobody"),
        ("password", "password123"),
        ("password", "x" * 129),
        ("password", EMAIL),
    ],
)
def test_a_wrong_sign_up_names_its_field(client: FlaskClient, field: str, value: str) -> None:
    answer = client.post("/v1/accounts", json={**BODY, field: value})
    assert code(answer) == (400, "validation_failed")
    assert answer.get_json()["error"]["details"][0]["field"] == f"/{field}"


def test_the_operator_makes_accounts_by_the_same_rules(database: str) -> None:
    with db.transaction() as tx, pytest.raises(service.Invalid) as refused:
        service.create_account(tx, EMAIL, "12345678")
    assert refused.value.details[0]["field"] == "/password"


def test_signing_in_gives_two_tokens_of_which_one_opens_the_account(
    owner: Any, client: FlaskClient
) -> None:
    assert owner.tokens.keys() == {"access_token", "token_type", "expires_in", "refresh_token"}
    assert (owner.tokens["token_type"], owner.tokens["expires_in"]) == ("Bearer", 3600)
    assert (owner.tokens["access_token"][:4], owner.tokens["refresh_token"][:4]) == ("cga_", "cgr_")
    answer = account(client, owner.tokens["access_token"]).get_json()
    assert (answer["account"]["email"], answer["credit"]) == (EMAIL, [])
    assert code(account(client, owner.tokens["refresh_token"])) == (401, "auth_invalid_token")
    assert code(refresh(client, owner.tokens["access_token"])) == (401, "auth_invalid_token")


def test_wrong_email_and_wrong_password_answer_alike(owner: Any, client: FlaskClient) -> None:
    for wrong in ({"password": "not this one"}, {"email": "bob@example.org"}):
        answer = client.post("/v1/tokens", json={**BODY, **wrong})
        assert code(answer) == (401, "auth_invalid_credentials")
        assert answer.get_json()["error"]["message"] == "The e-mail or password is wrong."


def test_an_unknown_email_costs_a_hash_too(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    real = passwords.HashingSlot.matches

    def matches(self: passwords.HashingSlot, encoded: str, password: str) -> bool:
        seen.append(encoded)
        return real(self, encoded, password)

    monkeypatch.setattr(passwords.HashingSlot, "matches", matches)
    client.post("/v1/tokens", json=BODY)
    client.post("/v1/accounts", json=BODY)
    client.post("/v1/tokens", json=BODY)
    unknown, known = (encoded.rsplit("$", 2)[0] for encoded in seen)
    assert unknown == known


def test_a_disabled_account_is_refused_with_its_tokens_and_its_password(
    owner: Any, client: FlaskClient
) -> None:
    with db.transaction() as tx:
        assert service.set_disabled(tx, EMAIL, True)
    assert code(client.post("/v1/tokens", json=BODY)) == (401, "auth_invalid_credentials")
    assert code(account(client, owner.tokens["access_token"])) == (401, "auth_revoked_token")
    assert code(refresh(client, owner.tokens["refresh_token"])) == (401, "auth_revoked_token")


def test_no_token_and_garbage_and_what_was_never_issued_open_nothing(client: FlaskClient) -> None:
    answer = client.get("/v1/account")
    assert code(answer) == (401, "auth_no_token")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    never_issued = sessions.credentials.new("cga_")
    for token in ("x", "cga_" + "a" * 49, "ÿ" * 53, "cga_" * 10_000, never_issued):
        assert code(account(client, token)) == (401, "auth_invalid_token"), token[:60]
    assert code(refresh(client, sessions.credentials.new("cgr_"))) == (401, "auth_invalid_token")


def test_expired_tokens_say_so(owner: Any, client: FlaskClient) -> None:
    with db.transaction() as tx:
        tx.execute("update tokens set expires_at = now()")
    assert code(account(client, owner.tokens["access_token"])) == (401, "auth_expired_token")
    assert code(refresh(client, owner.tokens["refresh_token"])) == (401, "auth_expired_token")


def test_refreshing_rotates_both_tokens_and_an_old_one_ends_the_whole_family(
    owner: Any, client: FlaskClient
) -> None:
    old, other = owner.tokens, client.post("/v1/tokens", json=BODY).get_json()
    assert account(client, old["access_token"]).status_code == 200
    new = refresh(client, old["refresh_token"]).get_json()
    assert account(client, new["access_token"]).status_code == 200
    assert code(account(client, old["access_token"])) == (401, "auth_revoked_token")
    assert code(refresh(client, old["refresh_token"])) == (401, "auth_revoked_token")
    assert code(account(client, new["access_token"])) == (401, "auth_revoked_token")
    assert code(refresh(client, new["refresh_token"])) == (401, "auth_revoked_token")
    assert account(client, other["access_token"]).status_code == 200


def test_a_lost_answer_to_a_refresh_is_had_again(owner: Any, client: FlaskClient) -> None:
    token = owner.tokens["refresh_token"]
    first, second = (refresh(client, token, **{"Idempotency-Key": "k"}) for _ in range(2))
    assert (first.status_code, first.data) == (201, second.data)


def test_signing_out_ends_both_tokens(owner: Any, client: FlaskClient) -> None:
    assert account(client, owner.tokens["access_token"]).status_code == 200
    answer = owner.call("DELETE", "/v1/tokens/current")
    assert (answer.status_code, answer.data) == (204, b"")
    assert code(account(client, owner.tokens["access_token"])) == (401, "auth_revoked_token")
    assert code(refresh(client, owner.tokens["refresh_token"])) == (401, "auth_revoked_token")


def test_the_stored_fingerprint_tells_nothing_fast_about_the_password(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(
        "app.core.http.idempotency._fingerprint", lambda b: said.append(str(b)) or b""
    )
    client.post("/v1/accounts", json=BODY, headers={"Idempotency-Key": "k"})
    assert len(said) == 1
    assert PASSWORD not in said[0]


@pytest.mark.usefixtures("no_time_passes")
def test_guessing_is_slowed_down(owner: Any, client: FlaskClient) -> None:
    answers = [client.post("/v1/tokens", json={**BODY, "password": "wrong"}) for _ in range(7)]
    assert [answer.status_code for answer in answers] == [401] * 6 + [429]
    assert code(answers[-1]) == (429, "rate_limited")
    assert answers[-1].headers["Retry-After"] == "2"


def test_retiring_removes_what_expired_a_week_ago(owner: Any, client: FlaskClient) -> None:
    client.post("/v1/tokens", json=BODY)
    with db.transaction() as tx:
        tx.execute(
            "update tokens set expires_at = now() - interval '8 days' where family_id ="
            " (select id from token_families order by id limit 1)"
        )
        assert session_store.retire(tx) == 2
        assert db.value(tx, "select count(*) from tokens") == 2
        assert db.value(tx, "select count(*) from token_families") == 1


def test_a_family_stays_as_long_as_one_of_its_tokens(owner: Any, client: FlaskClient) -> None:
    with db.transaction() as tx:
        tx.execute("update tokens set expires_at = now() - interval '8 days' where kind = 'access'")
        assert session_store.retire(tx) == 1
        assert db.value(tx, "select count(*) from token_families") == 1


def test_no_secret_of_a_whole_flow_is_in_the_logs(
    log_lines: io.StringIO, owner: Any, client: FlaskClient
) -> None:
    logging.getLogger().setLevel("DEBUG")
    key = owner.new_key()
    rolled = owner.call(
        "POST", f"/v1/api-keys/{key['api_key']['id']}/roll", json={"overlap_hours": 0}
    ).get_json()
    for secret in (key["secret"], rolled["secret"], key["secret"] + "x"):
        client.get("/search", headers={"X-API-Key": secret})
    client.post("/v1/tokens", json={**BODY, "password": "wrong one"})
    fresh = refresh(client, owner.tokens["refresh_token"]).get_json()
    refresh(client, owner.tokens["refresh_token"])
    logging.getLogger("proof").info("was written with %s", key["secret"])
    secrets = [PASSWORD, "wrong one", key["secret"], rolled["secret"]]
    secrets += [made[kind] for made in (owner.tokens, fresh) for kind in made if "_token" in kind]
    written = log_lines.getvalue()
    assert "was written" in written
    assert [secret for secret in secrets if secret in written] == []
