"""Nodes and work of a kind of the tests: whatever is sent back to it is right."""

from functools import cache
from typing import Any
from uuid import UUID

from app import wiring
from app.core import db, ids
from app.core.config.settings import Settings
from app.core.db import Tx
from app.core.errors import Invalid
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.providers.nodes import service as nodes
from app.domains.providers.work import kinds, outcomes
from app.domains.providers.work import service as work
from app.domains.providers.work.assignment import Draw, WorkRequest
from app.domains.providers.work.kinds import Item, WorkKind

CAPABILITIES: dict[str, Any] = {
    "work": ["extraction", "validation", "chat"],
    "models": [],
    "capacity": 8,
    "languages": [],
    "max_bytes": 1 << 20,
}
gone: set[UUID] = set()
"""Items whose subject is gone."""
accepted: list[tuple[UUID, Any]] = []
failed: list[UUID] = []


def _load(item: Item) -> dict[str, Any] | None:
    return None if item.id in gone else {"subject": str(item.subject)}


def _check(_item: Item, output: dict[str, Any]) -> Any:
    if output.get("wrong"):
        raise Invalid(details=[{"field": "/output/wrong", "problem": "Wrong."}])
    return output


def _accept(_tx: Tx, item: Item, checked: Any) -> dict[str, Any]:
    accepted.append((item.id, checked))
    return {"count": len(accepted)}


def _ended(_tx: Tx, item: Item) -> None:
    failed.append(item.id)


def _kind(name: str, capability: str, max_attempts: int) -> WorkKind:
    return WorkKind(
        kind=outcomes.register_kind(
            name, queue=name, deadline_seconds=3600, max_attempts=max_attempts
        ),
        capability=capability,
        load=_load,
        check=_check,
        accept=_accept,
        ended=_ended,
    )


EXTRACTION = _kind("test.extraction", "extraction", max_attempts=5)
VALIDATION = _kind("test.validation", "validation", max_attempts=5)
CHAT = _kind("test.chat", "chat", max_attempts=1)
KINDS = [EXTRACTION.name, VALIDATION.name, CHAT.name]


@cache
def connect() -> None:
    """Let nodes of this process be given these as well."""
    wiring.connect()
    kinds.KINDS.connect(*kinds.KINDS, EXTRACTION, VALIDATION, CHAT)


connect()  # a dispatcher is told the name of this module only


def node(
    tx: Tx, settings: Settings, account_id: UUID, *, token: str | None = None, **changes: Any
) -> tuple[UUID, str]:
    """An admitted node and its token; the one of this token, if there is one."""
    pepper = Pepper.of(settings)
    if token is not None:
        digest = pepper.digest(token)
        found = db.value(tx, "select id from nodes where token_digest = %(digest)s", digest=digest)
        if found is not None:
            return found, token
    made = nodes.create(
        tx, account_id, "cellar", CAPABILITIES | changes, admitted=True, pepper=pepper
    )
    if token is not None:
        digest = pepper.digest(token)
        tx.execute("update nodes set token_digest = %s where id = %s", [digest, made.node.id])
    return made.node.id, token or made.token


def offered(tx: Tx, payer_id: UUID, kind: WorkKind = EXTRACTION, **terms: Any) -> UUID:
    """An item to be done."""
    return work.offer(tx, kind, payer_id, **{"subject": ids.new(), **terms})


def held(tx: Tx, payer_id: UUID, node_id: UUID) -> UUID:
    """An item that the node has, under fence 1."""
    id = offered(tx, payer_id, node_id=node_id)
    claimed = Draw("salt").claim(tx, wanted(tx, node_id, key=str(id)))
    assert [row.id for row in claimed] == [id]
    return id


def wanted(tx: Tx, node_id: UUID, key: str = "1", most: int = 1, **terms: Any) -> WorkRequest:
    account_id = nodes.by_id(tx, node_id).account_id
    return WorkRequest(node_id, account_id, key, tuple(terms.pop("kinds", KINDS)), most, **terms)
