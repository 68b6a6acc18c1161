"""The commands that pay with a wallet: `citegrid ask --pay` and `citegrid credits buy`."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from citegrid.cli.command import Session, optional
from citegrid.errors import AuthExpiredToken
from citegrid.nouns.account.credits import BoughtCredit
from citegrid.nouns.search.search_results import Search
from citegrid.profiles import settings

NETWORKS = 'PAYER_RPC_URLS must be JSON such as {"eip155:8453": "https://..."}.'


def paid(
    session: Session, query: str, max_amount: str, timeout: float | None, **options: Any
) -> Search:
    """The finished search. The payment context is kept before money moves, and its file is named.

    Raises click.ClickException when nothing can be paid with, and as `ask_paid` does.
    """
    paying, handler = _wallet(max_amount)
    search: Search = paying.ask_paid(
        session.settings.base_url,
        query,
        handler,
        settings.payments(),
        timeout=timeout,
        allow_insecure=session.settings.allow_insecure,
        on_paying=_announcer(session),
        **options,
    )
    return search


def _announcer(session: Session) -> Callable[[Path, Any], None]:
    def announce(file: Path, context: Any) -> None:
        session.terminal.say(f"paying {context.amount} of {context.asset}; receipt in {file}")

    return announce


def credit(session: Session, amount: str, max_amount: str) -> BoughtCredit:
    """Credit for the signed-in account. The payment context is kept, as by `paid`.

    Raises click.ClickException, and as PaidClient does.
    """
    held = session.settings.credentials
    if held.access_token is None:
        raise click.ClickException("Not signed in. Run: citegrid login")
    paying, handler = _wallet(max_amount)
    with paying.PaidClient(
        session.settings.base_url,
        handler,
        on_context=paying.keeping(settings.payments(), _announcer(session)),
        allow_insecure=session.settings.allow_insecure,
    ) as client:
        bought: BoughtCredit
        try:
            bought, _ = client.buy_credit(amount, access_token=held.access_token)
        except AuthExpiredToken:  # said before the price: nothing was paid
            session.client.accounts.get()  # refreshes the session
            bought, _ = client.buy_credit(amount, access_token=held.access_token)
    return bought


def _wallet(max_amount: str) -> tuple[ModuleType, Any]:
    """The module that pays, and the handler of the wallet in the environment."""
    paying = optional("citegrid.paid", extra="paid")
    try:
        return paying, paying.PaymentHandler.from_env(_rpc_urls(), max_amount=max_amount)
    except ValueError as error:  # which repeats nothing of the key
        raise click.ClickException(f"No wallet: {error}.") from None


def _rpc_urls() -> dict[str, str]:
    try:
        given = json.loads(settings.payer_rpc_urls() or "{}")
    except ValueError:
        given = None
    if not isinstance(given, dict) or not all(isinstance(url, str) for url in given.values()):
        raise click.ClickException(NETWORKS)
    if not given:
        raise click.ClickException(f"No network: {NETWORKS}")
    return given
