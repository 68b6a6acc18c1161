"""An answer on its way to the client: as events, or gathered into one."""

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from app.core import log
from app.core.db import Tx
from app.core.errors import AppError
from app.core.http.client_connection import ClientConnection
from app.domains.providers.chats import presentation
from app.domains.providers.chats.presentation import ChatAnswer
from app.domains.providers.chats.relay.chunks import Chunk
from app.domains.providers.chats.relay.conversation import ClientLeft, Conversation
from app.domains.providers.chats.relay.relay import RelayFailed
from app.domains.providers.chats.service import ClientTooSlow, ProviderFailed

KEEP_ALIVE_SECONDS: Final = 10.0
TOO_SLOW: Final = "client_too_slow"
_NOT_RETRIED: Final = {"x-should-retry": "false"}

logger = log.get(__name__)


def events(
    conversation: Conversation,
    connection: ClientConnection,
    *,
    usage_alone: bool,
    request_id: str,
) -> Iterator[bytes]:
    """Server-sent events. However they end, the conversation is closed, and charged once."""
    answer = ChatAnswer(conversation.accepted)
    try:
        try:
            yield from _chunks(conversation, connection, answer)
        except ClientLeft:
            return
        except RelayFailed as broken:
            yield presentation.failure(_end(conversation, broken), request_id)
            return
        receipt = conversation.settle("completed")
        if receipt is None:
            yield presentation.failure(ProviderFailed(), request_id)
            return
        yield answer.last(receipt, alone=usage_alone)
        yield presentation.DONE
    finally:
        conversation.close()


def _chunks(
    conversation: Conversation, connection: ClientConnection, answer: ChatAnswer
) -> Iterator[bytes]:
    write, said_at = answer.first, time.monotonic()
    for chunk in conversation.chunks():
        if connection.is_behind():
            raise RelayFailed(TOO_SLOW)
        if chunk is not None and not chunk.is_empty:
            yield write(chunk)
            write, said_at = answer.next, time.monotonic()
        elif time.monotonic() - said_at >= KEEP_ALIVE_SECONDS:
            yield presentation.KEEP_ALIVE
            said_at = time.monotonic()
        if chunk is None and connection.has_ended():
            raise ClientLeft


def whole(
    conversation: Conversation,
    connection: ClientConnection | None,
    keep: Callable[[Tx, dict[str, Any]], None],
) -> dict[str, Any]:
    """The answer in one piece; `keep` runs in the transaction that charges for it.

    `connection` is None for a client whose answer is wanted even if it has left. Raises
    ProviderFailed, when nothing is charged, and ClientLeft.
    """
    answer, received = ChatAnswer(conversation.accepted), list[Chunk]()
    try:
        try:
            for chunk in conversation.chunks():
                if chunk is not None:
                    received.append(chunk)
                elif connection is not None and connection.has_ended():
                    raise ClientLeft
        except RelayFailed as broken:
            conversation.abandon(broken)
            conversation.void()
            raise ProviderFailed(headers=_NOT_RETRIED) from None
        receipt = conversation.settle(
            "completed", lambda tx, receipt: keep(tx, answer.whole(received, receipt))
        )
        if receipt is None:
            raise ProviderFailed(headers=_NOT_RETRIED)
        return answer.whole(received, receipt)
    finally:
        conversation.close()


def _end(conversation: Conversation, broken: RelayFailed) -> AppError:
    """Charge what was delivered; what the client is told."""
    logger.info("chat broken", why=broken.why)
    if broken.why == TOO_SLOW:
        conversation.break_off(TOO_SLOW)
        return ClientTooSlow()
    conversation.break_off("provider_failed")
    return ProviderFailed()
