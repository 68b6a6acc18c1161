"""`citegrid credits`: what the account may spend, and buying more."""

from pathlib import Path
from typing import Any

import click

from citegrid.cli import payment
from citegrid.cli.command import Session, group, page_options
from citegrid.nouns.account.credits import BoughtCredit


@group("credits")
def credits_group() -> None:
    """Manage your credit for campaigns and chats."""


@credits_group.command("show")
@page_options
def show(session: Session, **paging: Any) -> None:
    """Print your balances and transfers, newest first."""
    credits = session.client.credits.list(**paging)
    for balance in () if session.terminal.as_json else credits.balances:
        session.terminal.text(f"{balance.available:f} {balance.token}")
    rows = [
        (f"{entry.posted_at:%Y-%m-%d %H:%M}", f"{entry.amount:+f}", entry.token, entry.why)
        for entry in credits.entries
    ]
    session.terminal.page(credits, ("TIME", "AMOUNT", "TOKEN", "WHY"), rows)


@credits_group.command("buy")
@click.argument("amount")
@payment.max_amount_option
def buy(session: Session, amount: str, max_amount: str) -> None:
    """Buy AMOUNT of credit with a wallet.

    PAYER_PRIVATE_KEY has its key, PAYER_RPC_URLS its networks.
    """
    _bought(session, payment.credit(session, amount, max_amount))


@credits_group.command("resume")
@click.argument("receipt", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def resume(session: Session, receipt: Path) -> None:
    """Finish a purchase. RECEIPT is the file that `credits buy` named. Nothing is paid again."""
    _bought(session, payment.resumed_credit(session, receipt))


def _bought(session: Session, bought: BoughtCredit) -> None:
    session.terminal.result(bought, f"{bought.amount:f} {bought.token}: {bought.status}")
