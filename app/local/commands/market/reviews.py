"""The operator's commands for judging: whom to trust, who is suspended, who may vote again."""

import json
from typing import Any
from uuid import UUID

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts import store as accounts
from app.domains.account.accounts.service import account_by_email
from app.domains.account.audit.service import record_event
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.service import Reputation
from app.local.commands.operator_command import json_option, operating


@click.group("reviews")
def reviews_group() -> None:
    """Show voting records; trust or reinstate accounts that vote."""


@reviews_group.command("show")
@click.argument("email", required=False)
@json_option
@operating
def show(email: str | None, as_json: bool) -> None:
    """Show the voting record of an account, or of all suspended accounts."""
    with db.transaction() as tx:
        if email is None:
            rows = reviews.suspended(tx)
        else:
            account_id = account_by_email(tx, email).id
            rows = [(account_id, reviews.reputation(tx, account_id))]
        emails = accounts.emails(tx, [id for id, _ in rows])
    if as_json:
        click.echo(json.dumps([_as_json(*row) for row in rows]))
        return
    if not rows:
        click.echo("No suspended accounts.", err=True)
    for account_id, reputation in rows:
        click.echo(f"{emails[account_id]}  {_line(reputation)}")


def _as_json(account_id: UUID, reputation: Reputation) -> dict[str, Any]:
    suspended_at = reputation.suspended_at
    return {
        "account_id": ids.public(Noun.ACCOUNT, account_id),
        "right": reputation.right,
        "wrong": reputation.wrong,
        "gold": reputation.gold,
        "mean": round(reputation.mean, 4),
        "accepted_records": reputation.accepted_records,
        "rejected_records": reputation.rejected_records,
        "in_probation": reputation.in_probation,
        "trusted_at": reputation.vouched_at.isoformat() if reputation.vouched_at else None,
        "suspended_at": suspended_at.isoformat() if suspended_at else None,
    }


def _line(reputation: Reputation) -> str:
    state = "in probation" if reputation.in_probation else "counts"
    if reputation.vouched_at is not None:
        state = f"trusted since {reputation.vouched_at:%Y-%m-%d %H:%M} UTC"
    if reputation.suspended_at is not None:
        state = f"suspended since {reputation.suspended_at:%Y-%m-%d %H:%M} UTC"
    answers = (
        f"{reputation.right} right, {reputation.wrong} wrong, {reputation.gold} on test records"
    )
    return f"{answers}  {reputation.mean:.2f}  {state}"


@reviews_group.command("trust")
@click.argument("email")
@operating
def trust(email: str) -> None:
    """Let the votes of an account you know count immediately. They are still tested."""
    with db.transaction() as tx:
        changed = reviews.vouch(tx, account_by_email(tx, email).id, vouched=True)
    click.echo(f"{email}: {'trusted' if changed else 'was trusted already'}.")


@reviews_group.command("distrust")
@click.argument("email")
@operating
def distrust(email: str) -> None:
    """Undo `trust`: the votes count after twelve test answers."""
    with db.transaction() as tx:
        changed = reviews.vouch(tx, account_by_email(tx, email).id, vouched=False)
    click.echo(f"{email}: {'no longer trusted' if changed else 'was not trusted'}.")


@reviews_group.command("reinstate")
@click.argument("email")
@operating
def reinstate(email: str) -> None:
    """Reinstate a suspended account after a review. Its test votes start again."""
    with db.transaction() as tx:
        account_id = account_by_email(tx, email).id
        if reinstated := reviews.reinstate(tx, account_id):
            record_event(tx, "reviewer.reinstated", None, account_id)
    click.echo(f"{email}: {'reinstated' if reinstated else 'was not suspended'}.")
