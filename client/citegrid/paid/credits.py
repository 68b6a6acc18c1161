"""Credit that is paid for: the account that gets it is the one whose access token is sent."""

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Final

from citegrid.errors import UnusableAnswer
from citegrid.nouns.account.credits import BoughtCredit
from citegrid.paid import payment
from citegrid.paid.context import PaymentContext
from citegrid.paid.errors import PaymentOutcomeUnknown
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.payment import Order, Save
from citegrid.profiles.credentials import Access, Credentials
from citegrid.service import Route, json_of
from citegrid.transport.exchange import Policy, Steps

BUY: Final = Route("POST", "/v1/credits", Access.ACCOUNT)


def buy(
    base_url: str,
    policy: Policy,
    handler: PaymentHandler | None,
    save: Save | None,
    amount: Decimal | str,
    access_token: str,
) -> Steps[tuple[BoughtCredit, PaymentContext]]:
    """Pay for credit. The context is saved before the payment leaves.

    Raises NothingPaid, ApiError before anything was paid; PaymentOutcomeUnknown after.
    """
    body = {"amount": f"{Decimal(amount):f}"}
    order = _order(base_url, access_token)
    context = yield from payment.pay(order, policy, handler, save, body)
    return (yield from resume(base_url, policy, save, context, access_token))


def resume(
    base_url: str, policy: Policy, save: Save | None, context: PaymentContext, access_token: str
) -> Steps[tuple[BoughtCredit, PaymentContext]]:
    """Send the same payment again; it tells whether the credit has been posted."""
    reply = yield from payment.send(_order(base_url, access_token), policy, context)
    bought: BoughtCredit | None = None
    with suppress(UnusableAnswer):
        bought = json_of(BoughtCredit, inside="credit")(reply)
    if bought is None:
        raise PaymentOutcomeUnknown(context)
    found = replace(context, transaction=payment.transaction(reply))
    if save is not None:
        save(found)
    return bought, found


def _order(base_url: str, access_token: str) -> Order:
    return Order(base_url, BUY, Credentials(access_token=access_token).headers(BUY.access))
