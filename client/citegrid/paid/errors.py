"""The ways paying can fail, beside those of any call."""

from citegrid.errors import CitegridError
from citegrid.paid.context import PaymentContext


class NothingPaid(CitegridError):
    """The client rejected the payment before it was signed. Nothing was paid."""

    code = "nothing_paid"


class PaymentOutcomeUnknown(CitegridError):
    """A paid request got no response that says whether the payment has succeeded.

    Call `client.resume(context)` with `context` to send the same payment again; it is never
    charged twice. A new payment could charge you twice.
    """

    code = "payment_outcome_unknown"

    def __init__(self, context: PaymentContext) -> None:
        super().__init__(context)
        self.context = context

    def __str__(self) -> str:
        return "It is not known whether the payment was made. Resume it with its payment context."
