"""Credit that is paid for: the account that gets it is the one whose access token is sent."""

from decimal import Decimal
from typing import Final

from citegrid.errors import InvalidArgument
from citegrid.nouns.account.credits import BoughtCredit
from citegrid.paid.context import PaymentContext
from citegrid.paid.payment import Checkout, Facts, Order
from citegrid.profiles.credentials import Access, Credentials
from citegrid.service import Route, json_of
from citegrid.transport.exchange import Reply, Steps

BUY: Final = Route("POST", "/v1/credits", Access.ACCOUNT)


def buy(
    checkout: Checkout, amount: Decimal | str, access_token: str
) -> Steps[tuple[BoughtCredit, PaymentContext]]:
    """Pay for credit. Raises as `Checkout.buy`."""
    try:
        written = f"{Decimal(amount):f}"
    except ArithmeticError:
        raise InvalidArgument("amount must be a number.") from None
    return checkout.buy(_order(access_token), {"amount": written}, _bought)


def resume(
    checkout: Checkout, context: PaymentContext, access_token: str
) -> Steps[tuple[BoughtCredit, PaymentContext]]:
    """Send the same payment again; it tells whether the credit has been posted."""
    return checkout.resume(_order(access_token), context, _bought)


def _order(access_token: str) -> Order:
    return Order(BUY, Credentials(access_token=access_token).headers(BUY.access))


def _bought(reply: Reply) -> tuple[BoughtCredit, Facts]:
    return json_of(BoughtCredit, inside="credit")(reply), {}
