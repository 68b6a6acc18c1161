"""The operator's commands for judging: who is suspended, and letting somebody vote again."""

import json
from typing import Any
from uuid import UUID

import click

from app.core import db, ids
from app.core.ids import Noun
from app.domains.account.accounts import service as accounts
from app.domains.account.audit import service as audit
from app.domains.campaigns.reviews import service as reviews
from app.domains.campaigns.reviews.service import Reputation
from app.local.commands.search import operating


@click.group("reviews")
def reviews_group() -> None:
    """Who votes on records, and how well."""


@reviews_group.command("show")
@click.argument("email", required=False)
@click.option("--json", "as_json", is_flag=True)
@operating
def show(_settings: Any, email: str | None, as_json: bool) -> None:
    """What the answers of an account were; without EMAIL, of those that are suspended."""
    with db.transaction() as tx:
        if email is None:
            rows = reviews.suspended(tx)
        else:
            account_id = accounts.by_email(tx, email).id
            rows = [(account_id, reviews.reputation(tx, account_id))]
    if as_json:
        click.echo(json.dumps([_as_json(*row) for row in rows]))
        return
    if not rows:
        click.echo("No account is suspended.", err=True)
    for account_id, reputation in rows:
        click.echo(_line(account_id, reputation))


def _as_json(account_id: UUID, reputation: Reputation) -> dict[str, Any]:
    suspended_at = reputation.suspended_at
    return {
        "account_id": ids.public(Noun.ACCOUNT, account_id),
        "right": reputation.right,
        "wrong": reputation.wrong,
        "gold": reputation.gold,
        "mean": round(reputation.mean, 4),
        "in_probation": reputation.in_probation,
        "suspended_at": suspended_at.isoformat() if suspended_at else None,
    }


def _line(account_id: UUID, reputation: Reputation) -> str:
    state = "in probation" if reputation.in_probation else "counts"
    if reputation.suspended_at is not None:
        state = f"suspended since {reputation.suspended_at:%Y-%m-%d %H:%M}"
    answers = f"{reputation.right} right, {reputation.wrong} wrong, {reputation.gold} of gold"
    return f"{ids.public(Noun.ACCOUNT, account_id)}  {answers}  {reputation.mean:.2f}  {state}"


@reviews_group.command("reinstate")
@click.argument("email")
@operating
def reinstate(_settings: Any, email: str) -> None:
    """Let an account vote again, after you looked at it: its test begins anew."""
    with db.transaction() as tx:
        account_id = accounts.by_email(tx, email).id
        if reinstated := reviews.reinstate(tx, account_id):
            audit.record(tx, "reviewer.reinstated", None, account_id)
    click.echo(f"{email}: {'reinstated' if reinstated else 'was not suspended'}.")
