"""Paid search: a search without an account, paid for one by one (x402 version 2).

Needs the extra: `pip install './client[paid]'`.
"""

import sys

from citegrid.paid.ask import ask_paid, keeping
from citegrid.paid.client import AsyncPaidClient, PaidClient
from citegrid.paid.context import PaymentContext, PaymentContextInvalid
from citegrid.paid.errors import NothingPaid, PaymentOutcomeUnknown
from citegrid.paid.handler import PaymentHandler
from citegrid.transport.exchange import RECURSION_LIMIT

# A library below eth-account raises it to 100,000, by which an answer of brackets ends the process.
sys.setrecursionlimit(RECURSION_LIMIT)

__all__ = [
    "AsyncPaidClient",
    "NothingPaid",
    "PaidClient",
    "PaymentContext",
    "PaymentContextInvalid",
    "PaymentHandler",
    "PaymentOutcomeUnknown",
    "ask_paid",
    "keeping",
]
