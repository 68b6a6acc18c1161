"""Chats with models that providers serve, and which models and offers there are."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from citegrid.calls import UNSET, Call, Route, Unset, json_of, nothing
from citegrid.errors import BY_CODE, ApiError, ConnectionFailed, UnusableAnswer
from citegrid.nouns.noun import M, Noun, iteration, operation
from citegrid.profiles.credentials import Access
from citegrid.transport import untrusted_json
from citegrid.transport.codec import ApiObject, decode
from citegrid.transport.event_stream import EventParser
from citegrid.transport.exchange import Emit, Produce, ReadPiece

ANSWER_SECONDS: Final = 600.0
"""The longest a chat may take."""

Message = Mapping[str, object]
Json = Mapping[str, object]


class ToolFunction(ApiObject):
    name: str
    arguments: str


class ToolCall(ApiObject):
    """A function that the model wants called; `arguments` is JSON, as far as the model obeyed."""

    id: str
    type: str
    function: ToolFunction


class ChatMessage(ApiObject):
    """The message that the model wrote."""

    role: str
    content: str | None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()


class ChatChoice(ApiObject):
    index: int
    message: ChatMessage
    finish_reason: str
    logprobs: Mapping[str, Any] | None


class ChatUsage(ApiObject):
    """Tokens as charged, and their cost in USD."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cost: Decimal


class Chat(ApiObject):
    """An answer, with what it cost and the offer that gave it."""

    id: str
    object: str
    created: int
    model: str
    choices: tuple[ChatChoice, ...]
    usage: ChatUsage
    offer_id: str
    pricing_revision: int

    @property
    def text(self) -> str:
        """The text that the model wrote."""
        return self.choices[0].message.content or ""


class ChatPart(ApiObject):
    """A piece of a streamed answer. The last one has `usage`, and no text."""

    text: str
    offer_id: str | None = None
    usage: ChatUsage | None = None


class ChatModel(ApiObject):
    """A model that public offers serve."""

    id: str
    object: str
    created: int
    owned_by: str


class ChatModels(ApiObject):
    object: str
    data: tuple[ChatModel, ...]


class FirstToken(ApiObject):
    """Milliseconds."""

    p50: int
    p99: int


class Speed(ApiObject):
    p50: float


class HealthWindow(ApiObject):
    """None where fewer than 20 requests say too little."""

    window: str
    requests: int
    error_rate: float | None
    first_token_ms: FirstToken | None
    tokens_per_second: Speed | None


class OfferClaims(ApiObject):
    """The claims of a provider about its model, which nothing checks; None: it does not say."""

    max_context: int | None
    precision: str | None


class OfferHealth(ApiObject):
    """The recent health of an offer, as the server measured it, and the claims of its provider.

    `revision_enabled`: the operator knows this revision of the model.
    """

    offer_id: str
    cooling_seconds: int
    windows: tuple[HealthWindow, ...]
    claimed: OfferClaims
    revision_enabled: bool


def selection(offer_id: str, pricing_revision: int) -> Json:
    """Exactly this offer, at exactly this price."""
    return {"offer_id": offer_id, "pricing_revision": pricing_revision}


class Chats(Noun[M]):
    """Preview. `client.chats`: the provider whose computer answers can read the messages."""

    @operation("POST", "/v1/chat/completions", Access.KEY, makes=True)
    def create(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        provider_selection: Json | Unset = UNSET,
        max_price: Json | Unset = UNSET,
        max_tokens: int | Unset = UNSET,
        max_completion_tokens: int | Unset = UNSET,
        temperature: float | Unset = UNSET,
        top_p: float | Unset = UNSET,
        top_k: int | Unset = UNSET,
        min_p: float | Unset = UNSET,
        repetition_penalty: float | Unset = UNSET,
        presence_penalty: float | Unset = UNSET,
        frequency_penalty: float | Unset = UNSET,
        stop: str | Sequence[str] | Unset = UNSET,
        seed: int | Unset = UNSET,
        logit_bias: Json | Unset = UNSET,
        logprobs: bool | Unset = UNSET,
        top_logprobs: int | Unset = UNSET,
        tools: Sequence[Json] | Unset = UNSET,
        tool_choice: str | Json | Unset = UNSET,
        parallel_tool_calls: bool | Unset = UNSET,
        response_format: Json | Unset = UNSET,
        reasoning_effort: str | Unset = UNSET,
        n: int | Unset = UNSET,
        user: str | Unset = UNSET,
        metadata: Json | Unset = UNSET,
        store: bool | Unset = UNSET,
        idempotency_key: str | None = None,
    ) -> Call[Chat]:
        """Preview. The complete answer. The fields are those of OpenAI's API.

        With `provider_selection` (see `selection`), only that offer answers, at that price, or an
        error says why not; without it, the server chooses an offer by price and health within
        `max_price`.
        """
        return Call(json_of(Chat), slow_seconds=ANSWER_SECONDS)

    @iteration
    def stream(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        provider_selection: Json | None = None,
        max_price: Json | None = None,
        max_tokens: int | None = None,
        temperature: float | None = None,
        others: Json | None = None,
    ) -> Produce[ChatPart]:
        """Preview. The answer as a stream; the last part has the charge.

        `others` are further fields of `create`. Raises ConnectionFailed if the stream breaks off,
        and ProviderFailed if the provider failed.
        """
        given = {
            "provider_selection": provider_selection,
            "max_price": max_price,
            "max_tokens": max_tokens,
            "temperature": temperature,
            **(others or {}),
        }
        body = {name: value for name, value in given.items() if value is not None}
        call: Call[None] = Call(
            into=nothing,
            body={"model": model, "messages": messages, "stream": True, **body},
            slow_seconds=ANSWER_SECONDS,
        )
        yield from self._service.open(_STREAM, call, "text/event-stream")
        parser = EventParser()
        while piece := (yield ReadPiece()):
            for event in parser.feed(piece):
                if event.data == "[DONE]":
                    return
                yield Emit(_part(event.data))
        raise ConnectionFailed("The answer broke off.")

    @operation("GET", "/v1/models", Access.NONE)
    def models(self) -> Call[ChatModels]:
        """Preview. The models that public offers serve."""
        return Call(json_of(ChatModels))

    @operation("GET", "/v1/models/{model}", Access.NONE)
    def model(self, model: str) -> Call[ChatModel]:
        """Preview. A model that public offers serve. Raises NotFound."""
        return Call(json_of(ChatModel))

    @operation("GET", "/public/provider-offers/{offer_id}/health", Access.NONE)
    def health(self, offer_id: str) -> Call[OfferHealth]:
        """Preview. The measured health of an offer, and the claims of its provider."""
        return Call(json_of(OfferHealth))


_STREAM: Final = Route("POST", "/v1/chat/completions", Access.KEY)


def _part(data: str) -> ChatPart:
    """Raises ApiError for the event that ends a stream which failed, and UnusableAnswer."""
    try:
        event = untrusted_json.loads(data.encode())
        error = event.get("error")
        if error is None:
            choices = event["choices"]
            text = choices[0]["delta"].get("content") if choices else None
            usage = event.get("usage")
            return ChatPart(
                text or "",
                event.get("offer_id"),
                None if usage is None else decode(ChatUsage, usage, "/usage"),
            )
        kind = BY_CODE.get(error["code"], ApiError)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise UnusableAnswer("An event of the answer has another form.") from None
    raise kind(str(error.get("message")), code=error["code"], request_id=error.get("request_id"))
