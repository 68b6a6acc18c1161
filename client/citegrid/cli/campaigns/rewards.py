"""`citegrid rewards`, `payouts`, `reputation`: what nodes earned, and how often they were right."""

from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import click

from citegrid.cli.command import Session, command, group, page_options, yes_option
from citegrid.nouns.campaigns.rewards import Payout, Reputation


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
    session.terminal.listing({"rewards": balances}, names, rows)


def _moment(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M}" if at else "-"


@rewards_group.command("entries")
@click.option(
    "--role",
    type=click.Choice(["contributor", "validator", "provider"]),
    help="Only rewards of this role.",
)
@click.option("--campaign", "campaign_id", metavar="ID", help="Filter by campaign.")
@page_options
def entries(session: Session, role: Any, campaign_id: str | None, **paging: Any) -> None:
    """Print your rewards and their reasons, newest first."""
    page = session.client.rewards.entries(role=role, campaign_id=campaign_id, **paging)
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
    session.terminal.result(payout, payout.id, whole=True)
    session.terminal.suggest("citegrid payouts list", "The operator sends payouts. Track them with")


@payouts_group.command("list")
@page_options
def list_payouts(session: Session, **paging: Any) -> None:
    """Print your payouts and their states, newest first."""
    page = session.client.payouts.list(**paging)
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


@command("reputation")
def reputation(session: Session) -> None:
    """Preview: print the accuracy of your nodes' votes and whether they count."""
    known = session.client.reputation.get()
    names = ("RIGHT", "WRONG", "MEAN", "90 %", "STATE")
    low, high = known.interval_90
    row = (
        str(known.right),
        str(known.wrong),
        f"{known.mean:.2f}",
        f"{low:.2f} to {high:.2f}",
        _standing(known),
    )
    session.terminal.listing(known, names, [row])


def _standing(known: Reputation) -> str:
    if known.suspended_at is not None:
        return f"suspended since {known.suspended_at:%Y-%m-%d %H:%M} UTC"
    return "in probation" if known.in_probation else "counts"
