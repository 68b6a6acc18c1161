"""The steps of a paid search: ask the price, check, sign, save, pay, wait."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from citegrid.decoding import decode as decoded
from citegrid.errors import (
    ApiError,
    ConnectionFailed,
    DeadlineReached,
    InvalidArgument,
    StillRunning,
    UnusableAnswer,
)
from citegrid.exchange import Pause, Policy, Reply, Request, Send, Steps, exchange, refusal
from citegrid.nouns.search_results import Accepted, Search
from citegrid.paid import challenge as challenges
from citegrid.paid.context import PaymentContext
from citegrid.paid.errors import NothingPaid, PaymentContextInvalid, PaymentOutcomeUnknown
from citegrid.paid.handler import PaymentHandler
from citegrid.paid.preflight import checked

PATH: Final = "/onchain/v1/search"
LONGEST_WAIT_SECONDS: Final = 30.0
PAUSE_SECONDS: Final = 1.0
SETTLE_SECONDS: Final = 30.0
"""How long a server may hold a paid request until it is settled."""
NOT_PAID: Final = frozenset({400, 402, 404, 405, 409, 413, 415})
"""Refusals that stand: to send the same payment again would get the same answer."""

Depth = Literal["quick", "standard", "deep"]
Save = Callable[[PaymentContext], None]


def body_of(
    query: str,
    *,
    max_sources: int | None = None,
    depth: Depth | None = None,
    include_domains: Sequence[str] | None = None,
    exclude_domains: Sequence[str] | None = None,
    freshness: str | None = None,
) -> dict[str, Any]:
    """The request that is paid for."""
    options = {
        "max_sources": max_sources,
        "depth": depth,
        "include_domains": None if include_domains is None else list(include_domains),
        "exclude_domains": None if exclude_domains is None else list(exclude_domains),
        "freshness": freshness,
    }
    return {"query": query, **{name: said for name, said in options.items() if said is not None}}


def create(
    base_url: str,
    policy: Policy,
    handler: PaymentHandler | None,
    save: Save | None,
    body: Mapping[str, Any],
) -> Steps[tuple[Accepted, PaymentContext]]:
    """Pay for a search. The context is saved before the payment leaves.

    Raises NothingPaid, ApiError before anything was paid; PaymentOutcomeUnknown after.
    """
    if handler is None:
        raise NothingPaid("The server asks for a payment, and there is no payment handler.")
    asked = yield Send(_request(base_url, body), policy.clock() + policy.deadline_seconds)
    challenge = _challenge(asked, base_url)
    wanted = handler.choose(challenge)
    yield from checked(handler, wanted, policy)
    context = handler.pay(challenge, wanted, base_url, body)
    if save is not None:
        save(context)
    return (yield from resume(base_url, policy, save, context))


def resume(
    base_url: str, policy: Policy, save: Save | None, context: PaymentContext
) -> Steps[tuple[Accepted, PaymentContext]]:
    """Send the same payment, again and again until it is answered; it is never taken twice.

    Raises PaymentOutcomeUnknown, ApiError for a refusal that stands, PaymentContextInvalid.
    """
    if context.base_url != base_url:
        raise PaymentContextInvalid("This payment was made for another server.")
    request = _request(base_url, context.body, {"PAYMENT-SIGNATURE": context.payment_signature})
    unknown = None
    try:
        reply = yield from exchange(replace(request, held_seconds=SETTLE_SECONDS), policy)
        accepted, token = _accepted(reply)
    except ApiError as refused:
        if refused.status in NOT_PAID:
            raise
        unknown = PaymentOutcomeUnknown(context)
    except (ConnectionFailed, DeadlineReached, UnusableAnswer):
        unknown = PaymentOutcomeUnknown(context)
    if unknown is not None:
        raise unknown
    receipt = reply.headers.get("payment-response")
    transaction = challenges.decode(receipt).get("transaction") if receipt else None
    found = replace(
        context,
        search_id=accepted.id,
        access_token=token,
        transaction=str(transaction) if transaction else None,
    )
    if save is not None:
        save(found)
    return accepted, found


def wait(
    base_url: str,
    policy: Policy,
    save: Save | None,
    search_id: str,
    context: PaymentContext,
    timeout: float | None,
) -> Steps[Search]:
    """Until the search is finished, in whichever way. Raises StillRunning when the time is up."""
    deadline = None if timeout is None else policy.clock() + timeout
    if context.access_token is None:
        _, context = yield from resume(base_url, policy, save, context)
    if context.search_id != search_id or context.base_url != base_url:
        raise InvalidArgument("The payment context is one of another search.")
    while True:
        left = LONGEST_WAIT_SECONDS if deadline is None else max(deadline - policy.clock(), 0.0)
        held = round(min(left, LONGEST_WAIT_SECONDS), 3)
        asked_at = policy.clock()
        search = yield from _read(base_url, policy, context, held)
        if search.finished:
            return search
        if deadline is not None and policy.clock() >= deadline:
            raise StillRunning(search_id)
        if policy.clock() - asked_at < min(held, PAUSE_SECONDS):
            yield Pause(PAUSE_SECONDS)  # the server has no room for one more who waits


def _read(base_url: str, policy: Policy, context: PaymentContext, held: float) -> Steps[Search]:
    request = Request(
        method="GET",
        url=f"{base_url}{PATH}/{context.search_id}?wait={held}",
        headers={
            "Accept": "application/json",
            "Authorization": f"Bearer {context.access_token}",
        },
        content=None,
        repeatable=True,
        held_seconds=held,
    )
    reply = yield from exchange(request, policy)
    return decoded(Search, reply.json())


def _request(
    base_url: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Request:
    return Request(
        method="POST",
        url=base_url + PATH,
        headers={
            "Accept": "application/json",
            "Content-Type": "application/json",
            **(headers or {}),
        },
        content=json.dumps(body).encode(),
        repeatable=True,  # without a payment it makes nothing, with one it makes one thing
    )


def _challenge(asked: Reply, base_url: str) -> challenges.Challenge:
    """What the server asks for. Raises ApiError when it answers something else, NothingPaid."""
    header = asked.headers.get("payment-required")
    if asked.good:
        raise UnusableAnswer("The server asks for no payment.")
    if asked.status != 402 or header is None:
        raise refusal(asked)
    challenge = challenges.read(header)
    ours, theirs = urlsplit(base_url), urlsplit(challenge.url)
    if (ours.scheme, ours.netloc) != (theirs.scheme, theirs.netloc):
        raise NothingPaid("The payment that is asked for is one for another server.")
    return challenge


def _accepted(reply: Reply) -> tuple[Accepted, str]:
    said = reply.json()
    if not isinstance(said, dict) or not isinstance(said.get("access_token"), str):
        raise UnusableAnswer("The answer lacks /access_token.")
    return decoded(Accepted, said.get("search")), said["access_token"]
