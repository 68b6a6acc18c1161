"""Bodies and answers of chats: OpenAI's, with what selects an offer and what it cost."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, validate

from app.core.amounts import PATTERN
from app.core.http import fields
from app.core.http.fields import (
    AnswerSchema,
    Flag,
    FullMatch,
    Integer,
    Items,
    Number,
    Part,
    id_pattern,
)
from app.core.ids import Noun
from app.domains.providers.chats import pricing
from app.domains.providers.chats.health import health
from app.domains.providers.providers.offer_rules import MOST_MODEL, RATE
from app.domains.providers.providers.schemas import OfferId

MOST_MESSAGES: Final = 1_000
MOST_TOOLS: Final = 128
MOST_PARTS: Final = 200
MOST_NAME: Final = 256
MOST_BATCH: Final = 512
IGNORED_HEADER: Final = "X-Ignored-Parameters"
_JSON_TYPES: Final[dict[type, str]] = {list: "array", dict: "object"}
_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")


class Json(fields.Raw):
    """An object that we pass on unjudged."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(type="object", **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("Not an object.")
        return value


class TextOr(fields.Raw):
    """A text, or objects of which the model's engine knows the form; null where that is a value."""

    def __init__(self, *others: type, most: int, **kwargs: Any) -> None:
        taken = ["string", *(_JSON_TYPES[other] for other in others)]
        described = {"description": "Text, or content parts as in the OpenAI API.", **kwargs}
        super().__init__(**described, type=taken)
        self._types, self._most = (str, *others), most

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, self._types):
            raise ValidationError("Unsupported type.")
        if isinstance(value, list) and len(value) > self._most:
            raise ValidationError(f"Must have at most {self._most} items.")
        return value


class Ignored(fields.Raw):
    """A field that clients send and no provider here serves: taken as it is, named in a header."""

    def __init__(self, why: str = "No provider serves it.") -> None:
        text = f"Without effect: {why} The answer names it in `{IGNORED_HEADER}`."
        super().__init__(allow_none=True, description=text)


def _name(**kwargs: Any) -> fields.Str:
    return fields.Str(validate=validate.Length(1, MOST_NAME), **kwargs)


class MessageIn(Schema):
    role = fields.Str(required=True, validate=validate.OneOf(_ROLES))
    content = TextOr(list, most=MOST_PARTS, allow_none=True)
    name = _name()
    tool_calls = Items(Json(), most=MOST_TOOLS)
    tool_call_id = _name()
    function_call = Json()
    refusal = fields.Str(allow_none=True)
    reasoning_content = fields.Str(allow_none=True)


class SelectionIn(Schema):
    """An offer at a fixed price."""

    offer_id = OfferId(required=True)
    pricing_revision = Integer(required=True, validate=validate.Range(1, 2**31 - 1))


class MaxPriceIn(Schema):
    """Maximum price in USD per million tokens without a selection."""

    input = fields.Str(validate=FullMatch(f"^{RATE}$"), pattern=f"^{RATE}$")
    output = fields.Str(validate=FullMatch(f"^{RATE}$"), pattern=f"^{RATE}$")


class StreamOptionsIn(Schema):
    include_usage = Flag()
    include_obfuscation = Flag(description="Has no effect.")


def _tokens(**kwargs: Any) -> Integer:
    return Integer(validate=validate.Range(1, pricing.MOST_OUTPUT), **kwargs)


class ChatIn(Schema):
    """Visible to the provider. OpenAI-compatible fields are passed to the model."""

    model = fields.Str(required=True, validate=validate.Length(1, MOST_MODEL))
    messages = Items(
        Part(MessageIn),
        required=True,
        least=1,
        most=MOST_MESSAGES,
        example=[{"role": "user", "content": "Why is the sky blue?"}],
    )
    provider_selection = Part(SelectionIn)
    max_price = Part(MaxPriceIn)
    stream = Flag(load_default=False, allow_none=True)
    stream_options = Part(StreamOptionsIn, allow_none=True)
    max_tokens = _tokens(
        allow_none=True, description=f"Default {pricing.DEFAULT_OUTPUT}; its price is held."
    )
    max_completion_tokens = _tokens(allow_none=True)
    temperature = Number(0, 2, allow_none=True)
    top_p = Number(0, 1, allow_none=True)
    top_k = Integer(validate=validate.Range(-1, 100_000), allow_none=True)
    min_p = Number(0, 1, allow_none=True)
    repetition_penalty = Number(0, 10, allow_none=True)
    presence_penalty = Number(-2, 2, allow_none=True)
    frequency_penalty = Number(-2, 2, allow_none=True)
    stop = TextOr(list, most=16, allow_none=True)
    seed = Integer(validate=validate.Range(-(2**63), 2**63 - 1), allow_none=True)
    logit_bias = Json(allow_none=True)
    logprobs = Flag(allow_none=True)
    top_logprobs = Integer(validate=validate.Range(0, 20), allow_none=True)
    tools = Items(Json(), most=MOST_TOOLS, allow_none=True)
    tool_choice = TextOr(dict, most=0, allow_none=True)
    parallel_tool_calls = Flag(allow_none=True)
    response_format = Json(allow_none=True)
    reasoning_effort = fields.Str(validate=validate.Length(1, 32), allow_none=True)
    n = Integer(validate=validate.Equal(1), allow_none=True)
    user = Ignored("It is not passed on.")
    safety_identifier = Ignored("It is not passed on.")
    metadata = Ignored("It is not passed on.")
    store = Ignored("Nothing is stored.")
    service_tier = Ignored()
    prompt_cache_key = Ignored()
    prompt_cache_retention = Ignored()
    prediction = Ignored()
    verbosity = Ignored()


