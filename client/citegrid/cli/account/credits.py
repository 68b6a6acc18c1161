"""`citegrid credits`: what the account may spend, and buying more."""

from pathlib import Path

import click

from citegrid.cli import payment
from citegrid.cli.command import Session, cursor_option, group
from citegrid.nouns.account.credits import BoughtCredit


@group("credits")
def credits_group() -> None:
    """Manage your credit for campaigns and chats."""


@credits_group.command("show")
@click.option(
    "--limit", type=click.IntRange(1, 200), default=50, show_default=True, help="Row limit."
)
@cursor_option
def show(session: Session, limit: int, cursor: str | None) -> None:
    """Print your balances and transfers, newest first."""
    credits = session.client.credits.list(limit=limit, cursor=cursor)
    for balance in () if session.terminal.as_json else credits.balances:
        session.terminal.text(f"{balance.available:f} {balance.token}")
    rows = [
        (f"{entry.posted_at:%Y-%m-%d %H:%M}", f"{entry.amount:+f}", entry.token, entry.why)
        for entry in credits.entries
    ]
    session.terminal.page(credits, ("TIME", "AMOUNT", "TOKEN", "WHY"), rows)


@credits_group.command("buy")
@click.argument("amount")
@click.option("--max-amount", default="1", show_default=True, help="Maximum payment.")
def buy(session: Session, amount: str, max_amount: str) -> None:
    """Buy AMOUNT of credit with the wallet in PAYER_PRIVATE_KEY and networks in PAYER_RPC_URLS."""
    _bought(session, payment.credit(session, amount, max_amount))


@credits_group.command("resume")
@click.argument("receipt", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def resume(session: Session, receipt: Path) -> None:
    """Finish a purchase. RECEIPT is the file that `credits buy` named. Nothing is paid again."""
    _bought(session, payment.resumed_credit(session, receipt))


def _bought(session: Session, bought: BoughtCredit) -> None:
    session.terminal.result(bought, f"{bought.amount:f} {bought.token}: {bought.status}")
