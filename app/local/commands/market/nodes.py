"""The operator's commands for nodes: who may work, and who may not for now."""

from collections.abc import Iterator
from uuid import UUID

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts import store as accounts
from app.domains.account.accounts.service import account_by_id
from app.domains.providers.nodes import pauses, store
from app.domains.providers.nodes import service as nodes
from app.domains.providers.nodes.service import NodeNotFound
from app.domains.providers.nodes.store import Node
from app.domains.providers.work.service import outcome_counts
from app.local.commands.operator_command import operating

MOST = 200


@click.group("nodes")
def nodes_group() -> None:
    """Manage nodes."""


@nodes_group.command("list")
@click.option("--waiting", is_flag=True, help="Only nodes that wait for approval.")
@operating
def list_nodes(waiting: bool) -> None:
    """List nodes, newest first, with account, capabilities and state."""
    nodes = [*_every(waiting)]
    with db.reading() as reader:
        emails = accounts.emails(reader, [node.account_id for node in nodes])
    if not nodes:
        text = "No nodes wait for approval." if waiting else "No nodes are registered."
        click.echo(text, err=True)
    for node in nodes:
        seen = "never" if node.seen_at is None else node.seen_at.isoformat(timespec="seconds")
        facts = (
            ids.public(Noun.NODE, node.id),
            emails[node.account_id],
            ",".join(node.work),
            f"capacity {node.capacity}",
            f"seen {seen}",
            _standing(node),
            node.name,
        )
        click.echo("  ".join(facts))


def _every(waiting: bool) -> Iterator[Node]:
    before: UUID | None = None
    while True:
        with db.reading() as reader:
            page = store.of_everybody(reader, before, MOST)
        yield from (node for node in page if not waiting or node.admitted_at is None)
        if len(page) < MOST:
            return
        before = page[-1].id


def _standing(node: Node) -> str:
    if node.paused_reason is not None:
        until = f" until {node.paused_until:%Y-%m-%d %H:%M}Z" if node.paused_until else ""
        return f"{node.paused_reason}{until}"
    if node.maintenance:
        return "maintenance"
    return "offline" if node.silent else "working"


@nodes_group.command("show")
@click.argument("node_id")
@operating
def show(node_id: str) -> None:
    """Show a node and the outcomes of its last 50 work items."""
    with db.reading() as reader:
        node = nodes.by_id(reader, ids.lookup(Noun.NODE, node_id))
        outcomes = outcome_counts(reader, node.id)
        owner = account_by_id(reader, node.account_id)
    ended = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    click.echo(f"{node_id}  {node.name}")
    click.echo(f"owner       {owner.email}")
    click.echo(f"can do      {', '.join(node.work)}; capacity {node.capacity}")
    click.echo(f"standing    {_standing(node)}")
    click.echo(f"last items  {ended or 'none'}")


@nodes_group.command("approve")
@click.argument("node_ids", nargs=-1, required=True)
@operating
def approve(node_ids: tuple[str, ...]) -> None:
    """Approve nodes. Their work is judged from the first answer."""
    with db.transaction() as tx:
        for node_id in node_ids:
            if not pauses.approve(tx, ids.lookup(Noun.NODE, node_id)):
                raise NodeNotFound
    click.echo(f"Approved: {len(node_ids)}.")


@nodes_group.command("pause")
@click.argument("node_id")
@operating
def pause(node_id: str) -> None:
    """Pause a node until you resume it. It can finish its open work."""
    with db.transaction() as tx:
        nodes.set_stopped(tx, ids.lookup(Noun.NODE, node_id), True)
    click.echo("Paused.")


@nodes_group.command("resume")
@click.argument("node_id")
@operating
def resume(node_id: str) -> None:
    """Resume a paused node."""
    with db.transaction() as tx:
        nodes.set_stopped(tx, ids.lookup(Noun.NODE, node_id), False)
    click.echo("Resumed.")
