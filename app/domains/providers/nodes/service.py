"""Nodes: what their owners do with them, and what is known of them. Callers hold the transaction.

What a node is given to do, and what became of it, is the domain `work`'s.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from app.core import ids
from app.core.db import Reader, Tx
from app.core.errors import Conflict, Invalid, NotFound, required
from app.core.hooks import Hook
from app.core.ids import Noun
from app.domains.account.accounts.service import new_node_token
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.account.audit.service import record_event
from app.domains.providers.nodes import authentication, pause_store, pauses, store
from app.domains.providers.nodes.capabilities import CAPABILITIES
from app.domains.providers.nodes.store import Node
from app.domains.providers.providers import offer_rules, offer_store, saved_offers

MOST_UNPROVED: Final = 3
"""Nodes of an account before it has proved itself."""
ENOUGH_JUDGED: Final = 50
"""Answers that were judged, after which it has."""
MOST_NODES: Final = 200


class NodeNotFound(NotFound):
    """No node with this id was found."""

    code = "node_not_found"


class TooManyNodes(Conflict):
    """An account can have 3 nodes until 50 of its answers are judged, and 200 afterwards."""

    code = "too_many_nodes"


@dataclass(frozen=True, slots=True, repr=False)
class NewNode:
    """A node and its token, which nothing can show again."""

    node: Node
    token: str


JUDGED: Final = Hook[Callable[[Reader, UUID], int]]("nodes.JUDGED")
"""How many answers of an account have been judged."""
CHANGED: Final = Hook[Callable[[Tx, UUID], None]]("nodes.CHANGED")
"""Called with the node's id in each transaction that changes or deletes it."""


def create(
    tx: Tx,
    account_id: UUID,
    name: str,
    capabilities: Mapping[str, Any],
    *,
    admitted: bool,
    pepper: Pepper,
) -> NewNode:
    """A node with its token, and an unpublished offer for each model. Raises TooManyNodes."""
    if store.count(tx, account_id) >= _most_nodes(tx, account_id):
        raise TooManyNodes
    id, token = ids.new(), new_node_token()
    store.insert(
        tx,
        id=id,
        account_id=account_id,
        name=name,
        admitted=admitted,
        digest=pepper.digest(token),
        **_columns(capabilities),
    )
    _save_offers(tx, account_id, id, name, capabilities)
    record_event(tx, "node.registered", ids.public(Noun.NODE, id), account_id, name=name)
    return NewNode(find(tx, account_id, id), token)


def _most_nodes(reader: Reader, account_id: UUID) -> int:
    judged = JUDGED.only(reader, account_id)
    return MOST_NODES if judged >= ENOUGH_JUDGED else MOST_UNPROVED


