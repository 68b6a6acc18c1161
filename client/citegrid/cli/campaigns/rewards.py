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
        raise click.BadParameter(f"{value!r} is no amount") from None


@group("rewards")
def rewards_group() -> None:
    """Preview: what your nodes earned, and why."""


@rewards_group.command("show")
def show(session: Session) -> None:
    """Print what you have of each token, and when the next of it becomes available."""
    with session.client() as client:
        balances = client.rewards.get()
    if session.terminal.as_json:
        session.terminal.json({"rewards": balances})
        return
    if not balances:
        session.terminal.say("Nothing was earned so far.")
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
@click.option("--campaign", "campaign_id", metavar="ID", help="Only of this campaign.")
@limit_option
@cursor_option
def entries(
    session: Session, role: Any, campaign_id: str | None, limit: int, cursor: str | None
) -> None:
    """Print your rewards, newest first, each with what earned it."""
    with session.client() as client:
        page = client.rewards.entries(
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
    session.terminal.page(
        page, ("ID", "AMOUNT", "ROLE", "STATE", "AVAILABLE", "FOR", "WHY"), rows, "rewards entries"
    )


@group("payouts")
def payouts_group() -> None:
    """Preview: have what is available sent to you; needs `citegrid login`."""


@payouts_group.command("request")
@click.argument("token")
@click.argument("amount", callback=_amount)
@click.argument("destination")
@yes_option
def request(session: Session, token: str, amount: Decimal, destination: str, yes: bool) -> None:
    """Request AMOUNT of TOKEN to be sent to DESTINATION, a plain address or reference."""
    session.confirm(f"Request {amount:f} {token} to {destination}?", yes)
    with session.client() as client:
        payout = client.payouts.request(token, amount, destination)
    if session.terminal.as_json:
        session.terminal.json(payout)
        return
    session.terminal.whole(payout.id)
    session.terminal.say("The operator sends it:  citegrid payouts list")


@payouts_group.command("list")
@limit_option
@cursor_option
def list_payouts(session: Session, limit: int, cursor: str | None) -> None:
    """Print your payouts, newest first, and what became of them."""
    with session.client() as client:
        page = client.payouts.list(limit=limit, cursor=cursor)
    names = ("ID", "AMOUNT", "STATUS", "REQUESTED", "REFERENCE OR REASON")
    session.terminal.page(page, names, [_row(payout) for payout in page.items], "payouts list")


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
    """Print one payout."""
    with session.client() as client:
        payout = client.payouts.get(payout_id)
    session.terminal.result(payout, "  ".join(_row(payout)))
