"""The operator's commands for campaigns: which there are, and what their runs came to."""

import json
from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

import click

from app.core import db, ids
from app.core.amounts import text
from app.core.ids import Noun
from app.domains.campaigns.campaigns import presentation, schemas, service, store
from app.domains.campaigns.campaigns.money.progress import progress_of_many
from app.domains.campaigns.campaigns.runs import run_store
from app.domains.campaigns.campaigns.store import Campaign
from app.local.commands.operator_command import operating

MOST = 200


@click.group("campaigns")
def campaigns_group() -> None:
    """Show campaigns of all accounts."""


@campaigns_group.command("list")
@click.option("--state", type=click.Choice(schemas.STATES), help="Only campaigns in this state.")
@operating
def list_campaigns(state: str | None) -> None:
    """List campaigns, newest first, with funds and spending."""
    rows = [*_every(state)]
    if not rows:
        click.echo(
            f"No campaign is {state.replace('_', ' ')}." if state else "There is no campaign.",
            err=True,
        )
    for campaign, spent in rows:
        click.echo(
            f"{ids.public(Noun.CAMPAIGN, campaign.id)}  {campaign.state:<14}  "
            f"{campaign.token} {text(spent)} of {text(campaign.funded)}  {campaign.body['name']!r}"
        )


def _every(state: str | None) -> Iterator[tuple[Campaign, Decimal]]:
    """With what each has spent."""
    before: UUID | None = None
    while True:
        with db.reading() as reader:
            page = store.page(reader, None, state=state, before=before, most=MOST)
            progress = progress_of_many(reader, page)
        yield from ((campaign, progress[campaign.id].spent) for campaign in page)
        if len(page) < MOST:
            return
        before = page[-1].id


@campaigns_group.command("report")
@click.argument("campaign_id")
@operating
def report(campaign_id: str) -> None:
    """Print a campaign with its balances and run reports as JSON."""
    with db.reading() as reader:
        campaign = service.any_account(reader, ids.lookup(Noun.CAMPAIGN, campaign_id))
        whole = schemas.CampaignOut().dump(presentation.campaign(reader, campaign))
        rows = run_store.page(reader, campaign.id, None, MOST)
    shape = schemas.CampaignRunSchema()
    runs = [shape.dump(presentation.run(row)) for row in rows]
    click.echo(json.dumps({"campaign": whole, "runs": runs}, indent=2, ensure_ascii=False))
