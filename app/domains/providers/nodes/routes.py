"""/v1/nodes: registering nodes, changing them, and their heartbeats."""

from typing import Any

from flask import current_app, request

from app.core import db
from app.core.config.settings import Settings
from app.core.http import Blueprint, caller, node_only, raises, scoped
from app.core.http.fields import RowView
from app.core.http.idempotency import once
from app.core.http.pagination import PageIn, page
from app.domains.account.accounts.sign_in.credentials import Pepper
from app.domains.providers.nodes import networks, presentation, schemas, service
from app.domains.providers.nodes.pauses import PauseStands
from app.domains.providers.nodes.service import NodeNotFound

bp = Blueprint(
    "nodes",
    __name__,
    url_prefix="/v1/nodes",
    description="Your own computers that do work for others: extraction, validation, chat.",
    preview=True,
)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["settings"]
    return settings


@bp.get("")
@scoped("nodes")
@bp.arguments(PageIn, location="query")
@bp.response(200, schemas.NodesOut)
@bp.doc(operationId="listNodes")
def index(wanted: dict[str, Any]) -> dict[str, Any]:
    """Your nodes, newest first; never their tokens."""
    with db.reading() as reader:
        rows = service.recent(reader, caller().account_id, wanted.get("cursor"), wanted["limit"])
    return page("nodes", rows, wanted["limit"], presentation.node)


@bp.post("")
@scoped("nodes")
@raises(service.TooManyNodes)
@bp.arguments(schemas.NodeIn)
@bp.response(201, schemas.NewNodeOut)
@bp.doc(operationId="createNode")
def create(body: dict[str, Any]) -> dict[str, Any]:
    """Register a node; its token is in this answer only. Each model becomes an unpublished offer.

    Where the operator approves nodes it gets no work before that: `awaiting_approval`.
    """
    settings = _settings()

    def make(tx: db.Tx) -> dict[str, Any]:
        made = service.create(
            tx,
            caller().account_id,
            body["name"],
            body["capabilities"],
            admitted=settings.nodes_admission == "open",
            pepper=Pepper.of(settings),
        )
        return _plain(presentation.new(made))

    return once(body, make)


def _plain(made: dict[str, Any]) -> dict[str, Any]:
    """In JSON's types."""
    dumped: dict[str, Any] = schemas.NewNodeOut().dump(made)
    return dumped


@bp.get("/<string:node_id>")
@scoped("nodes")
@raises(NodeNotFound)
@bp.response(200, schemas.NodeOut)
@bp.doc(operationId="getNode")
def show(node_id: str) -> dict[str, Any]:
    """A node: what it can do, when it was last heard of, and why it gets no work if so."""
    with db.reading() as reader:
        return {"node": presentation.node(service.find(reader, caller().account_id, node_id))}


@bp.patch("/<string:node_id>")
@scoped("nodes")
@raises(NodeNotFound, PauseStands)
@bp.arguments(schemas.NodeChangeSchema)
@bp.response(200, schemas.NodeOut)
@bp.doc(operationId="updateNode")
def update(body: dict[str, Any], node_id: str) -> dict[str, Any]:
    """Change the name or all capabilities, begin or end maintenance, end a pause.

    Another rate of a model is the next pricing revision of its offer; the offer of a model that is
    named no more is taken back.
    """
    with db.transaction() as tx:
        changed = service.change(tx, caller().account_id, node_id, body)
    return {"node": presentation.node(changed)}


@bp.delete("/<string:node_id>")
@scoped("nodes")
@raises(NodeNotFound)
@bp.response(204)
@bp.doc(operationId="deleteNode")
def delete(node_id: str) -> None:
    """Remove a node: its token ends, its offers are taken back, its work goes to others."""
    with db.transaction() as tx:
        service.delete(tx, caller().account_id, node_id)


@bp.post("/<string:node_id>/roll")
@scoped("nodes")
@raises(NodeNotFound)
@bp.arguments(schemas.RollNodeIn)
@bp.response(201, schemas.NewNodeOut)
@bp.doc(operationId="rollNodeToken")
def roll(body: dict[str, Any], node_id: str) -> dict[str, Any]:
    """A new token, in this answer only; the former one works until the overlap ends."""
    pepper = Pepper.of(_settings())

    def make(tx: db.Tx) -> dict[str, Any]:
        hours = body["overlap_hours"]
        return _plain(
            presentation.new(service.roll(tx, caller().account_id, node_id, hours, pepper=pepper))
        )

    return once(body, make)


@bp.post("/<string:node_id>/heartbeat")
@node_only
@raises(NodeNotFound)
@bp.arguments(schemas.HeartbeatIn)
@bp.response(200, schemas.HeartbeatOut)
@bp.doc(operationId="sendNodeHeartbeat")
def heartbeat(body: dict[str, Any], node_id: str) -> RowView:
    """Say that the node is there. It renews no lease; the answer says when to send the next."""
    network = networks.public_network(request.remote_addr or "")
    with db.transaction() as tx:
        node = service.own(tx, caller().node_id, node_id)
        service.heard(tx, node, network, in_flight=body["in_flight"], serving=body.get("serving"))
    return presentation.heartbeat(node)
