"""/v1/chat/completions and /v1/models as OpenAI has them; health of offers; chunks of nodes."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import psycopg
import redis
from flask import Response, after_this_request, current_app, g, request

from app.core import db, ids, log
from app.core.errors import AppError, Conflict, required
from app.core.http import Blueprint, caller, node_only, public, raises, scoped
from app.core.http.client_connection import ClientConnection
from app.core.http.exports.slots import SlotStream
from app.core.http.idempotency import (
    IdempotencyInProgress,
    IdempotencyKeyReused,
    IdempotencyReplyLost,
)
from app.core.http.long_poll import RequestSlots
from app.core.ids import Noun
from app.domains.money.ledger.service import InsufficientCredit
from app.domains.providers.chats import schemas, service
from app.domains.providers.chats.completion import LEASE_SECONDS
from app.domains.providers.chats.idempotency import ChatKey, IdempotencyStreamEnded
from app.domains.providers.chats.relay import streaming
from app.domains.providers.chats.relay.broker import ChatBroker, ChatRequest, MaxPrice
from app.domains.providers.chats.relay.channel import Push, PushOutcome
from app.domains.providers.chats.relay.conversation import ClientLeft, Conversation
from app.domains.providers.chats.service import Selection
from app.domains.providers.providers import price_quotes
from app.domains.providers.providers.schemas import uuid
from app.domains.providers.providers.service import ProviderOfferUnavailable
from app.domains.providers.providers.terms import offer_terms
from app.domains.providers.work import outcomes
from app.domains.providers.work.errors import LeaseLost, WorkNotFound

chats = Blueprint(
    "chats",
    __name__,
    description="Chats with provider models. Providers can read what you send.",
    preview=True,
)

MOST_BATCH_BYTES: Final = 64 << 10
MOST_MODELS: Final = 1_000
CLIENT_CLOSED_REQUEST: Final = 499
_OURS: Final = schemas.IGNORED | {
    "provider_selection",
    "max_price",
    "stream",
    "stream_options",
    "n",
}
"""Fields that do not go to the model's engine."""
_MODEL: Final = {"object": "model", "created": 0, "owned_by": "providers"}
_STREAM: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}

logger = log.get(__name__)


class ChunkGap(Conflict):
    """A previous batch is missing, so the chat has ended."""

    code = "chunk_gap"


def _broker() -> ChatBroker:
    broker: ChatBroker = current_app.extensions["chats"]
    return broker


@chats.post("/v1/chat/completions", operation="createChatCompletion")
@scoped("chat")
@raises(
    service.ModelMismatch,
    service.ModelNotFound,
    service.NoOfferAtPrice,
    service.ProviderRefused,
    InsufficientCredit,
    ProviderOfferUnavailable,
    service.PricingRevisionChanged,
    service.ProviderOfferBusy,
    IdempotencyKeyReused,
    IdempotencyInProgress,
    IdempotencyReplyLost,
    IdempotencyStreamEnded,
    service.ProviderFailed,
    service.ProviderNotResponding,
    service.NoOfferAvailable,
    service.ChatUnavailable,
)
@chats.arguments(schemas.ChatIn)
@chats.response(200, schemas.ChatOut)
def complete(body: dict[str, Any]) -> Any:
    """Create an OpenAI-compatible chat completion; with `stream`, as server-sent events that end
    with `[DONE]`.

    The provider can read the messages. `provider_selection` selects an offer at a fixed price;
    otherwise an offer is selected by price and health. `usage.cost` is the charge. A failed stream
    ends with an `error` event instead of `[DONE]`. `X-Ignored-Parameters` names fields that had no
    effect.
    """
    _name_ignored(body)
    key = ChatKey(body)
    try:
        if (earlier := key.earlier_answer()) is not None:
            g.replayed = True
            return earlier
        return _answer(body, key)
    except ClientLeft:
        return Response(status=CLIENT_CLOSED_REQUEST)
    except AppError as error:
        if error.status in (402, 409):
            error.headers["x-should-retry"] = "false"
        raise


def _name_ignored(body: Mapping[str, Any]) -> None:
    """Say in a header what had no effect, whatever the answer."""
    ignored = sorted(name for name in schemas.IGNORED if body.get(name) not in (None, False))
    if not ignored:
        return

    @after_this_request
    def name(response: Response) -> Response:
        response.headers[schemas.IGNORED_HEADER] = ", ".join(ignored)
        return response


def _answer(body: Mapping[str, Any], key: ChatKey) -> Any:
    slots: RequestSlots = current_app.extensions["chat_slots"]
    connection = ClientConnection()
    release = slots.take()
    try:
        conversation = _broker().open(_wanted(body, key, connection))
        g.made_id = conversation.accepted.id
        if body["stream"]:
            release, held = _nothing, release
            return _streamed(conversation, connection, body, held)
        patient = None if key.is_given else connection
        return streaming.whole(conversation, patient, key.keep_answer)
    finally:
        release()


