"""The operator's commands for disputes: deciding what no votes decide."""

import json
from typing import Any

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.campaigns.campaigns.disputes import presentation as presenting
from app.domains.campaigns.campaigns.disputes import schemas, service, store
from app.local.commands.search import operating

MOST_LISTED = 1_000


@click.group("disputes")
def disputes_group() -> None:
    """Disputes of records by who paid for them, appeals by who made them."""


@disputes_group.command("list")
@click.option("--json", "as_json", is_flag=True)
@operating
def list_disputes(_settings: Any, as_json: bool) -> None:
    """Those that are open, oldest first."""
    with db.reading() as reader:
        opened = store.all_open(reader, MOST_LISTED)
    if as_json:
        click.echo(
            json.dumps([schemas.DisputeSchema().dump(presenting.dispute(row)) for row in opened])
        )
        return
    if not opened:
        click.echo("No dispute is open.", err=True)
    for row in opened:
        record = ids.public(Noun.CAMPAIGN_RECORD, row.record_id)
        id = ids.public(Noun.DISPUTE, row.id)
        why = " ".join(row.reason.split())
        click.echo(f"{id}  {row.kind:<7}  {record}  by {row.ends_at:%Y-%m-%d %H:%M}  {why}")


@disputes_group.command("uphold")
@click.argument("dispute_id")
@operating
def uphold(_settings: Any, dispute_id: str) -> None:
    """The decision was wrong: it is turned round, with the money, and votes learn from it."""
    _decide(dispute_id, upheld=True)


@disputes_group.command("refuse")
@click.argument("dispute_id")
@operating
def refuse(_settings: Any, dispute_id: str) -> None:
    """The decision stands, and what it paid becomes available."""
    _decide(dispute_id, upheld=False)


def _decide(dispute_id: str, *, upheld: bool) -> None:
    with db.transaction() as tx:
        decided = service.decide(tx, dispute_id, upheld)
    click.echo(f"{dispute_id}: {decided.state}.")
