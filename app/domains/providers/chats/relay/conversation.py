"""One accepted chat in the process that answers its client, to its end, which comes once."""

import time
from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeVar
from uuid import UUID

import psycopg
import redis

from app.core import db, log, metrics
from app.core.db import Tx
from app.domains.providers.chats import service, store
from app.domains.providers.chats.health.cooldown import Cooldown
from app.domains.providers.chats.health.health import ChatOutcome, Health
from app.domains.providers.chats.relay.channel import Channel
from app.domains.providers.chats.relay.chunks import Chunk
from app.domains.providers.chats.relay.inboxes import Inbox, Inboxes
from app.domains.providers.chats.relay.relay import Relay, RelayFailed, RelayTimeouts
from app.domains.providers.chats.relay.tally import ChunkTally
from app.domains.providers.chats.service import AcceptedChat, ChatTerms, Receipt

SETTLE_SECONDS: Final = 20.0
"""How long charging is tried again while the database is away: within the job's lease."""
PAUSE_SECONDS: Final = 0.5

Result = TypeVar("Result")

logger = log.get(__name__)


class ClientLeft(Exception):
    """Nobody waits for the answer any more."""


class ConversationHost(Protocol):
    channel: Channel
    inboxes: Inboxes
    health: Health
    cooldown: Cooldown
    terms: ChatTerms
    limits: RelayTimeouts

    def forget(self, id: UUID) -> None: ...


class Conversation:
    """`close` must be called, however it goes."""

    def __init__(
        self, carrier: ConversationHost, accepted: AcceptedChat, inbox: Inbox, began: float
    ) -> None:
        self.accepted, self._carrier, self._began = accepted, carrier, began
        self._tally = ChunkTally(accepted.input_bound, accepted.output_bound)
        self._relay = Relay(inbox, self._tally, carrier.limits, self._is_alive)
        self._incoming = self._relay.chunks()
        self._first: list[Chunk] = []
        self._closed = False
        self.receipt: Receipt | None = None

    def _is_alive(self) -> bool:
        """True if the node can still answer: Redis has the chat, and its job goes on."""
        id = self.accepted.id
        try:
            if not self._carrier.channel.knows(id):
                return False
        except redis.RedisError:
            return True  # the inboxes notice when that lasts
        try:
            with db.reading() as reader:
                return store.is_open(reader, id)
        except psycopg.OperationalError:
            return True

    def wait_for_first(self, client_left: Callable[[], bool]) -> None:
        """Until the answer begins. Raises RelayFailed, ClientLeft."""
        for chunk in self._incoming:
            if chunk is None:
                if client_left():
                    raise ClientLeft
            else:
                self._first.append(chunk)
                if chunk.answers:
                    return
        raise RelayFailed("backend_incomplete")  # it ended without having said anything

    def chunks(self) -> Iterator[Chunk | None]:
        """The first ones and what follows; None whenever nothing came for a second.

        A chunk is delivered when the next one is asked for. Raises RelayFailed.
        """
        yield from self._first
        yield from self._incoming

    def settle(
        self, ended: str, keep: Callable[[Tx, Receipt], None] = lambda _tx, _receipt: None
    ) -> Receipt | None:
        """Charge what was delivered; `keep` runs in the same transaction.

        None: the chat had ended meanwhile, and nothing is charged.
        """
        self._closed = True
        self.receipt = self._retried(lambda: self._settle_once(ended, keep))
        self._count(ended)
        self._leave()
        return self.receipt

    def _settle_once(self, ended: str, keep: Callable[[Tx, Receipt], None]) -> Receipt | None:
        holder = self._relay.holder
        if holder is None:
            return None
        with db.transaction() as tx:
            receipt = service.settle(
                tx,
                self.accepted,
                holder.fence,
                self._tally.usage(),
                ended,
                self._relay.first_token_ms,
                self._carrier.terms,
            )
            if receipt is not None:
                keep(tx, receipt)
        return receipt

    @staticmethod
    def _retried(call: Callable[[], Result]) -> Result | None:
        """None when the database stays away: the job's deadline releases the hold then."""
        until = time.monotonic() + SETTLE_SECONDS
        while True:
            try:
                return call()
            except psycopg.OperationalError as error:
                if time.monotonic() > until:
                    logger.error("chat not settled", why=type(error).__name__)
                    return None
            time.sleep(PAUSE_SECONDS)

    def abandon(self, broken: RelayFailed) -> None:
        """The provider failed before a token: the next acceptance, or `void`, frees the hold."""
        logger.info("provider failed", why=broken.why, offer_id=str(self._offer_id))
        self._count("failed")
        self._leave()

    def void(self, ended: str | None = None) -> None:
        """End it unpaid: nothing was delivered. `ended` is what counts for the offer's health."""
        if self._closed:
            return
        self._closed = True
        self._retried(self._void_once)
        self._count(ended)
        self._leave()

    def _void_once(self) -> None:
        with db.transaction() as tx:
            service.void(tx, self.accepted.id)

    def break_off(self, ended: str) -> None:
        """Charge what was delivered of an answer that is not whole; nothing where nothing was."""
        if self._tally.delivered_bytes:
            self.settle(ended)
        else:
            self.void(ended)

    def close(self) -> None:
        """The client has left, unless the chat has ended before."""
        if not self._closed:
            self.break_off("client_left")

    def _leave(self) -> None:
        self._incoming.close()
        self._carrier.inboxes.remove(self.accepted.id)
        self._carrier.forget(self.accepted.id)

    def _count(self, ended: str | None) -> None:
        """For the health of the offer, and whether it is passed over for a while."""
        if ended is None:
            return
        failed = ended in ("failed", "provider_failed")
        completed = ended == "completed"
        first_ms = self._relay.first_token_ms
        seconds = time.monotonic() - self._began - (first_ms or 0) / 1000
        outcome = ChatOutcome(
            failed=failed,
            aborted=not failed and not completed,
            first_token_ms=first_ms,
            tokens=self._tally.usage().completion_tokens if completed else 0,
            seconds=seconds,
        )
        self._carrier.health.count(self._offer_id, outcome)
        metrics.chats.labels(ended).inc()
        if failed:
            self._carrier.cooldown.failed(self._offer_id)
        elif completed:
            self._carrier.cooldown.worked(self._offer_id)

    @property
    def _offer_id(self) -> UUID:
        return self.accepted.quote.offer_id
