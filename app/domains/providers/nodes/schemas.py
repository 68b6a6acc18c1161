"""Bodies and answers of nodes."""

from typing import Any

from marshmallow import Schema, ValidationError, validate, validates

from app.core.http import fields
from app.core.http.fields import (
    STORABLE,
    AnswerSchema,
    Flag,
    FullMatch,
    Integer,
    Items,
    Part,
    PublicId,
    Time,
)
from app.core.http.names import Name
from app.core.http.pagination import page_schema
from app.core.ids import Noun
from app.domains.providers.nodes.capabilities import CAPABILITIES
from app.domains.providers.providers.offer_rules import MOST_MODEL, PRECISION, RATE

MOST_OVERLAP_HOURS = 24
MOST_NAME = 60
MOST_CAPACITY = 64
MOST_BYTES = 1 << 20
LANGUAGE = r"^[a-z]{2,3}$"


def _rate(example: str) -> fields.Str:
    return fields.Str(
        required=True, validate=FullMatch(f"^{RATE}$"), pattern=f"^{RATE}$", examples=[example]
    )


class ModelRatesSchema(Schema):
    """Decimal strings: USD per million tokens."""

    input = _rate("0.25")
    output = _rate("1.5")


def _identifier(example: str) -> fields.Str:
    return fields.Str(
        required=True, validate=validate.Length(1, MOST_MODEL), pattern=STORABLE, examples=[example]
    )


class ServedModelSchema(Schema):
    """A served model with its price."""

    model = _identifier("example/model-7b")
    revision = _identifier("r1")
    rates = Part(ModelRatesSchema, required=True)
    max_context = Integer(
        required=True,
        validate=validate.Range(1, 1 << 30),
        description="Maximum tokens of a request and its answer.",
    )
    precision = fields.Str(
        validate=FullMatch(f"^{PRECISION}$"),
        pattern=f"^{PRECISION}$",
        description="Number format of the model weights.",
        examples=["fp8"],
    )
    auto_eligible = Flag(load_default=False, description="Accept chats without a selected offer.")


class CapabilitiesSchema(Schema):
    work = Items(
        fields.Str(validate=validate.OneOf(CAPABILITIES)),
        least=1,
        most=len(CAPABILITIES),
        required=True,
        example=["extraction", "validation"],
    )
    models = Items(Part(ServedModelSchema), most=50, load_default=list)
    capacity = Integer(
        load_default=1,
        validate=validate.Range(1, MOST_CAPACITY),
        description="Number of parallel work items.",
    )
    languages = Items(
        fields.Str(validate=FullMatch(LANGUAGE), pattern=LANGUAGE),
        most=100,
        load_default=list,
        description="Page languages as ISO 639 codes; empty means all.",
    )
    max_bytes = Integer(
        load_default=MOST_BYTES,
        validate=validate.Range(1, 1 << 24),
        description="Maximum input size.",
    )

    @validates("models")
    def each_once(self, models: list[dict[str, Any]], **_: Any) -> None:
        names = [each["model"] for each in models if "model" in each]  # others are refused already
        if len(names) != len(set(names)):
            raise ValidationError("A model is named twice.")


class NodeIn(Schema):
    name = Name(most=MOST_NAME, required=True, example="nightly reports", examples=["cellar"])
    capabilities = Part(CapabilitiesSchema, required=True)


class NodeChangeSchema(Schema):
    name = Name(most=MOST_NAME)
    capabilities = Part(CapabilitiesSchema, description="All of them.")
    maintenance = Flag(description="If true, the node gets no new work but can finish open work.")
    paused = Flag(
        validate=validate.Equal(False),
        enum=[False],
        description="Ends a pause. Allowed once a day.",
    )


class RollNodeIn(Schema):
    overlap_hours = Integer(
        load_default=MOST_OVERLAP_HOURS,
        validate=validate.Range(0, MOST_OVERLAP_HOURS),
        description="Time until the previous token expires.",
    )


class HeartbeatIn(Schema):
    in_flight = Integer(
        required=True, validate=validate.Range(0, 10_000), description="Current work items."
    )
    serving = Items(
        fields.Str(validate=validate.Length(1, MOST_MODEL), pattern=STORABLE),
        most=50,
        description="Currently available models. Omit to keep the previous list.",
    )


class PauseSchema(AnswerSchema):
    maintenance = fields.Bool()
    paused_until = Time(
        allow_none=True,
        description="End of the pause; null with a reason means until the operator ends it.",
    )
    paused_reason = fields.Str(
        allow_none=True, description="Why the node gets no work; null if it can get work."
    )


class HeartbeatOut(PauseSchema):
    next_seconds = fields.Float(description="Time of the next heartbeat.")


class NodeSchema(PauseSchema):
    id = PublicId(Noun.NODE)
    name = fields.Str()
    capabilities = fields.Nested(CapabilitiesSchema)
    availability = fields.Str(validate=validate.OneOf(("available", "paused", "offline")))
    seen_at = Time(allow_none=True)
    former_token_until = Time(allow_none=True)
    created_at = Time()


class NodeOut(AnswerSchema):
    node = fields.Nested(NodeSchema)


class NewNodeOut(NodeOut):
    node_token = fields.Str(description="Only in this response.")


NodesOut = page_schema("NodesOut", nodes=NodeSchema)
