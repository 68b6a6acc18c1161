"""SECRET_KEY is replaced under running processes, its predecessor is dropped: nobody notices."""

from dataclasses import dataclass, replace
from uuid import UUID

import pytest
from flask import Flask
from flask.testing import FlaskClient

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.http.access import SESSION_COOKIE
from app.core.ids import Noun
from app.domains.account.accounts.sign_in import sessions
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.queue.webhooks import service as webhooks
from app.domains.queue.webhooks import turns
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.local.doctor import doctor
from tests import builders, node_work
from tests.key_rotation import NEW, OLD, rotate
from tests.quick_applications import made
from tests.visiting import Visitor

MEMORY = "/v1/personas/me/memory"
REMEMBERED = {"type": "fact", "content": "Owns a boat", "source": "user_approved"}


@dataclass(frozen=True)
class Holder:
    """Everything that an account can hold of a server, as it was made under the first secret."""

    account_id: UUID
    api_key: str
    access_token: str
    refresh_token: str
    node_id: str
    node_token: str
    webhook_id: UUID
    webhook_secret: str


def app_of(settings: Settings, new: str, previous: str = "") -> Flask:
    return made(settings, secret_key=new, secret_key_previous=previous)


@pytest.fixture
def holder(settings: Settings, client: FlaskClient) -> Holder:
    with db.transaction() as tx:
        account_id = builders.account(tx)
        key = builders.api_key(tx, settings, account_id, ("search", "memory"))
        started = sessions.start(tx, Pepper.of(settings), account_id)
        node_id, node_token = node_work.node(tx, settings, account_id)
        terms = DeliveryTerms.of(settings)
        hook = webhooks.create(tx, account_id, "https://hooks.example.org/a", ["*"], terms)
    client.post(MEMORY, json=REMEMBERED, headers={"X-API-Key": key})
    bearer = {"Authorization": f"Bearer {started.access_token}"}
    export = client.post("/v1/account/export", headers=bearer).get_json()["export"]["id"]
    builders.work(settings, export, noun=Noun.EXPORT)
    return Holder(
        account_id,
        key,
        started.access_token,
        started.refresh_token,
        ids.public(Noun.NODE, node_id),
        node_token,
        hook.webhook.id,
        hook.secret,
    )


def refused(app: Flask, holder: Holder) -> list[str]:
    """What of it the server does not accept or cannot read."""
    client = app.test_client()
    bearer = {"Authorization": f"Bearer {holder.access_token}"}
    node = {"Authorization": f"Bearer {holder.node_token}"}
    key = {"X-API-Key": holder.api_key}
    beat = f"/v1/nodes/{holder.node_id}/heartbeat"
    answers = {
        "API key": client.get("/external/v1/search", headers=key),
        "access token": client.get("/v1/account", headers=bearer),
        "node token": client.post(beat, json={"in_flight": 0}, headers=node),
        "memory": client.get(MEMORY, headers=key),
        "export": client.get("/v1/account/export/file", headers=bearer),
    }
    return [
        name for name, answer in answers.items() if answer.status_code >= 400 or not answer.data
    ]


def secret_of(settings: Settings, webhook_id: UUID) -> str:
    """The one that a delivery is signed with."""
    with db.reading() as reader:
        [sealed] = db.values(reader, "select secret from webhooks where id = %(id)s", id=webhook_id)
    vault = DeliveryTerms.of(settings).vault
    return vault.open(bytes(sealed), turns.bound(webhook_id)).decode()


def test_nothing_is_lost_while_a_secret_is_replaced_and_when_it_is_dropped(
    settings: Settings, holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = replace(settings, secret_key=NEW, secret_key_previous=OLD)
    alone, running = app_of(settings, NEW), app_of(settings, NEW, OLD)
    assert {"API key", "access token", "node token"} <= set(refused(alone, holder))
    assert refused(running, holder) == []
    assert secret_of(both, holder.webhook_id) == holder.webhook_secret
    assert "No stored secret needs SECRET_KEY_PREVIOUS" in rotate(both, monkeypatch)
    rotate(both, monkeypatch)  # once more changes nothing
    assert refused(running, holder) == refused(app_of(settings, NEW), holder) == []
    assert secret_of(replace(settings, secret_key=NEW), holder.webhook_id) == holder.webhook_secret
    newest = "z" * 32
    rotate(replace(settings, secret_key=newest, secret_key_previous=NEW), monkeypatch)
    assert refused(app_of(settings, newest), holder) == []


def test_who_is_signed_in_stays_so_when_the_former_secret_is_dropped(
    settings: Settings, app: Flask, holder: Holder, monkeypatch: pytest.MonkeyPatch
) -> None:
    cookie = Visitor(app, holder.account_id).client.get_cookie(SESSION_COOKIE)
    assert cookie is not None
    rotate(replace(settings, secret_key=NEW, secret_key_previous=OLD), monkeypatch)
    alone = app_of(settings, NEW)
    browser = Visitor(alone, None)
    browser.client.set_cookie(SESSION_COOKIE, cookie.value, domain="localhost", secure=True)
    assert browser.get("/settings").status_code == 200
    refreshed = alone.test_client().post(
        "/v1/tokens/refresh", json={"refresh_token": holder.refresh_token}
    )
    assert refreshed.status_code == 201


def test_the_doctor_counts_what_needs_the_former_secret_though_it_was_rolled_since(
    settings: Settings, holder: Holder
) -> None:
    both = replace(settings, secret_key=NEW, secret_key_previous=OLD)
    with db.transaction() as tx:
        [finding] = doctor._secrets(tx, both)
        assert "1 webhooks, 1 exports" in finding.what
        webhooks.roll(tx, holder.account_id, holder.webhook_id, 24, DeliveryTerms.of(both))
        [finding] = doctor._secrets(tx, both)
        assert "1 webhooks" in finding.what
