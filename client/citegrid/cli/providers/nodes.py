"""`citegrid nodes`: computers of yours that do work for others, as the server knows them."""

from typing import Any

import click

from citegrid.cli.command import Session, cursor_option, group, limit_option, yes_option
from citegrid.nouns.providers.nodes import NewNode, Node

WORK = ("extraction", "validation", "chat")


@group("nodes")
def nodes_group() -> None:
    """Preview: computers of yours that do work for others."""


@nodes_group.command("create")
@click.argument("name")
@click.option("--work", "work", multiple=True, required=True, type=click.Choice(WORK))
@click.option("--capacity", type=click.IntRange(1, 64), default=1, show_default=True)
def create(session: Session, name: str, work: tuple[str, ...], capacity: int) -> None:
    """Register a node without models; its token is printed once. `citegrid node run` does both."""
    with session.client() as client:
        made = client.nodes.create(name, {"work": work, "capacity": capacity})
    _new(session, made)


def _new(session: Session, made: NewNode) -> None:
    session.terminal.result(made, f"{made.node.id}\t{made.node_token}", whole=True)


@nodes_group.command("list")
@limit_option
@cursor_option
def list_nodes(session: Session, limit: int, cursor: str | None) -> None:
    """Print your nodes, newest first, and why they get no work if so."""
    with session.client() as client:
        page = client.nodes.list(limit=limit, cursor=cursor)
    rows = [(each.id, _state(each), ",".join(each.capabilities.work), each.name) for each in page]
    session.terminal.page(page, ("ID", "STATE", "WORK", "NAME"), rows, "nodes list")


def _state(node: Node) -> str:
    if node.paused_reason is not None:
        until = f" until {node.paused_until:%H:%M}" if node.paused_until else ""
        return f"{node.paused_reason}{until}"
    return "maintenance" if node.maintenance else node.availability


@nodes_group.command("show")
@click.argument("node_id")
def show(session: Session, node_id: str) -> None:
    """Print a node and what it was given last."""
    with session.client() as client:
        node = client.nodes.get(node_id)
        work = client.work.list(node_id, limit=20)
    if session.terminal.as_json:
        session.terminal.json(node)
        return
    session.terminal.text(f"{node.id} {_state(node)}")
    rows = [(each.id, each.kind, each.state, each.reason or "") for each in work]
    session.terminal.table(("WORK", "KIND", "STATE", "REASON"), rows)


@nodes_group.command("maintenance")
@click.argument("node_id")
@click.argument("state", type=click.Choice(["on", "off"]))
def maintenance(session: Session, node_id: str, state: str) -> None:
    """Give a node nothing new, or work again; what it has it may finish."""
    _changed(session, node_id, maintenance=state == "on")


@nodes_group.command("unpause")
@click.argument("node_id")
def unpause(session: Session, node_id: str) -> None:
    """End a pause, once a day."""
    _changed(session, node_id, paused=False)


def _changed(session: Session, node_id: str, **changes: Any) -> None:
    with session.client() as client:
        node = client.nodes.update(node_id, **changes)
    session.terminal.result(node, f"{node.id} {_state(node)}")


@nodes_group.command("roll")
@click.argument("node_id")
@click.option("--overlap-hours", type=click.IntRange(0, 24), default=24, show_default=True)
def roll(session: Session, node_id: str, overlap_hours: int) -> None:
    """Print a new token; the former one works until the overlap ends."""
    with session.client() as client:
        made = client.nodes.roll(node_id, overlap_hours=overlap_hours)
    _new(session, made)


@nodes_group.command("delete")
@click.argument("node_id")
@yes_option
def delete(session: Session, node_id: str, yes: bool) -> None:
    """Remove a node: its token ends, its offers are taken back."""
    session.confirm(f"Remove {node_id}?", yes)
    with session.client() as client:
        client.nodes.delete(node_id)
