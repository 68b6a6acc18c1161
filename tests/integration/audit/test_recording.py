"""Who did what is recorded in the transaction in which it was done, and never changed."""

from typing import LiteralString

import psycopg
import pytest
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.actor import Actor, acting
from app.core.config.settings import DATABASE_ROLE, Settings
from app.core.db.roles import api, workers
from app.domains.account.audit import store
from app.domains.account.audit.service import record_event
from tests import builders
from tests.databases import assert_refused, become_owner


def test_an_event_is_there_only_if_what_it_tells_of_is(database: str) -> None:
    with acting(Actor(kind="cli", name="ada at desk")), db.transaction() as tx:
        record_event(tx, "queue.paused", "searches")
        raise psycopg.Rollback
    with db.reading() as reader:
        assert store.of_operators(reader, None, 10) == []


def test_what_nobody_asked_for_the_service_did(tx: db.Tx) -> None:
    owner = builders.account(tx)
    record_event(tx, "webhook.disabled", "wh_1", owner, reason="gone")
    [event] = store.of_account(tx, owner, None, None, 10)
    assert (event.actor, event.facts) == ("system", {"reason": "gone"})


def test_what_an_operator_does_to_the_service_is_in_no_accounts_list(tx: db.Tx) -> None:
    operator, key = builders.account(tx), ids.new()
    with acting(Actor(kind="key", account_id=operator, credential_id=key, address="192.0.2.1")):
        record_event(tx, "webhook.created", "wh_1")
    with acting(Actor(kind="operator", account_id=operator)):
        record_event(tx, "queue.paused", "searches")
    [own] = store.of_account(tx, operator, None, None, 10)
    assert (own.actor, own.credential_id, own.address) == ("key", key, "192.0.2.1")
    [event] = store.of_operators(tx, None, 10)
    assert (event.action, event.by_whom) == ("queue.paused", "owner@example.org")


def test_a_noun_finds_all_that_was_done_to_its_things(tx: db.Tx) -> None:
    owner = builders.account(tx)
    for action in ("key.created", "key.revoked", "keyring.made"):
        record_event(tx, action, None, owner)
    found = [event.action for event in store.of_account(tx, owner, "key", None, 10)]
    assert found == ["key.revoked", "key.created"]


@pytest.mark.parametrize("role", [DATABASE_ROLE, api(DATABASE_ROLE)[0], workers(DATABASE_ROLE)[0]])
def test_no_role_of_the_service_changes_an_event(database: str, role: str) -> None:
    statements: tuple[LiteralString, ...] = (
        "update audit_events set action = 'x'",
        "delete from audit_events",
        "truncate audit_events",
        "alter table audit_events disable trigger all",
    )
    for statement in statements:
        assert_refused(database, role, statement)


def age(tx: db.Tx, days: int) -> None:
    with tx.transaction():
        become_owner(tx)
        tx.execute("update audit_events set at = now() - make_interval(days => %s)", [days])
        tx.execute("set local role citegrid_app")


def test_events_are_forgotten_after_their_time_and_never_within_a_month(tx: db.Tx) -> None:
    record_event(tx, "queue.paused", "searches")
    age(tx, 29)
    assert store.forget(tx, most=10, kept_days=0) == 0
    age(tx, 400)
    assert store.forget(tx, most=10, kept_days=365) == 1


def test_an_owner_reads_what_was_done_with_what(client: FlaskClient, settings: Settings) -> None:
    with db.transaction() as tx:
        token = builders.access_token(tx, settings, builders.account(tx, "ada@example.org"))
    headers = {"Authorization": f"Bearer {token}"}
    made = client.post("/v1/api-keys", headers=headers, json={"name": "ci", "scopes": ["search"]})
    answer = client.get("/v1/audit-events?action=key", headers=headers).json
    [event] = answer["audit_events"]
    assert (event["actor"], event["action"], event["object"], event["facts"]) == (
        "session",
        "key.created",
        made.json["api_key"]["id"],
        {"name": "ci", "scopes": ["search"]},
    )
    assert made.json["secret"] not in client.get("/v1/audit-events", headers=headers).text


def test_a_failed_sign_in_is_recorded(client: FlaskClient) -> None:
    body = {"email": "ada@example.org", "password": "a horse and a battery"}
    assert client.post("/v1/accounts", json=body).status_code == 201
    client.post("/v1/tokens", json={**body, "password": "another horse entirely"})
    token = client.post("/v1/tokens", json=body).json["access_token"]
    answer = client.get("/v1/audit-events", headers={"Authorization": f"Bearer {token}"}).json
    assert [event["action"] for event in answer["audit_events"]] == [
        "session.started",
        "session.refused",
        "account.created",
    ]
