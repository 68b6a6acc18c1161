"""Accepting a chat at a price, and charging what it used. Callers hold the transaction.

Accepting is one transaction: the quote, the hold of the greatest cost, the job, the row with both
rates. Charging is another: the fenced end of that job. A chat is charged once, or not at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from app.core.db import Reader, Tx
from app.core.errors import AppError, Conflict, Invalid, NotFound, required
from app.core.hooks import Hook
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.store import LedgerAccount, LedgerLine
from app.domains.providers.chats import completion, pricing, store
from app.domains.providers.chats.health import health
from app.domains.providers.chats.relay.chunks import TokenUsage
from app.domains.providers.chats.store import Chat
from app.domains.providers.providers import price_quotes
from app.domains.providers.providers.price_quotes import PriceQuote
from app.domains.providers.providers.service import ProviderOfferUnavailable, public_offer
from app.domains.providers.work import outcomes
from app.domains.providers.work import service as work
from app.domains.providers.work.errors import LeaseLost, WorkNotFound
from app.domains.queue.jobs import service as jobs

UNPAID: Final = frozenset({"void", "lost"})
"""How a chat ended that was not charged."""


class PricingRevisionChanged(Conflict):
    """The price of the offer has changed. Read the offer again before you retry."""

    code = "pricing_revision_changed"


class ProviderOfferBusy(Conflict):
    """The provider is at capacity. Nothing was charged."""

    code = "provider_offer_busy"


class ModelMismatch(Invalid):
    """The selected offer serves a different model."""

    code = "model_mismatch"


class ModelNotFound(NotFound):
    """No public offer serves this model. `GET /v1/models` lists the available models."""

    code = "model_not_found"


class NoOfferAtPrice(Conflict):
    """Every offer of this model costs more than `max_price` allows. Nothing was charged."""

    code = "no_offer_at_price"


class ProviderNotResponding(AppError):
    """The provider did not answer in time. Nothing was charged. A retry is a new request."""

    code, status = "provider_not_responding", 503


class NoOfferAvailable(AppError):
    """The server can choose no offer now. Name one, or try again after Retry-After seconds."""

    code, status, retryable = "no_offer_available", 503, True


class ProviderRefused(Invalid):
    """The model rejected the request, for example because it is too long. Nothing was charged."""

    code = "provider_refused"


class ProviderFailed(AppError):
    """The provider failed before the answer was complete."""

    code, status = "provider_failed", 502


class ClientTooSlow(AppError):
    """The client read the answer too slowly. The part that was sent is charged."""

    code, status = "client_too_slow", 408


class ChatUnavailable(AppError):
    """Chats are temporarily unavailable. Nothing was charged. Try again."""

    code, status, retryable = "chat_unavailable", 503, True


@dataclass(frozen=True, slots=True)
class Selection:
    """Exactly this offer at exactly this price. Without a revision: an offer that we chose."""

    offer_id: UUID
    pricing_revision: int


@dataclass(frozen=True, slots=True)
class ChatTerms:
    token: str
    fee_percent: Decimal


@dataclass(frozen=True, slots=True)
class AcceptedChat:
    """A chat with its quote, which never changes."""

    id: UUID
    account_id: UUID
    quote: PriceQuote
    node_id: UUID
    input_bound: int
    output_bound: int
    max_cost: Decimal


@dataclass(frozen=True, slots=True)
class Receipt:
    usage: TokenUsage
    cost: Decimal


@dataclass(frozen=True, slots=True)
class ChatSettlement:
    """A chat whose provider earned something."""

    chat_id: UUID
    provider_id: UUID
    token: str
    amount: Decimal
    """What the provider earns."""


SETTLED: Final = Hook[Callable[[Tx, ChatSettlement], None]]("chats.SETTLED")
"""Called in the transaction that charges: the money is there already."""


def accept(
    tx: Tx,
    id: UUID,
    account_id: UUID,
    request: Mapping[str, Any],
    selection: Selection,
    terms: ChatTerms,
) -> AcceptedChat:
    """Quote, hold, job and row.

    Raises ProviderOfferUnavailable, ModelMismatch, PricingRevisionChanged, ProviderNotResponding,
    ProviderOfferBusy, Invalid, InsufficientCredit.
    """
    quote = _quote(tx, request["model"], selection)
    node_id = _node_of(tx, quote)
    inputs, outputs = pricing.input_bound(request), _output_bound(request, quote)
    max_cost = pricing.most(inputs, outputs, quote.input_rate, quote.output_rate)
    work.offer(tx, completion.WORK, account_id, id=id, subject=id, node_id=node_id)
    store.insert(
        tx,
        id=id,
        account_id=account_id,
        provider_id=quote.provider_id,
        offer_id=quote.offer_id,
        pricing_revision=quote.pricing_revision,
        input_rate=quote.input_rate,
        output_rate=quote.output_rate,
        max_cost=max_cost,
    )
    if max_cost:
        credit, held = (LedgerAccount(account_id, "credit"), LedgerAccount(account_id, "held"))
        ledger.hold(tx, id, f"hold:{id}", "chat", terms.token, credit, held, max_cost)
    return AcceptedChat(id, account_id, quote, node_id, inputs, outputs, max_cost)


def _quote(tx: Tx, model: str, selection: Selection) -> PriceQuote:
    quote = required(price_quotes.quote(tx, selection.offer_id), ProviderOfferUnavailable)
    if quote.model != model:
        raise ModelMismatch
    if quote.pricing_revision != selection.pricing_revision:
        raise PricingRevisionChanged
    return quote


def _node_of(tx: Tx, quote: PriceQuote) -> UUID:
    """The node behind the offer, which is there and has room."""
    node_id = quote.node_id
    if node_id is None or not quote.serving or quote.availability == "offline":
        raise ProviderNotResponding
    # Its last heartbeat may be older than a chat that has ended: what we know of it counts.
    if store.open_of_device(tx, quote.provider_id, quote.device_id) >= quote.capacity:
        raise ProviderOfferBusy
    return node_id


def _output_bound(request: Mapping[str, Any], quote: PriceQuote) -> int:
    wanted = pricing.output_bound(request)
    if quote.max_context is not None and wanted > quote.max_context:
        raise Invalid.at("/max_tokens", "Exceeds the context of the model.")
    return wanted


def settle(
    tx: Tx,
    accepted: AcceptedChat,
    fence: int,
    usage: TokenUsage,
    ended: str,
    first_token_ms: int | None,
    terms: ChatTerms,
) -> Receipt | None:
    """End the job of its holder and charge what was used; one that was charged before, and whose
    reply the database lost, stays so. None: it had ended before, unpaid."""
    rates = accepted.quote.input_rate, accepted.quote.output_rate
    cost = min(
        accepted.max_cost, pricing.cost(usage.prompt_tokens, usage.completion_tokens, *rates)
    )

    def write(tx: Tx) -> None:
        chat = store.end(
            tx,
            accepted.id,
            ended,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost=cost,
            fee=pricing.fee(cost, terms.fee_percent),
            first_token_ms=first_token_ms,
        )
        if chat is not None:
            _pay(tx, chat, cost, terms)

    try:
        item = outcomes.fenced(tx, accepted.node_id, accepted.id, fence)
        charged = outcomes.complete(tx, item, write)
    except (LeaseLost, WorkNotFound):
        before = store.by_id(tx, accepted.id)
        charged = before is not None and before.ended is not None and before.ended not in UNPAID
    return Receipt(usage, cost) if charged else None


def _pay(tx: Tx, chat: Chat, cost: Decimal, terms: ChatTerms) -> None:
    """The hold becomes what the provider earns, our fee, and what returns."""
    if not chat.max_cost:
        return
    fee = pricing.fee(cost, terms.fee_percent)
    shares = [
        LedgerLine(chat.provider_id, "available", cost - fee),
        LedgerLine(ledger.FEES, "fees", fee),
    ]
    credit = LedgerAccount(chat.account_id, "credit")
    paid = [share for share in shares if share.amount]
    ledger.settle(tx, chat.id, f"settle:{chat.id}", "chat", *paid, rest=credit)
    if cost > fee:
        earned = ChatSettlement(chat.id, chat.provider_id, terms.token, cost - fee)
        for hear in SETTLED:
            hear(tx, earned)


def void(tx: Tx, id: UUID) -> None:
    """End a chat of which nothing was delivered: nothing is charged. One that ended stays so."""
    completion.release(tx, id, "void")
    jobs.cancel(tx, id)


def require_model(reader: Reader, model: str) -> None:
    """Raises ModelNotFound unless a public offer serves it."""
    if not price_quotes.has_model(reader, model):
        raise ModelNotFound


def offer_health(reader: Reader, offer_id: UUID) -> list[dict[str, Any]]:
    """Windows of a public offer. Raises ProviderOfferUnavailable."""
    public_offer(reader, offer_id)
    return health.windows(reader, offer_id)