def _columns(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    work = [one for one in CAPABILITIES if one in capabilities["work"]]
    options = {name: capabilities[name] for name in ("languages", "models")}
    return {
        "work": work,
        "options": options,
        "max_bytes": capabilities["max_bytes"],
        "capacity": capabilities["capacity"],
    }


def _save_offers(
    tx: Tx, account_id: UUID, id: UUID, name: str, capabilities: Mapping[str, Any]
) -> None:
    """One offer for each model that is named; those of others are taken back."""
    device_id, models = str(id), capabilities["models"]
    offer_store.heard_of_device(tx, account_id, device_id, capacity=capabilities["capacity"])
    saved_offers.withdraw_offers(tx, account_id, device_id, but=[each["model"] for each in models])
    for number, model in enumerate(models):
        try:
            offered = offer_rules.parse(_offer(device_id, name, model))
        except ValueError as error:
            problem = {"field": f"/capabilities/models/{number}", "problem": str(error)}
            raise Invalid(details=[problem]) from None
        saved_offers.save_offer(tx, account_id, offered)


def _offer(device_id: str, name: str, model: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "device_id": device_id,
        "model": model["model"],
        "model_revision": model["revision"],
        "rates": model["rates"],
        "public_name": name,
        "max_context": model["max_context"],
        "auto_eligible": model["auto_eligible"],
        **({"precision": model["precision"]} if "precision" in model else {}),
    }


def find(reader: Reader, account_id: UUID, id: UUID) -> Node:
    """A node of this account. Raises NodeNotFound, also for another account's."""
    return required(store.by_id(reader, id, account_id), NodeNotFound)


def own(reader: Reader, node_id: UUID | None, id: UUID) -> Node:
    """The node that calls, by the id it says it has. Raises NodeNotFound for another's."""
    if id != node_id:
        raise NodeNotFound
    return by_id(reader, id)


def by_id(reader: Reader, node_id: UUID) -> Node:
    """The node, whoever owns it. Raises NodeNotFound: it was deleted meanwhile."""
    return required(store.of_anybody(reader, node_id), NodeNotFound)


def change(tx: Tx, account_id: UUID, id: UUID, changes: Mapping[str, Any]) -> Node:
    """Change `name`, `capabilities` (all of them) or `maintenance`; `paused` False ends a pause.

    Raises NodeNotFound, PauseStands.
    """
    node = _locked(tx, account_id, id)
    if changes.get("paused") is False:
        pauses.end(tx, node)
    name = changes.get("name", node.name)
    capabilities = changes.get("capabilities") or _capabilities(node)
    store.change(
        tx,
        node.id,
        name=name,
        maintenance=changes.get("maintenance", node.maintenance),
        **_columns(capabilities),
    )
    _tell(tx, node.id)
    if "capabilities" in changes:
        _save_offers(tx, account_id, node.id, name, capabilities)
    record_event(tx, "node.changed", ids.public(Noun.NODE, id), account_id, changed=sorted(changes))
    return find(tx, account_id, node.id)


def _capabilities(node: Node) -> dict[str, Any]:
    return {
        "work": node.work,
        "capacity": node.capacity,
        "max_bytes": node.max_bytes,
        **node.options,
    }


def _locked(tx: Tx, account_id: UUID, id: UUID) -> Node:
    if not store.lock(tx, id, account_id):
        raise NodeNotFound
    return find(tx, account_id, id)


def delete(tx: Tx, account_id: UUID, id: UUID) -> None:
    """Its token ends, its offers are taken back; what it still holds goes to others."""
    node = _locked(tx, account_id, id)
    saved_offers.withdraw_offers(tx, account_id, str(node.id))
    store.delete(tx, node.id)
    record_event(tx, "node.revoked", ids.public(Noun.NODE, id), account_id)
    _tell(tx, node.id)
    _forget_after_commit(tx, node.id)


def _tell(tx: Tx, id: UUID) -> None:
    for hear in CHANGED:
        hear(tx, id)


def roll(tx: Tx, account_id: UUID, id: UUID, overlap_hours: int, *, pepper: Pepper) -> NewNode:
    """A new token; the former one works until the overlap ends."""
    node, token = _locked(tx, account_id, id), new_node_token()
    store.roll(tx, node.id, pepper.digest(token), overlap_hours)
    record_event(
        tx, "node.token_rolled", ids.public(Noun.NODE, id), account_id, overlap_hours=overlap_hours
    )
    _forget_after_commit(tx, node.id)
    return NewNode(find(tx, account_id, node.id), token)


def _forget_after_commit(tx: Tx, id: UUID) -> None:
    tx.after_commit.append(partial(authentication.cache.forget, id))


def heard(
    tx: Tx,
    node: Node,
    network: str | None,
    *,
    in_flight: int | None = None,
    serving: Sequence[str] | None = None,
) -> None:
    """It says something of itself, or does something; the latter is written every 10 seconds.

    The offers of one that gets no work become `offline`: nobody would answer.
    """
    if written := store.heard(tx, node.id, network, always=in_flight is not None):
        capacity, seen_at = written
        offer_store.heard_of_device(
            tx,
            node.account_id,
            str(node.id),
            in_flight=in_flight,
            capacity=capacity,
            seen_at=None if node.idle else seen_at,
        )
    if serving is not None:
        offer_store.serve(tx, node.account_id, str(node.id), list(serving))


def seen_recently(reader: Reader, capability: str, seconds: float = 600) -> int:
    """Counts the accounts with a node of this capability heard of lately that may be given work."""
    return len(store.seen_accounts(reader, capability, seconds))


def suspend(tx: Tx, account_id: UUID, reason: str) -> bool:
    """None of its nodes gets work; False when that was so before."""
    record_event(tx, "nodes.suspended", account_id=account_id)
    return pause_store.suspend(tx, account_id, reason)


def resume(tx: Tx, account_id: UUID) -> bool:
    """Its nodes get work again; False when it was not suspended."""
    record_event(tx, "nodes.resumed", account_id=account_id)
    return pause_store.resume(tx, account_id)


def set_stopped(tx: Tx, id: UUID, stopped: bool) -> None:
    """For the operator: a pause without an end, or the end of any. Raises NodeNotFound."""
    act = pauses.stop if stopped else pauses.resume
    if not act(tx, id):
        raise NodeNotFound
    _tell(tx, id)
