"""The commands that pay with a wallet: `citegrid ask --pay` and `citegrid credits buy`."""

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from citegrid.cli.command import Session, optional
from citegrid.cli.exits import Exit, code_of
from citegrid.errors import ApiError, ApiKeyScope, CitegridError
from citegrid.nouns.account.credits import BoughtCredit
from citegrid.nouns.search.search_results import Search
from citegrid.profiles import settings

max_amount_option = click.option(
    "--max-amount",
    metavar="AMOUNT",
    default="1",
    show_default=True,
    help="Maximum payment with a wallet, in whole tokens.",
)

NETWORKS = 'PAYER_RPC_URLS must be JSON such as {"eip155:8453": "https://..."}.'


def paid(
    session: Session, query: str, max_amount: str, timeout: float | None, **options: Any
) -> Search:
    """The finished search. The payment context is kept before money moves, and its file is named.

    Raises click.ClickException when nothing can be paid with, and as `ask_paid` does.
    """
    paying, handler = _wallet(max_amount)
    with _resumable(session, "search") as announce:
        search: Search = paying.ask_paid(
            session.settings.base_url,
            query,
            handler,
            settings.payments(),
            timeout=timeout,
            allow_insecure=session.settings.allow_insecure,
            on_paying=announce,
            **options,
        )
    return search


def resumed(session: Session, receipt: Path, timeout: float | None) -> Search:
    """The finished search of a receipt, which is not paid again. Raises as `PaidClient` does."""
    context, client = _known(session, receipt)
    with client, _resumable(session, "search", receipt):
        if context.search_id is None:
            _, context = client.resume(context)
        search: Search = client.wait_for_search_completion(
            context.search_id, payment_context=context, timeout=timeout
        )
    return search


def resumed_credit(session: Session, receipt: Path) -> BoughtCredit:
    """The credit of a receipt, which is not paid again. Raises as `PaidClient` does."""
    context, client = _known(session, receipt)
    with client, _resumable(session, "credits", receipt):
        bought: BoughtCredit
        bought, _ = client.resume_credit(context, access_token=_signed_in(session))
    return bought


def _known(session: Session, receipt: Path) -> tuple[Any, Any]:
    """The payment context of a receipt, and a client that goes on with it and keeps it there."""
    paying = optional("citegrid.paid", extra="paid")
    context = paying.PaymentContext.load(receipt)
    insecure = session.settings.allow_insecure
    return context, paying.PaidClient(
        context.base_url, on_context=lambda known: known.save(receipt), allow_insecure=insecure
    )


@contextmanager
def _resumable(
    session: Session, noun: str, receipt: Path | None = None
) -> Iterator[Callable[[Path, Any], None]]:
    """Once a payment may have left, whatever ends the waiting names the command that goes on.

    It gives what is told of the receipt of a new payment.
    """
    receipts = [receipt] if receipt else []

    def announce(file: Path, context: Any) -> None:
        receipts.append(file)
        session.terminal.say(f"paying {context.amount} of {context.asset}; receipt in {file}")

    try:
        yield announce
        return
    except (KeyboardInterrupt, CitegridError) as error:
        if not receipts or isinstance(error, ApiError):  # a refusal
            raise
        go_on = f"citegrid {noun} resume {shlex.quote(str(receipts[0]))}"
        if isinstance(error, CitegridError):
            session.terminal.failed(error, go_on)
            code = code_of(error)
        else:
            text = "Interrupted. Do not pay again."
            session.terminal.problem(text, go_on, code="interrupted")
            code = Exit.INTERRUPTED
    raise click.exceptions.Exit(code)


def credit(session: Session, amount: str, max_amount: str) -> BoughtCredit:
    """Credit for the signed-in account. The payment context is kept, as by `paid`.

    Raises click.ClickException, and as PaidClient does.
    """
    paying, handler = _wallet(max_amount)
    access_token = _signed_in(session)
    with (
        _resumable(session, "credits") as announce,
        paying.PaidClient(
            session.settings.base_url,
            handler,
            on_context=paying.context_saver(settings.payments(), announce),
            allow_insecure=session.settings.allow_insecure,
        ) as client,
    ):
        bought: BoughtCredit
        bought, _ = client.buy_credit(amount, access_token=access_token)
    return bought


def _signed_in(session: Session) -> str:
    """The access token, which is valid now. Raises ApiKeyScope."""
    if session.settings.credentials.access_token is None:
        raise ApiKeyScope("Only a session can buy credit.")
    # Refreshes a session that needs it: refused once a payment is signed, it would leave in doubt
    # whether that was taken.
    session.client.accounts.get()
    return str(session.settings.credentials.access_token)


def _wallet(max_amount: str) -> tuple[ModuleType, Any]:
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
