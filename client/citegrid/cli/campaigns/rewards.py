"""`citegrid rewards` and `citegrid payouts`: what your nodes earned, and having it sent."""

from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import click

from citegrid.cli.command import Session, cursor_option, group, limit_option, yes_option
from citegrid.nouns.campaigns.rewards import Payout


def _amount(_ctx: Any, _param: Any, value: str) -> Decimal:
    """A decimal number, exactly as it is written."""
    try:
        return Decimal(value)
    except InvalidOperation:
        raise click.BadParameter(f"{value!r} is not an amount") from None


@group("rewards")
def rewards_group() -> None:
    """Preview: show the rewards of your nodes and models."""


@rewards_group.command("show")
def show(session: Session) -> None:
    """Print your balances per token and the next release of pending rewards."""
    balances = session.client.rewards.get()
    if session.terminal.as_json:
        session.terminal.json({"rewards": balances})
        return
    if not balances:
        session.terminal.say("No rewards yet.")
    rows = [
        (
            each.token,
            f"{each.pending:f}",
            f"{each.frozen:f}",
            f"{each.available:f}",
            f"{each.payable:f}",
            f"{each.paid:f}",
            _moment(each.next_available_at),
        )
        for each in balances
    ]
    names = ("TOKEN", "PENDING", "FROZEN", "AVAILABLE", "PAYABLE", "PAID", "NEXT AVAILABLE")
    session.terminal.table(names, rows)


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else "-"


@rewards_group.command("entries")
@click.option("--role", type=click.Choice(["contributor", "validator", "provider"]))
@click.option("--campaign", "campaign_id", metavar="ID", help="Filter by campaign.")
@limit_option
@cursor_option
def entries(
    session: Session, role: Any, campaign_id: str | None, limit: int, cursor: str | None
) -> None:
    """Print your rewards and their reasons, newest first."""
    page = session.client.rewards.entries(
        role=role, campaign_id=campaign_id, limit=limit, cursor=cursor
    )
    rows = [
        (
            each.id,
            f"{each.amount:f} {each.token}",
            each.role,
            each.state,
            _moment(each.available_at),
            each.record_id or each.chat_id or "-",
            each.why,
        )
        for each in page.items
    ]
    session.terminal.page(page, ("ID", "AMOUNT", "ROLE", "STATE", "AVAILABLE", "FOR", "WHY"), rows)


@group("payouts")
def payouts_group() -> None:
    """Preview: request payouts of available rewards. Requires `citegrid login`."""


@payouts_group.command("request")
@click.argument("token")
@click.argument("amount", callback=_amount)
@click.argument("destination")
@yes_option
def request(session: Session, token: str, amount: Decimal, destination: str, yes: bool) -> None:
    """Request a payout of AMOUNT TOKEN to DESTINATION, such as an address or account number."""
    session.confirm(f"Request a payout of {amount:f} {token} to {destination}?", yes)
    payout = session.client.payouts.request(token, amount, destination)
    if session.terminal.as_json:
        session.terminal.json(payout)
        return
    session.terminal.whole(payout.id)
    session.terminal.suggest("citegrid payouts list", "The operator sends payouts. Track them with")


@payouts_group.command("list")
@limit_option
@cursor_option
def list_payouts(session: Session, limit: int, cursor: str | None) -> None:
    """Print your payouts and their states, newest first."""
    page = session.client.payouts.list(limit=limit, cursor=cursor)
    names = ("ID", "AMOUNT", "STATUS", "REQUESTED", "REFERENCE OR REASON")
    session.terminal.page(page, names, [_row(payout) for payout in page.items])


def _row(payout: Payout) -> tuple[str, ...]:
    return (
        payout.id,
        f"{payout.amount:f} {payout.token}",
        payout.status,
        _moment(payout.created_at),
        payout.reference or payout.reason or "-",
    )


@payouts_group.command("show")
@click.argument("payout_id")
def show_payout(session: Session, payout_id: str) -> None:
    """Print a payout."""
    payout = session.client.payouts.get(payout_id)
    session.terminal.result(payout, "  ".join(_row(payout)))
