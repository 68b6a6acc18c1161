"""Nobody reads another account's memory: not over HTTP, not in SQL, not by moving rows."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.vault import Unreadable
from app.domains.search.memories import persona_keys
from tests.databases import become_owner
from tests.integration.memories.conftest import PATH, Rememberer

CALLS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("GET", PATH, {}),
    ("GET", f"{PATH}/export", {}),
    ("DELETE", PATH, {"query_string": {"confirm": "me"}}),
    ("GET", f"{PATH}/{{id}}", {}),
    ("PATCH", f"{PATH}/{{id}}", {"json": {"content": "mine now"}}),
    ("DELETE", f"{PATH}/{{id}}", {}),
)
EVERY_TABLE = ("memory_keys", "memories", "memory_versions")


def test_another_account_with_a_persona_of_that_name_does_not_find_this_one(
    ada: Rememberer, bob: Rememberer
) -> None:
    memory = ada.remember("Owns a boat")
    for method, path, given in CALLS:
        bob.store("Owns a car")
        answer = bob.ask(method, path.format(id=memory["id"]), **given)
        assert answer.status_code == (404 if "{id}" in path else answer.status_code)
        assert b"boat" not in answer.data
        assert ada.contents() == ["Owns a boat"]


@pytest.fixture
def owner_id(ada: Rememberer) -> UUID:
    """Of an account with a memory of two versions."""
    memory = ada.remember("Owns a boat")
    ada.ask("PATCH", f"{PATH}/{memory['id']}", json={"content": "Owns a ship"})
    with db.transaction() as tx:
        become_owner(tx)
        account: UUID = db.value(tx, "select account_id from memories")
        return account


def test_without_a_tenant_there_are_no_rows(owner_id: UUID) -> None:
    for table in EVERY_TABLE:
        count = f"select count(*) from {table}"  # noqa: S608
        with db.reading() as reader:
            assert db.value(reader, count) == 0  # type: ignore[arg-type]
        with db.tenant(owner_id) as tx:
            assert db.value(tx, count) == 1  # type: ignore[arg-type]
        with db.tenant(ids.new()) as tx:
            assert db.value(tx, count) == 0  # type: ignore[arg-type]


def test_a_row_cannot_be_given_to_another_account(owner_id: UUID) -> None:
    for table in EVERY_TABLE:
        with (
            pytest.raises(psycopg.errors.InsufficientPrivilege),
            db.tenant(owner_id) as tx,
        ):
            tx.execute(f"update {table} set account_id = %s", [ids.new()])  # type: ignore[call-overload]  # noqa: S608


def test_a_tenant_ends_with_its_transaction(owner_id: UUID) -> None:
    count = "select count(*) from memories"
    with db.single() as tx:
        with tx.transaction():
            db.act_for(tx, owner_id)
            assert db.value(tx, count) == 1
        assert db.value(tx, count) == 0


def test_retention_meets_only_what_has_expired(owner_id: UUID) -> None:
    with db.transaction() as tx:
        tx.execute("select set_config('app.duty', 'retention', true)")
        assert db.value(tx, "select count(*) from memories") == 0


VAULT = persona_keys.vault_of(Settings(database_url="", redis_url="", secret_key="x" * 32))


def keys() -> Iterator[persona_keys.PersonaKey]:
    """Of two personas of one account."""
    account = ids.new()
    wrapped = persona_keys.new_wrapped(VAULT, account, "me")
    yield persona_keys.PersonaKey.unwrap(VAULT, wrapped, account, "me")
    yield persona_keys.PersonaKey.unwrap(
        VAULT, persona_keys.new_wrapped(VAULT, account, "you"), account, "you"
    )


def test_what_is_sealed_opens_where_it_was_sealed_for_and_nowhere_else() -> None:
    mine, yours = keys()
    id = ids.new()
    sealed = mine.seal(id, 1, "Owns a boat", ["sea"])
    assert mine.open(id, 1, sealed) == ("Owns a boat", ["sea"])
    for key, where, version in ((mine, ids.new(), 1), (mine, id, 2), (yours, id, 1)):
        with pytest.raises(Unreadable):
            key.open(where, version, sealed)


def test_a_wrapped_key_opens_for_its_account_and_persona_only() -> None:
    account = ids.new()
    wrapped = persona_keys.new_wrapped(VAULT, account, "me")
    for owner, persona in ((ids.new(), "me"), (account, "you")):
        with pytest.raises(Unreadable):
            persona_keys.PersonaKey.unwrap(VAULT, wrapped, owner, persona)
