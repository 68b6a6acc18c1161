"""The ways paying can fail, beside those of any call."""

from citegrid.errors import CitegridError
from citegrid.paid.context import PaymentContext


class NothingPaid(CitegridError):
    """The payment was not made, and nothing was signed: it is refused on this side."""

    code = "nothing_paid"


class PaymentOutcomeUnknown(CitegridError):
    """A paid request was not answered: perhaps it was paid, perhaps not.

    `context` finds out, with `client.resume(context)`: the same payment is sent again, and it is
    never taken twice. Paying again instead would be paying twice.
    """

    code = "payment_outcome_unknown"

    def __init__(self, context: PaymentContext) -> None:
        super().__init__("The paid request was not answered. Resume it with its payment context.")
        self.context = context
