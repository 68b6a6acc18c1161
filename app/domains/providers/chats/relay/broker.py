"""The broker of chats in a process: chooses an offer, has a chat accepted and answered."""

import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import redis

from app.core import db, ids
from app.core.amounts import text
from app.core.config.settings import Settings
from app.core.db import Reader, Tx
from app.core.errors import Invalid
from app.core.vault import Vault
from app.domains.money.ledger import service as ledger
from app.domains.money.ledger.service import InsufficientCredit
from app.domains.money.ledger.store import LedgerAccount
from app.domains.providers.chats import pricing, service
from app.domains.providers.chats.health import health
from app.domains.providers.chats.health.cooldown import Cooldown
from app.domains.providers.chats.relay import channel, inboxes
from app.domains.providers.chats.relay.channel import Channel
from app.domains.providers.chats.relay.conversation import ClientLeft, Conversation
from app.domains.providers.chats.relay.inboxes import Inboxes
from app.domains.providers.chats.relay.relay import RelayFailed, RelayTimeouts
from app.domains.providers.chats.service import ChatTerms, Selection
from app.domains.providers.providers import price_quotes
from app.domains.providers.providers.price_quotes import LowestRates, PriceQuote
from app.domains.providers.providers.service import ProviderOfferUnavailable
from app.engine.judging.offer_choice import OfferCandidate, OfferMeasurements, choose

MOST_OFFERS: Final = 3
"""That an undecided chat tries before its first token."""
MOST_RACES: Final = 10
"""How often an offer may change between choosing and accepting."""
NONE_NOW_SECONDS: Final = 15
_CHANGED: Final = (
    ProviderOfferUnavailable,
    service.PricingRevisionChanged,
    service.ProviderNotResponding,
    service.ProviderOfferBusy,
)
"""An offer has changed since it was chosen."""
_NOT_RETRIED: Final = {"x-should-retry": "false"}