def _nothing() -> None:
    """In the place of a slot that the streamed body gives back."""


def _wanted(body: Mapping[str, Any], key: ChatKey, connection: ClientConnection) -> ChatRequest:
    chosen, most = body.get("provider_selection"), body.get("max_price", {})
    return ChatRequest(
        account_id=caller().account_id,
        request={
            name: value for name, value in body.items() if name not in _OURS and value is not None
        },
        selection=Selection(**chosen) if chosen else None,
        max_price=MaxPrice(**{name: Decimal(rate) for name, rate in most.items()}),
        remember=key.keep_chat,
        client_left=connection.has_ended,
    )


def _streamed(
    conversation: Conversation, connection: ClientConnection, body: Mapping[str, Any], release: Any
) -> Response:
    options = body.get("stream_options") or {}
    events = streaming.events(
        conversation,
        connection,
        usage_alone=bool(options.get("include_usage")),
        request_id=g.request_id,
    )

    def end() -> None:
        try:
            conversation.close()  # a body that was never begun has no `finally`
        finally:
            release()

    return Response(SlotStream(events, end), mimetype="text/event-stream", headers=_STREAM)


@chats.get("/v1/models", operation="listModels")
@public
@chats.response(200, schemas.ModelsOut)
def models() -> dict[str, Any]:
    """List up to 1,000 models of public offers in OpenAI format. Check offers for availability."""
    with db.reading() as reader:
        names = price_quotes.models(reader, MOST_MODELS)
    return {"object": "list", "data": [{"id": name, **_MODEL} for name in names]}


@chats.get("/v1/models/<path:model>", operation="getModel")
@public
@raises(service.ModelNotFound)
@chats.response(200, schemas.ModelOut)
def show_model(model: str) -> dict[str, Any]:
    """Get a model of public offers in OpenAI format. Its name may contain slashes."""
    with db.reading() as reader:
        service.require_model(reader, model)
    return {"id": model, **_MODEL}


@chats.get("/public/provider-offers/<string:offer_id>/health", operation="getProviderOfferHealth")
@public
@raises(ProviderOfferUnavailable)
@chats.response(200, schemas.HealthOut)
def show_health(offer_id: str) -> dict[str, Any]:
    """Get recent measurements of an offer and the claims of its provider."""
    id = required(uuid(offer_id), ProviderOfferUnavailable)
    with db.reading() as reader:
        windows = service.offer_health(reader, id)
        terms = offer_terms(reader, [id])[id]
    (cooling,) = _broker().cooldown.seconds_left([id])
    return {
        "offer_id": str(id),
        "cooling_seconds": cooling,
        "windows": windows,
        "claimed": {"max_context": terms.max_context, "precision": terms.precision},
        "revision_enabled": terms.revision_enabled,
    }


def _limit_body() -> None:
    if request.endpoint == "chats.push_chunks":
        request.max_content_length = MOST_BATCH_BYTES


chats.before_request(_limit_body)


@chats.post("/v1/work/<string:work_id>/chunks", operation="pushWorkChunks")
@node_only
@raises(ChunkGap, LeaseLost, WorkNotFound, service.ChatUnavailable)
@chats.arguments(schemas.ChunksIn)
@chats.response(200, schemas.ChunksOut)
@chats.alt_response(204, description="Repeated batch; no effect.")
def push_chunks(body: dict[str, Any], work_id: str) -> Any:
    """Send the next batch of an answer, or an empty batch every 5 s.

    `seq` counts batches from 0. The last batch has `done` with `usage` or `error`.
    """
    node_id, id = required(caller().node_id, WorkNotFound), ids.internal(Noun.WORK, work_id)
    if id is None:
        raise WorkNotFound
    pushed = _push(id, node_id, body)
    if pushed.outcome is Push.LOST:
        raise LeaseLost
    if pushed.outcome is Push.GAP:
        raise ChunkGap
    if pushed.renew:
        _renew(node_id, id, body["fence"])
    if pushed.outcome is Push.REPEATED:
        return Response(status=204)
    return {"stop": pushed.stop}


def _push(id: UUID, node_id: UUID, body: Mapping[str, Any]) -> PushOutcome:
    batch = {
        "data": body["data"],
        "done": body["done"],
        "usage": body.get("usage"),
        "error": body["error"]["code"] if "error" in body else None,
    }
    try:
        return _broker().channel.push(id, node_id, body["fence"], body["seq"], batch)
    except redis.RedisError as error:
        raise service.ChatUnavailable(retry_after=1, why=type(error).__name__) from None


def _renew(node_id: UUID, id: UUID, fence: int) -> None:
    """The lease. The batch is passed on already: a database that is away now costs nothing yet."""
    try:
        with db.transaction() as tx:
            outcomes.fenced(tx, node_id, id, fence, lease_seconds=LEASE_SECONDS)
    except psycopg.OperationalError as error:
        logger.info("lease not renewed", why=type(error).__name__)
