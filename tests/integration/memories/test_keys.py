"""Keys under a new SECRET_KEY, and what has expired."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from app.core import db
from app.core.config.settings import Settings
from tests import builders
from tests.databases import become_owner
from tests.integration.memories.conftest import PATH, Rememberer
from tests.key_rotation import NEW, rotate
from tests.quick_applications import made


def test_rotated_keys_need_the_new_secret_only(
    ada: Rememberer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada.remember("Owns a boat")
    sealed = stored()
    both = replace(settings, secret_key=NEW, secret_key_previous=settings.secret_key)
    assert "1 memory key re-encrypted." in rotate(both, monkeypatch)
    assert "0 memory keys re-encrypted." in rotate(both, monkeypatch)
    assert at(replace(settings, secret_key=NEW)).contents() == ["Owns a boat"]
    assert stored() == sealed


def at(settings: Settings) -> Rememberer:
    """The account of the memory, at a server with these settings."""
    with db.transaction() as tx:
        become_owner(tx)
        account = db.value(tx, "select account_id from memories")
        key = builders.api_key(tx, settings, account, ("memory",))
    return Rememberer(made(settings).test_client(), {"X-API-Key": key})


def stored() -> bytes:
    with db.transaction() as tx:
        become_owner(tx)
        return bytes(db.value(tx, "select sealed from memories"))


def test_a_lost_secret_leaves_nothing_but_erasing(ada: Rememberer, settings: Settings) -> None:
    memory = ada.remember("Owns a boat")
    there = at(replace(settings, secret_key=NEW))
    assert there.ask("GET").get_json()["error"]["code"] == "memories_unreadable"
    assert there.ask("DELETE", f"{PATH}/{memory['id']}").status_code == 204


def test_what_has_expired_is_not_read_and_then_deleted_with_its_key(
    ada: Rememberer, settings: Settings
) -> None:
    ada.remember("Owns a boat", expires_at="2090-01-01T00:00:00Z")
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("update memories set expires_at = now()")
    assert ada.contents() == []
    builders.forget_expired(settings)
    assert ada.ask("GET").status_code == 404
    with db.transaction() as tx:
        become_owner(tx)
        assert db.value(tx, "select count(*) from memories") == 0
        assert db.value(tx, "select count(*) from memory_keys") == 0


def test_everything_goes_with_the_account(ada: Rememberer, client: FlaskClient) -> None:
    memory = ada.remember("Owns a boat")
    ada.ask("PATCH", f"{PATH}/{memory['id']}", json={"content": "Owns a ship"})
    with db.transaction() as tx:
        tx.execute("delete from accounts")
        become_owner(tx)
        for table in ("memory_keys", "memories", "memory_versions"):
            assert db.value(tx, f"select count(*) from {table}") == 0  # type: ignore[arg-type]  # noqa: S608
