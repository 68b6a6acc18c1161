"""Memories that are stored while the last one of their persona goes."""

import threading
from collections.abc import Callable
from uuid import UUID

from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.ids import Noun
from app.domains.search.memories import persona_keys, service
from tests import servers
from tests.databases import become_owner, sessions_waiting
from tests.integration.memories.conftest import Rememberer


def store_beside(ada: Rememberer, settings: Settings, delete: Callable[[Tx, UUID], object]) -> None:
    """Store a memory in a transaction that ends once one that deletes waits for it."""
    with db.transaction() as tx:
        become_owner(tx)
        account_id = db.value(tx, "select account_id from memories")
    given = {"type": "fact", "content": "Owns a car", "tags": []}

    def second() -> None:
        with db.tenant(account_id) as tx:
            delete(tx, account_id)

    thread = threading.Thread(target=second)
    with db.tenant(account_id) as tx:
        service.remember(tx, persona_keys.vault_of(settings), account_id, "me", given)
        thread.start()
        servers.until(sessions_waiting)
    thread.join()


def test_what_is_stored_while_the_last_memory_is_deleted_stays(
    ada: Rememberer, settings: Settings
) -> None:
    id = ids.lookup(Noun.MEMORY, ada.remember("Owns a boat")["id"])
    store_beside(ada, settings, lambda tx, account: service.erase(tx, account, "me", id))
    assert ada.contents() == ["Owns a car"]


def test_what_is_stored_while_the_last_memory_expires_stays(
    ada: Rememberer, settings: Settings
) -> None:
    ada.remember("Owns a boat", expires_at="2090-01-01T00:00:00Z")
    with db.transaction() as tx:
        become_owner(tx)
        tx.execute("update memories set expires_at = now()")
    store_beside(ada, settings, lambda tx, _: service.forget_expired(tx))
    assert ada.contents() == ["Owns a car"]
