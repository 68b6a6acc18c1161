"""/v1/nodes: registering nodes, changing them, and their heartbeats."""

from typing import Any
from uuid import UUID

from flask import request

from app.core import db
from app.core.http import Blueprint, caller, current_settings, node_only, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.providers.nodes import networks, presentation, schemas, service, store
from app.domains.providers.nodes.pauses import PauseStands
from app.domains.providers.nodes.service import NodeNotFound

nodes = Blueprint(
    "nodes",
    __name__,
    url_prefix="/v1/nodes",
    description="Your nodes, which do extraction, validation and chat work for others.",
    preview=True,
)


@nodes.get("", operation="listNodes")
@scoped("nodes")
@nodes.arguments(PageIn, location="query")
@nodes.response(200, schemas.NodesOut)
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """List your nodes, newest first, without tokens."""
    with db.reading() as reader:
        rows = store.page(reader, caller().account_id, wanted.get("cursor"), wanted["limit"] + 1)
    return page("nodes", rows, wanted["limit"], presentation.node)


@nodes.post("", operation="createNode")
@scoped("nodes")
@raises(service.TooManyNodes)
@nodes.arguments(schemas.NodeIn)
@nodes.response(201, schemas.NewNodeOut)
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Register a node. Only this response contains its token. Each model becomes an unpublished
    offer.

    If the operator approves nodes, the node gets no work while `awaiting_approval`.
    """
    settings = current_settings()

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.create(
            tx,
            caller().account_id,
            body["name"],
            body["capabilities"],
            admitted=settings.nodes_admission == "open",
            pepper=Pepper.of(settings),
        )
        return presentation.new(made)

    return once(body, make, schemas.NewNodeOut)


@nodes.get("/<node:node_id>", operation="getNode")
@scoped("nodes")
@raises(NodeNotFound)
@nodes.response(200, schemas.NodeOut)
def show(node_id: UUID) -> dict[str, Any]:
    """Get a node with its capabilities, last heartbeat and pause reason."""
    with db.reading() as reader:
        return {"node": presentation.node(service.find(reader, caller().account_id, node_id))}


@nodes.patch("/<node:node_id>", operation="updateNode")
@scoped("nodes")
@raises(NodeNotFound, PauseStands)
@nodes.arguments(schemas.NodeChangeSchema)
@nodes.response(200, schemas.NodeOut)
def update(body: dict[str, Any], node_id: UUID) -> dict[str, Any]:
    """Change the name, capabilities or maintenance state, or end a pause.

    A new rate creates a pricing revision of the offer. Offers of removed models are unpublished.
    """
    with db.transaction() as tx:
        changed = service.change(tx, caller().account_id, node_id, body)
    return {"node": presentation.node(changed)}


@nodes.delete("/<node:node_id>", operation="deleteNode")
@scoped("nodes")
@raises(NodeNotFound)
@nodes.response(204)
def delete(node_id: UUID) -> None:
    """Delete a node. Revokes its token, unpublishes its offers and reassigns its work."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, node_id)


@nodes.post("/<node:node_id>/roll", operation="rollNodeToken")
@scoped("nodes")
@raises(NodeNotFound)
@nodes.arguments(schemas.RollNodeIn)
@nodes.response(201, schemas.NewNodeOut)
def roll(body: dict[str, Any], node_id: UUID) -> dict[str, Any]:
    """Create a new token. Only this response contains it. The previous token works until the
    overlap ends.
    """
    pepper = Pepper.of(current_settings())

    def make(tx: db.Tx) -> dict[str, Any]:
        hours = body["overlap_hours"]
        return presentation.new(
            service.roll(tx, caller().account_id, node_id, hours, pepper=pepper)
        )

    return once(body, make, schemas.NewNodeOut)


@nodes.post("/<node:node_id>/heartbeat", operation="sendNodeHeartbeat")
@node_only
@raises(NodeNotFound)
@nodes.arguments(schemas.HeartbeatIn)
@nodes.response(200, schemas.HeartbeatOut)
def heartbeat(body: dict[str, Any], node_id: UUID) -> RowView:
    """Send a heartbeat. Does not renew leases. The response contains the time of the next
    heartbeat.
    """
    network = networks.public_network(request.remote_addr or "")
    with db.transaction() as tx:
        node = service.own(tx, caller().node_id, node_id)
        service.heard(tx, node, network, in_flight=body["in_flight"], serving=body.get("serving"))
    return presentation.heartbeat(node)