IGNORED: Final = frozenset(
    name for name, field in ChatIn().fields.items() if isinstance(field, Ignored)
)


class ToolFunctionSchema(AnswerSchema):
    name = fields.Str()
    arguments = fields.Str()


class ToolCallSchema(AnswerSchema):
    id = fields.Str()
    type = fields.Str()
    function = fields.Nested(ToolFunctionSchema)


class MessageOut(Schema):
    role = fields.Str(required=True)
    content = fields.Str(required=True, allow_none=True, example="Blue light is scattered most.")
    reasoning_content = fields.Str()
    reasoning = fields.Str()
    refusal = fields.Str()
    tool_calls = fields.List(fields.Nested(ToolCallSchema))


class ChoiceOut(AnswerSchema):
    index = fields.Int()
    message = fields.Nested(MessageOut)
    finish_reason = fields.Str()
    logprobs = fields.Raw(type=["object", "null"])


class UsageOut(AnswerSchema):
    """Charged usage: the provider's count within plausible limits."""

    prompt_tokens = fields.Int()
    completion_tokens = fields.Int()
    total_tokens = fields.Int()
    cost = fields.Str(example="0.000013", pattern=PATTERN, description="USD.")


class ChatOut(AnswerSchema):
    id = fields.Str(pattern=id_pattern(Noun.CHAT))
    object = fields.Str(validate=validate.OneOf(["chat.completion"]))
    created = fields.Int()
    model = fields.Str()
    choices = fields.List(fields.Nested(ChoiceOut))
    usage = fields.Nested(UsageOut)
    offer_id = fields.Str(format="uuid")
    pricing_revision = fields.Int()


class ModelOut(AnswerSchema):
    id = fields.Str()
    object = fields.Str(validate=validate.OneOf(["model"]))
    created = fields.Int(description="Always 0.")
    owned_by = fields.Str()


class ModelsOut(AnswerSchema):
    object = fields.Str(validate=validate.OneOf(["list"]))
    data = fields.List(
        fields.Nested(ModelOut),
        example=[
            {"id": "example/model-7b", "object": "model", "created": 0, "owned_by": "providers"}
        ],
    )


class FirstTokenOut(AnswerSchema):
    p50 = fields.Int()
    p99 = fields.Int()


class SpeedOut(AnswerSchema):
    p50 = fields.Float()


class WindowOut(AnswerSchema):
    """Null for fewer than 20 requests."""

    window = fields.Str(validate=validate.OneOf(health.WINDOWS))
    requests = fields.Int()
    error_rate = fields.Float(allow_none=True)
    first_token_ms = fields.Nested(FirstTokenOut, allow_none=True)
    tokens_per_second = fields.Nested(SpeedOut, allow_none=True)


class ClaimedOut(AnswerSchema):
    """Claims of the provider, not checked."""

    max_context = fields.Int(
        allow_none=True, description="Maximum tokens of a request and its answer."
    )
    precision = fields.Str(
        allow_none=True, description="Number format of the model weights.", examples=["fp8"]
    )


class HealthOut(AnswerSchema):
    """`windows` are measured by this server; times and speeds are accurate to 19 %."""

    offer_id = fields.Str(format="uuid")
    cooling_seconds = fields.Int(
        description="The offer failed recently, so automatic selection skips it."
    )
    windows = fields.List(fields.Nested(WindowOut))
    claimed = fields.Nested(ClaimedOut)
    revision_enabled = fields.Bool(description="The operator knows this model revision.")


class CountedIn(Schema):
    prompt_tokens = Integer(required=True, validate=validate.Range(0, 2**31 - 1))
    completion_tokens = Integer(required=True, validate=validate.Range(0, 2**31 - 1))


class FailureIn(Schema):
    code = fields.Str(required=True, validate=FullMatch(r"^[a-z_]{1,40}$"))
    message = fields.Str(validate=validate.Length(0, 300))


class ChunksIn(Schema):
    """A batch of the model output."""

    fence = Integer(required=True, validate=validate.Range(1, 2**31 - 1))
    seq = Integer(required=True, validate=validate.Range(0, 2**31 - 1))
    data = Items(
        Json(),
        required=True,
        most=MOST_BATCH,
        example=[
            {"choices": [{"index": 0, "delta": {"content": "Blue"}, "finish_reason": "stop"}]}
        ],
    )
    done = Flag(required=True)
    usage = Part(CountedIn)
    error = Part(FailureIn)


class ChunksOut(AnswerSchema):
    stop = fields.Bool(description="The answer is no longer needed.")
