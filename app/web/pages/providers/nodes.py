"""Your own computers that do work; and, for operators, those that wait to be let in."""

from typing import Any, Final

from flask import Blueprint, redirect, request
from werkzeug.wrappers import Response

from app.core import db, ids
from app.core.errors import Invalid, NotFound
from app.core.http.access import operator_only, signed_in
from app.core.ids import Noun
from app.domains.account.accounts.service import account_by_id
from app.domains.providers.nodes import pauses
from app.domains.providers.nodes import store as node_store
from app.domains.providers.nodes.service import NodeNotFound, TooManyNodes
from app.domains.providers.work import turn_store
from app.domains.providers.work.service import outcome_counts
from app.web.frame.operations import call
from app.web.frame.public_pages import address
from app.web.frame.rendering import render
from app.web.frame.sent_forms import shown_again, whole
from app.web.pages.providers import node_forms

bp = Blueprint("node_pages", __name__)

MOST_WAITING: Final = 200


@bp.get("/nodes")
@signed_in
def index() -> Response:
    envelope = call("listNodes", query={"cursor": request.args.get("cursor")})
    with db.reading() as reader:
        loads = turn_store.count_held(
            reader, [ids.lookup(Noun.NODE, node["id"]) for node in envelope["nodes"]]
        )
        waiting = node_store.awaiting_approval(reader)
    return render(
        "nodes/list.html",
        live="rows",
        envelope=envelope,
        loads={ids.public(Noun.NODE, id): count for id, count in loads.items()},
        rewards=call("showRewards")["rewards"],
        waiting=waiting,
        base_url=address(""),
    )


@bp.get("/nodes/new")
@signed_in
def new(errors: Invalid | None = None) -> Response:
    return render("nodes/new.html", errors=errors)


@bp.post("/nodes")
@signed_in
@shown_again(new, {TooManyNodes: "name"}, told=node_forms.at_fields)
def create() -> Response:
    """Register it. The answer is the one page that shows its token."""
    made = call("createNode", node_forms.body(request.form), once=request.form.get("key"))
    return _with_token(made, new=True)


def _with_token(made: dict[str, Any], *, new: bool) -> Response:
    return render(
        "nodes/token.html",
        node=made["node"],
        token=made["node_token"],
        commands=node_forms.commands(made["node"], address("")),
        new=new,
        status=201,
    )


@bp.get("/nodes/<string:node_id>")
@signed_in
def show(node_id: str, errors: Invalid | None = None) -> Response:
    node = call("getNode", node_id=node_id)["node"]
    turns = call("listNodeWork", node_id=node_id, query={"cursor": request.args.get("cursor")})
    with db.reading() as reader:
        outcomes = outcome_counts(reader, ids.lookup(Noun.NODE, node_id))
        load = turn_store.count_held(reader, [ids.lookup(Noun.NODE, node_id)])
    return render(
        "nodes/show.html",
        path=f"/nodes/{node_id}",
        live="state",
        errors=errors,
        node=node,
        turns=turns,
        outcomes=outcomes,
        load=sum(load.values()),
    )


@bp.get("/nodes/<string:node_id>/heartbeat")
@signed_in
def heartbeat(node_id: str) -> Response:
    """The first heartbeat of a node; the page asks for it until it has come."""
    node = call("getNode", node_id=node_id)["node"]
    seen = node["seen_at"] is not None
    return render("nodes/heartbeat.html", live="heartbeat", final=seen, node=node)


CHANGES: Final[dict[str, dict[str, Any]]] = {
    "pause": {"maintenance": True},
    "resume": {"maintenance": False},
    "end-pause": {"paused": False},
}


@bp.post("/nodes/<string:node_id>/<string:change>")
@signed_in
def change(node_id: str, change: str) -> Response:
    """Pause it, let it go on, or end a pause that its behaviour led to."""
    if change not in CHANGES:
        raise NotFound
    call("updateNode", CHANGES[change], node_id=node_id)
    return redirect(f"/nodes/{node_id}", 303)


@bp.post("/nodes/<string:node_id>/name")
@signed_in
@shown_again(show)
def rename(node_id: str) -> Response:
    call("updateNode", {"name": request.form.get("name", "")}, node_id=node_id)
    return redirect(f"/nodes/{node_id}", 303)


@bp.post("/nodes/<string:node_id>/roll")
@signed_in
def roll(node_id: str) -> Response:
    body = {"overlap_hours": whole(request.form.get("overlap_hours", ""))}
    made = call("rollNodeToken", body, node_id=node_id, once=request.form.get("key"))
    return _with_token(made, new=False)


@bp.post("/nodes/<string:node_id>/delete")
@signed_in
def delete(node_id: str) -> Response:
    call("deleteNode", node_id=node_id)
    return redirect("/nodes?deleted=1", 303)


@bp.get("/nodes/waiting")
@operator_only
def waiting() -> Response:
    """Everybody's nodes that nobody has approved, the longest wait first."""
    with db.reading() as reader:
        rows = node_store.waiting(reader, MOST_WAITING)
        owners = {row.account_id: account_by_id(reader, row.account_id).email for row in rows}
        total = node_store.awaiting_approval(reader)
    return render(
        "nodes/waiting.html",
        nodes=[(ids.public(Noun.NODE, row.id), row, owners[row.account_id]) for row in rows],
        total=total,
    )


@bp.post("/nodes/waiting")
@operator_only
def approve() -> Response:
    """All that are ticked, or none."""
    chosen = request.form.getlist("node")
    if not chosen:
        raise Invalid.at("/node", "Select the nodes to approve.")
    with db.transaction() as tx:
        for node_id in chosen:
            if not pauses.approve(tx, ids.lookup(Noun.NODE, node_id)):
                raise NodeNotFound
    return redirect(f"/nodes/waiting?approved={len(chosen)}", 303)
