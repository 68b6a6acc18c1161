"""The operator's commands for disputes: deciding what no votes decide."""

import json

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.campaigns.campaigns.disputes import presentation, schemas, service, store
from app.local.commands.operator_command import json_option, operating


@click.group("disputes")
def disputes_group() -> None:
    """Decide disputes by campaign owners and appeals by contributors."""


@disputes_group.command("list")
@json_option
@operating
def list_disputes(as_json: bool) -> None:
    """List open disputes and appeals, oldest first."""
    with db.reading() as reader:
        opened = store.all_open(reader)
    if as_json:
        click.echo(
            json.dumps([schemas.DisputeSchema().dump(presentation.dispute(row)) for row in opened])
        )
        return
    if not opened:
        click.echo("No open disputes.", err=True)
    for row in opened:
        record = ids.public(Noun.CAMPAIGN_RECORD, row.record_id)
        id = ids.public(Noun.DISPUTE, row.id)
        why = " ".join(row.reason.split())
        if row.duplicate_of is not None:
            why = f"duplicate of {ids.public(Noun.CAMPAIGN_RECORD, row.duplicate_of)}: {why}"
        click.echo(f"{id}  {row.kind:<7}  {record}  by {row.ends_at:%Y-%m-%d %H:%M} UTC  {why}")


@disputes_group.command("uphold")
@click.argument("dispute_id")
@operating
def uphold(dispute_id: str) -> None:
    """Uphold a dispute: reverse the decision and its rewards, and update vote statistics."""
    _decide(dispute_id, upheld=True)


@disputes_group.command("refuse")
@click.argument("dispute_id")
@operating
def refuse(dispute_id: str) -> None:
    """Reject a dispute: keep the decision and release its rewards."""
    _decide(dispute_id, upheld=False)


def _decide(dispute_id: str, *, upheld: bool) -> None:
    with db.transaction() as tx:
        decided = service.decide(tx, ids.lookup(Noun.DISPUTE, dispute_id), upheld)
    click.echo(f"{dispute_id}: {decided.state}.")
