"""Records what owners and operators do, in the transaction in which they do it.

An event says who acted, with what and from where, and names what it was done to. It holds no secret
and no text that somebody wrote, but for the names of things.
"""

from typing import Any, Final
from uuid import UUID

from app.core import actor, ids
from app.core.db import Tx
from app.domains.account.audit import store

_MOST_CHARACTERS: Final = 200


def record_event(
    tx: Tx, action: str, object: str | None = None, account_id: UUID | None = None, **facts: Any
) -> None:
    """Records that the actor has done `action` (`noun.verb`) to `object`, its public id or its
    name.

    `account_id` is in whose account: that of who acts unless it is an operator. `facts` are names,
    ids and numbers; those that are None are left out.
    """
    by = actor.actor()
    if account_id is None and by.kind not in ("operator", "cli"):
        account_id = by.account_id
    kept = {name: _short(fact) for name, fact in facts.items() if fact is not None}
    store.insert(
        tx, ids.new(), by, account_id=account_id, action=action, object=_short(object), facts=kept
    )


def _short(fact: Any) -> Any:
    return fact[:_MOST_CHARACTERS] if isinstance(fact, str) else fact
