"""The steps of any paid request: ask the price, check, sign, save, send until it is answered."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from citegrid.errors import ApiError, ConnectionFailed, DeadlineReached, UnusableAnswer
from citegrid.paid.challenge import Challenge, decode, read
from citegrid.paid.context import PaymentContext
from citegrid.paid.errors import NothingPaid, PaymentContextInvalid, PaymentOutcomeUnknown
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.preflight import checked
from citegrid.service import Route
from citegrid.transport.exchange import Policy, Reply, Request, Send, Steps, exchange, refusal

SETTLE_SECONDS: Final = 30.0
"""How long a server may hold a paid request until it is settled."""
NOT_PAID: Final = frozenset({400, 402, 404, 405, 409, 413, 415})
"""Refusals that stand: to send the same payment again would get the same answer."""

Save = Callable[[PaymentContext], None]


@dataclass(frozen=True, slots=True)
class Order:
    """Where something is bought, and with which headers beside the payment."""

    base_url: str
    route: Route
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


def pay(
    order: Order,
    policy: Policy,
    handler: PaymentHandler | None,
    save: Save | None,
    body: Mapping[str, Any],
) -> Steps[PaymentContext]:
    """Sign a payment for what the server asks. It is saved, and not sent yet.

    Raises NothingPaid, ApiError.
    """
    if handler is None:
        raise NothingPaid("The server asks for a payment, and there is no payment handler.")
    reply = yield Send(_request(order, body), policy.clock() + policy.deadline_seconds)
    challenge = _challenge(reply, order.base_url)
    wanted = handler.choose(challenge)
    yield from checked(handler, wanted, policy)
    context = handler.pay(challenge, wanted, order.base_url, body)
    if save is not None:
        save(context)
    return context


def send(order: Order, policy: Policy, context: PaymentContext) -> Steps[Reply]:
    """Send the payment, again and again until it is answered; it is never taken twice.

    Raises PaymentOutcomeUnknown, ApiError for a refusal that stands, PaymentContextInvalid.
    """
    if context.base_url != order.base_url:
        raise PaymentContextInvalid("This payment was made for another server.")
    request = _request(order, context.body, {"PAYMENT-SIGNATURE": context.payment_signature})
    unknown = None
    try:
        reply = yield from exchange(replace(request, held_seconds=SETTLE_SECONDS), policy)
    except ApiError as refused:
        if refused.status in NOT_PAID:
            raise
        unknown = PaymentOutcomeUnknown(context)
    except (ConnectionFailed, DeadlineReached, UnusableAnswer):
        unknown = PaymentOutcomeUnknown(context)
    if unknown is not None:
        raise unknown
    return reply


def transaction(reply: Reply) -> str | None:
    """The settlement that the receipt names."""
    receipt = reply.headers.get("payment-response")
    found = decode(receipt).get("transaction") if receipt else None
    return str(found) if found else None


def _request(
    order: Order, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Request:
    return Request(
        method=order.route.method,
        url=order.base_url + order.route.template,
        headers={
            "Accept": "application/json",
            "Content-Type": "application/json",
            **order.headers,
            **(headers or {}),
        },
        content=json.dumps(body).encode(),
        repeatable=True,  # without a payment it makes nothing, with one it makes one thing
    )


def _challenge(reply: Reply, base_url: str) -> Challenge:
    """What the server asks for. Raises ApiError when it answers something else, NothingPaid."""
    header = reply.headers.get("payment-required")
    if reply.good:
        raise UnusableAnswer("The server asks for no payment.")
    if reply.status != 402 or header is None:
        raise refusal(reply)
    challenge = read(header)
    ours, theirs = urlsplit(base_url), urlsplit(challenge.url)
    if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
        raise NothingPaid("The payment that is asked for is one for another server.")
    return challenge
