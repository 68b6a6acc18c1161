"""The steps of any paid request: ask the price, check, sign, save, send until it is answered."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from citegrid.calls import Route
from citegrid.errors import ApiError, ConnectionFailed, DeadlineReached, UnusableAnswer
from citegrid.paid.challenge import Challenge, decode, read
from citegrid.paid.context import PaymentContext, PaymentContextInvalid
from citegrid.paid.errors import NothingPaid, PaymentOutcomeUnknown
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.preflight import checked
from citegrid.transport.exchange import Policy, Reply, Request, Send, Steps, exchange, refusal

SETTLE_SECONDS: Final = 30.0
"""How long a server may hold a paid request until it is settled."""
NOT_PAID: Final = frozenset({400, 402, 405, 413, 415})
"""Refusals that stand, and say that nothing was paid. 404 and 409 do not: by then the server may
have stopped to sell, or the payment may have been used."""

Save = Callable[[PaymentContext], None]
Facts = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Order:
    """The thing to buy, and with which headers beside the payment."""

    route: Route
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Checkout:
    """Pays at one server. `save` gets each payment context, before the payment leaves and after."""

    base_url: str
    policy: Policy
    handler: PaymentHandler | None
    save: Save

    def buy(
        self, order: Order, body: Mapping[str, Any], read: Callable[[Reply], tuple[T, Facts]]
    ) -> Steps[tuple[T, PaymentContext]]:
        """Pay for what `body` says. The context is saved before the payment leaves.

        Raises NothingPaid, ApiError before anything was paid; PaymentOutcomeUnknown after.
        """
        context = yield from self._signed(order, body)
        return (yield from self.resume(order, context, read))

    def resume(
        self, order: Order, context: PaymentContext, read: Callable[[Reply], tuple[T, Facts]]
    ) -> Steps[tuple[T, PaymentContext]]:
        """Send the same payment, again and again until it is answered; it is never taken twice.

        `read` gives what was bought, and what its context has to know of it. Raises
        PaymentOutcomeUnknown, ApiError for a refusal that stands, PaymentContextInvalid.
        """
        reply = yield from self._send(order, context)
        answer: tuple[T, Facts] | None = None
        with suppress(UnusableAnswer):
            answer = read(reply)
        if answer is None:
            raise PaymentOutcomeUnknown(context)
        bought, facts = answer
        found = replace(context, transaction=_transaction(reply), **facts)
        self.save(found)
        return bought, found

    def _signed(self, order: Order, body: Mapping[str, Any]) -> Steps[PaymentContext]:
        """A payment for what the server asks: saved, and not sent yet."""
        if self.handler is None:
            raise NothingPaid("The server asks for a payment, and there is no payment handler.")
        deadline = self.policy.clock() + self.policy.deadline_seconds
        reply = yield Send(self._request(order, body), self.policy, deadline)
        challenge = _challenge(reply, self.base_url)
        wanted = self.handler.choose(challenge)
        yield from checked(self.handler, wanted, self.policy)
        context = self.handler.pay(challenge, wanted, self.base_url, body)
        self.save(context)
        return context

    def _send(self, order: Order, context: PaymentContext) -> Steps[Reply]:
        if context.base_url != self.base_url:
            raise PaymentContextInvalid("This payment was made for another server.")
        request = self._request(
            order, context.body, {"PAYMENT-SIGNATURE": context.payment_signature}
        )
        unknown = None
        try:
            reply = yield from exchange(replace(request, held_seconds=SETTLE_SECONDS), self.policy)
        except ApiError as refused:
            if refused.status in NOT_PAID:
                raise
            unknown = PaymentOutcomeUnknown(context)
        except (ConnectionFailed, DeadlineReached, UnusableAnswer):
            unknown = PaymentOutcomeUnknown(context)
        if unknown is not None:
            raise unknown
        return reply

    def _request(
        self, order: Order, body: Mapping[str, Any], payment: Mapping[str, str] | None = None
    ) -> Request:
        return Request(
            method=order.route.method,
            url=self.base_url + order.route.template,
            headers={
                "Accept": "application/json",
                "Content-Type": "application/json",
                **order.headers,
                **(payment or {}),
            },
            content=json.dumps(body).encode(),
            repeatable=True,  # without a payment it makes nothing, with one it makes one thing
        )


def _transaction(reply: Reply) -> str | None:
    """The settlement that the receipt names; None for one that cannot be read: money has moved."""
    found = None
    with suppress(NothingPaid):
        found = decode(reply.headers.get("payment-response", "")).get("transaction")
    return str(found) if found else None


def _challenge(reply: Reply, base_url: str) -> Challenge:
    """The demand of the server. Raises ApiError for another answer, NothingPaid."""
    header = reply.headers.get("payment-required")
    if reply.good:
        raise UnusableAnswer("The server asks for no payment.")
    if reply.status != 402 or header is None:
        raise refusal(reply)
    challenge = read(header)
    if _server(challenge.url) != _server(base_url):
        raise NothingPaid("The payment that is asked for is one for another server.")
    return challenge


def _server(url: str) -> tuple[str, str]:
    try:
        parts = urlsplit(url)
    except ValueError:  # a broken address is that of no server
        return "", ""
    return parts.scheme, parts.netloc
