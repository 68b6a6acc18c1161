"""Deliver messages: one attempt, and what follows from its answer."""

from functools import cache

from app.core import metrics
from app.core.config.settings import Settings
from app.core.errors import AppError
from app.domains.queue.jobs.parts import Wait
from app.domains.queue.jobs.service import Finish
from app.domains.queue.webhooks import delivery, turns
from app.domains.queue.webhooks.delivery import EndpointReply, Message
from app.domains.queue.webhooks.outbox import KIND
from app.domains.queue.webhooks.terms import DeliveryTerms
from app.domains.queue.webhooks.turns import Rest
from app.engine.fetch import Fetcher, way_out
from workers.queue.attempt import Attempt, handles

LONGEST_RETRY_AFTER_SECONDS = 6 * 3600


class DeliveryFailed(AppError):
    """The receiver did not accept the message."""

    code, status, retryable = "delivery_failed", 502, True


@cache
def fetcher_of(settings: Settings) -> Fetcher:
    """The way out of this process; it holds no connection."""
    return Fetcher(delivery.policy(settings), connect=way_out(settings.egress_proxy))


@handles(KIND)
def deliver(attempt: Attempt) -> Finish | Wait:
    """Send the message if it is its turn; DeliveryFailed leaves the rest to the next attempt."""
    vault = DeliveryTerms.of(attempt.settings).vault
    with attempt.step() as tx:
        turn = turns.begin(tx, attempt.id, attempt.job.attempt, vault)
    if turn is None:
        return lambda _tx: None
    if isinstance(turn, Rest):
        return Wait(lambda _tx: None, turn.until)
    answer = _sent(attempt, turn)
    metrics.deliveries.labels("accepted" if answer.accepted else "failed").inc()
    if answer.accepted:
        return lambda tx: turns.record_delivery(tx, attempt.id, answer)
    with attempt.step() as tx:
        turns.record_failure(tx, attempt.id, answer)
    raise _failure(answer)


def _sent(attempt: Attempt, message: Message) -> EndpointReply:
    if not message.secrets:
        return EndpointReply(0, error="secret_unreadable")
    return delivery.send(fetcher_of(attempt.settings), message, attempt.job.request_id)


def _failure(answer: EndpointReply) -> DeliveryFailed:
    """With the pause that the receiver asked for, within reason."""
    after = answer.retry_after_seconds
    seconds = None if after is None else int(min(after, LONGEST_RETRY_AFTER_SECONDS))
    return DeliveryFailed(retry_after=seconds, why=answer.error or "")