@dataclass(frozen=True, slots=True)
class MaxPrice:
    """USD per million tokens that an undecided chat pays at most."""

    input: Decimal | None = None
    output: Decimal | None = None

    def problems(self, lowest: LowestRates) -> Iterator[dict[str, str]]:
        """Says of each bound that no offer keeps what the lowest rate is."""
        for name, most, rate in (
            ("input", self.input, lowest.input),
            ("output", self.output, lowest.output),
        ):
            if most is not None and rate is not None and most < rate:
                problem = f"The lowest rate is {text(rate)} now."
                yield {"field": f"/max_price/{name}", "problem": problem}


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat as it was asked for. `remember` runs in the transaction that accepts it, and gets its
    id; `client_left` says whether anybody still waits for the answer."""

    account_id: UUID
    request: Mapping[str, Any]
    selection: Selection | None
    max_price: MaxPrice
    remember: Callable[[Tx, UUID], None]
    client_left: Callable[[], bool]


class ChatBroker:
    def __init__(self, settings: Settings, client: "redis.Redis") -> None:
        vault = Vault(settings.secret_keys, "chat")
        self.channel = Channel(channel.connect(settings.redis_url), vault)
        self.inboxes = Inboxes(inboxes.connect(settings.redis_url), self.channel)
        self.health, self.cooldown = health.Health(), Cooldown(client)
        self.terms = ChatTerms(settings.credit_token, Decimal(str(settings.chat_fee_percent)))
        self.limits = RelayTimeouts(first_token=settings.chat_first_token_seconds)
        self._draw = random.SystemRandom()

    def open(self, wanted: ChatRequest) -> Conversation:
        """An accepted chat whose first chunk is here.

        Raises what `service.accept` raises, ModelNotFound, NoOfferAtPrice, NoOfferAvailable,
        ChatUnavailable, ClientLeft, ProviderNotResponding, ProviderRefused.
        """
        tried: set[UUID] = set()
        former: Conversation | None = None
        while True:
            try:
                conversation = self._begin(wanted, tried, former)
            except BaseException:
                self._give_up(former)
                raise
            tried.add(conversation.accepted.quote.offer_id)
            if self._answers(conversation, wanted):
                return conversation
            if wanted.selection is not None or len(tried) >= MOST_OFFERS:
                self._give_up(conversation)
                raise service.ProviderNotResponding(headers=_NOT_RETRIED)
            former = conversation

    @staticmethod
    def _give_up(conversation: Conversation | None) -> None:
        if conversation is not None:
            conversation.void()

    def _answers(self, conversation: Conversation, wanted: ChatRequest) -> bool:
        """True if the first chunk came; the chat is void if the client or the model refused."""
        try:
            conversation.wait_for_first(wanted.client_left)
        except RelayFailed as broken:
            if broken.is_refusal:
                conversation.void()
                raise service.ProviderRefused(headers=_NOT_RETRIED) from None
            conversation.abandon(broken)
            return False
        except BaseException as error:
            conversation.void("client_left" if isinstance(error, ClientLeft) else None)
            raise
        return True

    def _begin(
        self, wanted: ChatRequest, tried: Collection[UUID], former: Conversation | None
    ) -> Conversation:
        """Accept, with the offer that was selected or with one that we choose now."""
        if wanted.selection is not None:
            return self._accept(wanted, wanted.selection, former)
        passed_over = set(tried)
        credit: Decimal | None = None
        for _ in range(MOST_RACES):
            selection = self._choose(wanted, passed_over, credit)
            try:
                return self._accept(wanted, selection, former)
            except InsufficientCredit:  # a cheaper one may do
                credit = self._credit(wanted.account_id, former)
            except _CHANGED:
                passed_over.add(selection.offer_id)
        raise service.NoOfferAvailable(retry_after=NONE_NOW_SECONDS)

    def _accept(
        self, wanted: ChatRequest, selection: Selection, former: Conversation | None
    ) -> Conversation:
        id = ids.new()
        inbox = self.inboxes.add(id)
        try:
            began = time.monotonic()
            self._open_channel(id, wanted.request)
            with db.transaction(pipeline=former is None) as tx:
                wanted.remember(tx, id)
                if former is not None:
                    service.void(tx, former.accepted.id)
                accepted = service.accept(
                    tx, id, wanted.account_id, wanted.request, selection, self.terms
                )
            return Conversation(self, accepted, inbox, began)
        except BaseException:
            self.inboxes.remove(id)
            self.forget(id)
            raise

    def _open_channel(self, id: UUID, request: Mapping[str, Any]) -> None:
        """The prompt is there before anybody can claim the chat."""
        try:
            self.channel.open(id, self.inboxes.stream, dict(request))
        except redis.RedisError as error:
            why = type(error).__name__
            raise service.ChatUnavailable(retry_after=2, why=why) from None

    def forget(self, id: UUID) -> None:
        """Its node hears that nobody waits any more; what Redis has of it goes."""
        try:
            self.channel.close(id)
        except redis.RedisError:
            return  # it expires

    def _credit(self, account_id: UUID, former: Conversation | None) -> Decimal:
        """Returns what the account has once the chat before this one gives its money back."""
        with db.reading() as reader:
            credit = ledger.balance(reader, LedgerAccount(account_id, "credit"), self.terms.token)
        return credit + (former.accepted.max_cost if former else 0)

    def _choose(
        self, wanted: ChatRequest, passed_over: Collection[UUID], credit: Decimal | None
    ) -> Selection:
        """An offer that costs at most this credit, where it is known.

        Raises ModelNotFound, NoOfferAtPrice, NoOfferAvailable, InsufficientCredit, Invalid.
        """
        request = wanted.request
        with db.reading() as reader:
            quotes = {
                quote.offer_id: quote
                for quote in _eligible(reader, wanted)
                if quote.offer_id not in passed_over and _is_there(quote)
            }
            if quotes and credit is not None:
                quotes = _affordable(quotes, request, credit)
            # One alone is compared with nothing.
            measured = health.measured(reader, list(quotes)) if len(quotes) > 1 else {}
        candidates = [
            OfferCandidate(
                id, quote.input_rate, quote.output_rate, measured.get(id, OfferMeasurements())
            )
            for id, quote in quotes.items()
        ]
        soonest: int | None = None
        while candidates:
            chosen = choose(
                candidates,
                input_tokens=pricing.input_bound(request) // 2,
                most_output=pricing.output_bound(request),
                draw=self._draw,
            )
            if self.cooldown.may_use(chosen.offer_id):
                return Selection(chosen.offer_id, quotes[chosen.offer_id].pricing_revision)
            # Only now is it asked which others cool: mostly none does.
            ready, soonest = self._not_cooling(list(quotes))
            candidates = [
                each for each in candidates if each is not chosen and each.offer_id in ready
            ]
        raise service.NoOfferAvailable(retry_after=soonest or NONE_NOW_SECONDS)

    def _not_cooling(self, offers: Sequence[UUID]) -> tuple[list[UUID], int | None]:
        """The offers that may be used, and when the first of the others may."""
        left = dict(zip(offers, self.cooldown.seconds_left(offers), strict=True))
        cooling = [seconds for seconds in left.values() if seconds]
        return [id for id, seconds in left.items() if not seconds], min(cooling, default=None)


def _eligible(reader: Reader, wanted: ChatRequest) -> list[PriceQuote]:
    """Raises ModelNotFound, Invalid or NoOfferAtPrice for what no waiting mends."""
    model, tokens = wanted.request["model"], pricing.output_bound(wanted.request)
    most = wanted.max_price
    if found := price_quotes.eligible(reader, model, tokens, most.input, most.output):
        return found
    lowest = price_quotes.lowest(reader, model, tokens)
    if lowest.input is not None:
        raise service.NoOfferAtPrice(details=most.problems(lowest))
    if lowest.offers:
        raise Invalid.at("/max_tokens", "More than the context of every offer of this model.")
    service.require_model(reader, model)
    return []


def _affordable(
    quotes: Mapping[UUID, PriceQuote], request: Mapping[str, Any], credit: Decimal
) -> dict[UUID, PriceQuote]:
    """Raises InsufficientCredit if none is."""
    bounds = pricing.input_bound(request), pricing.output_bound(request)
    found = {
        id: quote
        for id, quote in quotes.items()
        if pricing.most(*bounds, quote.input_rate, quote.output_rate) <= credit
    }
    if not found:
        raise InsufficientCredit
    return found


def _is_there(quote: PriceQuote) -> bool:
    return quote.node_id is not None and quote.availability != "offline"
