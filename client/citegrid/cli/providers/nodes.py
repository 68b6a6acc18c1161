"""`citegrid nodes`: computers of yours that do work for others, as the server knows them."""

from typing import Any

import click

from citegrid.cli.command import Session, group, overlap_option, page_options, yes_option
from citegrid.nouns.providers.nodes import NewNode, Node
from citegrid.nouns.providers.work import ContributedRecord

WORK = ("extraction", "validation", "chat")


@group("nodes")
def nodes_group() -> None:
    """Preview: manage your nodes."""


@nodes_group.command("create")
@click.argument("name")
@click.option(
    "--work",
    multiple=True,
    required=True,
    type=click.Choice(WORK),
    help="Kind of work. Repeatable.",
)
@click.option(
    "--capacity",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Number of parallel work items.",
)
def create(session: Session, name: str, work: tuple[str, ...], capacity: int) -> None:
    """Register a node without models and print its token. `citegrid node run` registers, too."""
    made = session.client.nodes.create(name, {"work": work, "capacity": capacity})
    _new(session, made)


def _new(session: Session, made: NewNode) -> None:
    session.terminal.result(made, f"{made.node.id}\t{made.node_token}", whole=True)


@nodes_group.command("list")
@page_options
def list_nodes(session: Session, **paging: Any) -> None:
    """Print your nodes and their states, newest first."""
    page = session.client.nodes.list(**paging)
    rows = [(each.id, _state(each), ",".join(each.capabilities.work), each.name) for each in page]
    session.terminal.page(page, ("ID", "STATE", "WORK", "NAME"), rows)


def _state(node: Node) -> str:
    if node.paused_reason is not None:
        until = f" until {node.paused_until:%H:%M} UTC" if node.paused_until else ""
        return f"{node.paused_reason}{until}"
    return "maintenance" if node.maintenance else node.availability


@nodes_group.command("show")
@click.argument("node_id")
def show(session: Session, node_id: str) -> None:
    """Print a node, its latest work, and the records it found."""
    node = session.client.nodes.get(node_id)
    work = session.client.work.list(node_id, limit=20)
    if session.terminal.as_json:
        session.terminal.json(node)
        return
    session.terminal.text(f"{node.id} {_state(node)}")
    rows = [(each.id, each.kind, each.state, each.reason or "") for each in work]
    session.terminal.table(("WORK", "KIND", "STATE", "REASON"), rows)
    found = [(each.id, each.state, _why(each)) for turn in work for each in turn.records]
    if found:
        session.terminal.table(("RECORD", "STATE", "REASON"), found)


def _why(record: ContributedRecord) -> str:
    if record.duplicate_of is not None:
        return f"duplicate of {record.duplicate_of}"
    return "; ".join(each["reason"] or each["category"] for each in record.reasons)


@nodes_group.command("maintenance")
@click.argument("node_id")
@click.argument("state", type=click.Choice(["on", "off"]))
def maintenance(session: Session, node_id: str, state: str) -> None:
    """Pause or resume a node. A paused node finishes its open work."""
    _changed(session, node_id, maintenance=state == "on")


@nodes_group.command("unpause")
@click.argument("node_id")
def unpause(session: Session, node_id: str) -> None:
    """End an automatic pause. Allowed once a day."""
    _changed(session, node_id, paused=False)


def _changed(session: Session, node_id: str, **changes: Any) -> None:
    node = session.client.nodes.update(node_id, **changes)
    session.terminal.result(node, f"{node.id} {_state(node)}")


@nodes_group.command("roll")
@click.argument("node_id")
@overlap_option(most=24)
def roll(session: Session, node_id: str, overlap_hours: int) -> None:
    """Print a new token. The previous token works until the overlap ends."""
    made = session.client.nodes.roll(node_id, overlap_hours=overlap_hours)
    _new(session, made)


@nodes_group.command("delete")
@click.argument("node_id")
@yes_option
def delete(session: Session, node_id: str, yes: bool) -> None:
    """Delete a node. Its token stops working and its offers are unpublished."""
    session.confirm(f"Delete {node_id}?", yes)
    session.client.nodes.delete(node_id)
    session.terminal.deleted(node_id)
