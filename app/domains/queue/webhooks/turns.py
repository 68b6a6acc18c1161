"""A delivery's turn: whether it may be sent now, and what follows from the answer."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from app.core import ids
from app.core.db import Tx
from app.core.ids import Noun
from app.core.vault import Unreadable, Vault
from app.domains.queue.webhooks import delivery_store, outbox, store
from app.domains.queue.webhooks.delivery import EndpointReply, Message

MOST_SENDING: Final = 2
"""To one endpoint at once: a receiver that hangs holds no more workers."""

_BUSY_SECONDS: Final = 15
_BEHIND_SECONDS: Final = 2
MOST_TIMEOUTS: Final = 3
_PAUSE_SECONDS: Final = 60
_LONGEST_PAUSE_SECONDS: Final = 900
FAILING_SECONDS: Final = 3 * 86_400
FAILING_ATTEMPTS: Final = 8

GONE: Final = "gone"
FAILING: Final = "failing"
BY_OWNER: Final = "owner"


@dataclass(frozen=True, slots=True)
class Rest:
    """Not now: the delivery is put off, and no attempt has failed."""

    until: datetime


def begin(tx: Tx, delivery_id: UUID, attempt: int, vault: Vault) -> Message | Rest | None:
    """Begins a delivery: what to send now, or when to ask again; None at its end."""
    webhook_id = delivery_store.webhook_of(tx, delivery_id)
    receiver = store.receiver(tx, webhook_id) if webhook_id else None
    due = delivery_store.due(tx, delivery_id) if receiver else None
    if receiver is None or due is None or due.status != "waiting":
        return None
    if not receiver.enabled:
        delivery_store.fail(tx, delivery_id, "webhook_disabled")
        return None
    if rest := _rest(tx, due, receiver):
        return rest
    delivery_store.begin(tx, delivery_id, attempt)
    return Message(
        id=ids.public(Noun.MESSAGE, due.event_id),
        url=receiver.url,
        body=bytes(due.body),
        secrets=_secrets(tx, receiver, vault),
    )


def _rest(tx: Tx, due: delivery_store.Due, receiver: store.Receiver) -> Rest | None:
    """The endpoint is paused, has its share of workers, or has not heard what came before."""
    if receiver.paused_until is not None:
        return Rest(receiver.paused_until)
    if delivery_store.sending(tx, receiver.id, due.id) >= MOST_SENDING:
        return Rest(due.now + timedelta(seconds=_BUSY_SECONDS))
    if due.redelivery_of is None and delivery_store.is_behind(tx, due):
        return Rest(due.now + timedelta(seconds=_BEHIND_SECONDS))
    return None


def _secrets(tx: Tx, receiver: store.Receiver, vault: Vault) -> tuple[str, ...]:
    """The newest first; none when SECRET_KEY was replaced without its predecessor.

    Of a secret that was rolled since then, the former one alone is missing. What another key than
    the newest sealed is sealed anew.
    """
    bound_to = bound(receiver.id)
    kept = [sealed for sealed in (receiver.secret, receiver.former_secret) if sealed is not None]
    opened = [plain for sealed in kept if (plain := _opened(vault, sealed, bound_to))]
    stale = not all(bytes(sealed).startswith(vault.current) for sealed in kept)
    if stale and len(opened) == len(kept):
        secret, *former = [vault.seal(plain, bound_to) for plain in opened]
        store.reseal(tx, receiver.id, secret, former[0] if former else None)
    return tuple(plain.decode() for plain in opened)


def _opened(vault: Vault, sealed: bytes, bound_to: bytes) -> bytes | None:
    try:
        return vault.open(bytes(sealed), bound_to)
    except Unreadable:
        return None


def bound(webhook_id: UUID) -> bytes:
    """The context that the secret of an endpoint is bound to when it is encrypted."""
    return b"webhook " + webhook_id.bytes


def record_delivery(tx: Tx, delivery_id: UUID, answer: EndpointReply) -> None:
    if (receiver := _attempted(tx, delivery_id, answer)) is not None:
        store.clear_failures(tx, receiver.id)


def record_failure(tx: Tx, delivery_id: UUID, answer: EndpointReply) -> None:
    """An attempt failed; the endpoint is paused or disabled if it was one too many."""
    receiver = _attempted(tx, delivery_id, answer)
    if receiver is None:
        return
    failing = store.count_failure(
        tx,
        receiver.id,
        timed_out=answer.timed_out,
        most_timeouts=MOST_TIMEOUTS,
        pause=_PAUSE_SECONDS,
        longest=_LONGEST_PAUSE_SECONDS,
    )
    if answer.gone:
        _disable(tx, receiver, GONE)
    elif failing.failed_attempts >= FAILING_ATTEMPTS and failing.seconds >= FAILING_SECONDS:
        _disable(tx, receiver, FAILING)


def _attempted(tx: Tx, delivery_id: UUID, answer: EndpointReply) -> store.Receiver | None:
    """Write the attempt down; the endpoint, locked, or None when it was deleted meanwhile."""
    webhook_id = delivery_store.webhook_of(tx, delivery_id)
    receiver = store.receiver(tx, webhook_id) if webhook_id else None
    if receiver is not None:
        delivery_store.record_attempt(
            tx,
            delivery_id,
            delivered=answer.accepted,
            status=answer.status,
            error=answer.error,
            milliseconds=answer.milliseconds,
            answer=answer.text,
        )
    return receiver


def _disable(tx: Tx, receiver: store.Receiver, reason: str) -> None:
    if disable(tx, receiver.id, reason):
        outbox.announce_disabled(tx, receiver.account_id, receiver.id, receiver.url, reason)


def disable(tx: Tx, webhook_id: UUID, reason: str) -> bool:
    """Nothing is sent to the endpoint any more, and what waits for it fails."""
    if not store.disable(tx, webhook_id, reason):
        return False
    delivery_store.fail_all(tx, webhook_id, "webhook_disabled")
    return True
