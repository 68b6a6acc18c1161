"""The operator's commands for rewards: payouts to settle, and judging that was frozen."""

import json

import click

from app.core import db, ids
from app.core.amounts import text
from app.core.http.names import name
from app.core.ids import Noun
from app.domains.account.accounts import store as accounts
from app.domains.account.accounts.service import account_by_email
from app.domains.account.audit.service import record_event
from app.domains.campaigns.rewards import payout_store, payouts, presentation, schemas
from app.domains.campaigns.rewards.service import thaw_account
from app.local.commands.operator_command import json_option, operating


@click.group("payouts")
def payouts_group() -> None:
    """Manage payout requests. You send the payouts and record them here."""


@payouts_group.command("list")
@json_option
@operating
def list_payouts(as_json: bool) -> None:
    """List open payouts with accounts and destinations, oldest first."""
    with db.reading() as reader:
        requested = payout_store.requested(reader)
        emails = accounts.emails(reader, [row.account_id for row in requested])
    if as_json:
        rows = [schemas.PayoutSchema().dump(presentation.payout(row)) for row in requested]
        click.echo(json.dumps(rows))
        return
    if not requested:
        click.echo("No open payouts.", err=True)
    for row in requested:
        id, email = ids.public(Noun.PAYOUT, row.id), emails[row.account_id]
        amount = f"{text(row.amount)} {row.token}"
        click.echo(f"{id}  {amount:>16}  {email}  {row.destination}")


@payouts_group.command("settle")
@click.argument("payout_id")
@click.option(
    "--reference", required=True, help="Reference of your transfer, visible to the account."
)
@operating
def settle(payout_id: str, reference: str) -> None:
    """Record a payout as sent."""
    with db.transaction() as tx:
        payout = payouts.settle_payout(
            tx, ids.lookup(Noun.PAYOUT, payout_id), _sentence(reference, "--reference")
        )
    click.echo(f"{payout_id}: {text(payout.amount)} {payout.token} settled.")


@payouts_group.command("refuse")
@click.argument("payout_id")
@click.option("--reason", required=True, help="Reason, visible to the account.")
@operating
def refuse(payout_id: str, reason: str) -> None:
    """Reject a payout and return the amount to the account."""
    with db.transaction() as tx:
        payout = payouts.refuse_payout(
            tx, ids.lookup(Noun.PAYOUT, payout_id), _sentence(reason, "--reason")
        )
    click.echo(f"{payout_id}: {text(payout.amount)} {payout.token} refused.")


def _sentence(given: str, option: str) -> str:
    """Text that the account can read in one line. Raises click.BadParameter."""
    try:
        return name(given, 200)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint=option) from None


@click.group("rewards")
def rewards_group() -> None:
    """Manage rewards of accounts."""


@rewards_group.command("thaw")
@click.argument("email")
@operating
def thaw(email: str) -> None:
    """Release the frozen voting rewards of an account after a review."""
    with db.transaction() as tx:
        account_id = account_by_email(tx, email).id
        if thawed := thaw_account(tx, account_id):
            record_event(tx, "rewards.thawed", None, account_id)
    click.echo(f"{email}: {'thawed' if thawed else 'was not frozen'}.")
