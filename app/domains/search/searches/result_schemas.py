"""The result of a search: the answer with its sources, citations and their stored texts."""

from hashlib import sha256
from typing import Final

from marshmallow import Schema, fields, validate

from app.core.http.fields import OF_ITS_PARTS, PublicId, Time
from app.core.ids import Noun
from app.domains.search.searches.quality_schemas import QualitySchema

_QUOTE: Final = "A clutch holds four to seven eggs, which hatch after 30 days."
_TEXT: Final = f"{_QUOTE} Both parents feed the young."
_TEXT_HASH: Final = f"sha256:{sha256(_TEXT.encode()).hexdigest()}"
_ANSWER: Final = f"{_QUOTE} [1]"


class ExcerptSchema(Schema):
    """`text` equals `snapshot_text[start:end]`; `snapshot_text[lead_start:lead_end]`, within it, is
    the block that fits the question best."""

    text = fields.Str(required=True, metadata={"example": _TEXT})
    start = fields.Int(required=True, metadata={"example": 0})
    end = fields.Int(required=True, metadata={"example": len(_TEXT)})
    lead_start = fields.Int(required=True, metadata={"example": 0})
    lead_end = fields.Int(required=True, metadata={"example": len(_QUOTE)})
    headings = fields.List(
        fields.Str(),
        required=True,
        metadata={
            "example": ["Barn owls", "Breeding"],
            "description": "Above it, from the top down; at most six, shortened.",
        },
    )
    score = fields.Float(
        required=True,
        validate=validate.Range(0, 1),
        metadata={
            "example": 1.0,
            "description": "Of its passage, where the best of this result has 1. Comparable within "
            "one result only; no probability.",
        },
    )


class SourceSchema(Schema):
    n = fields.Int(required=True)
    title = fields.Str(required=True, metadata={"example": "Barn owls"})
    url = fields.Str(required=True)
    quality_score = fields.Float(required=True, metadata={"example": 0.78})
    quality = fields.Nested(QualitySchema, required=True)
    published_at = Time(required=True, allow_none=True)
    fetched_at = Time(required=True)
    content_hash = fields.Str(required=True, metadata={"example": _TEXT_HASH})
    excerpts = fields.List(
        fields.Nested(ExcerptSchema),
        metadata={
            "example": OF_ITS_PARTS,
            "description": "What fits the question best, best first, also when it is not "
            "answered. Absent in results from before it was kept.",
        },
    )


LEAD = (
    "`snapshot_text[lead_start:lead_end]`, within the quote, is what answers; the rest is there to "
    "understand it. Absent in results from before it was kept."
)


class CitationSchema(Schema):
    """`quote` equals `snapshot_text[start:end]`; all offsets count Unicode code points."""

    n = fields.Int(required=True, metadata={"description": "The marker [n] in the answer."})
    source = fields.Int(required=True, metadata={"description": "`n` of the source."})
    quote = fields.Str(required=True, metadata={"example": _QUOTE})
    start = fields.Int(required=True, metadata={"example": 0})
    end = fields.Int(required=True, metadata={"example": len(_QUOTE)})
    lead_start = fields.Int(metadata={"example": 0, "description": LEAD})
    lead_end = fields.Int(metadata={"example": len(_QUOTE), "description": LEAD})
    prefix = fields.Str(required=True, metadata={"example": ""})
    suffix = fields.Str(required=True, metadata={"example": _TEXT.removeprefix(_QUOTE)})
    answer_start = fields.Int(required=True, metadata={"example": 0})
    answer_end = fields.Int(required=True, metadata={"example": len(_ANSWER)})
    match = fields.Str(required=True, validate=validate.OneOf(["exact", "normalised"]))
    support = fields.Str(
        required=True,
        validate=validate.OneOf(["verified", "lexical"]),
        metadata={
            "description": "Whether the sentence says what its quotes say: `verified` is sure of "
            "it, `lexical` only that numbers, names and most words are in the quotes."
        },
    )


class ContradictionSchema(Schema):
    """Values that sources give differently, and `n` of the citation that says each."""

    values = fields.List(fields.Str(), required=True)
    citations = fields.List(fields.Int(), required=True)


class WrittenSentencesSchema(Schema):
    written = fields.Int(required=True)
    verified = fields.Int(required=True)
    lexical = fields.Int(required=True)
    dropped = fields.Int(required=True)


class ModelStatsSchema(Schema):
    """What asking the configured model came to, all calls together; `outcome` other than `ok`
    means extracts, or no answer."""

    name = fields.Str(required=True)
    outcome = fields.Str(required=True)
    rounds = fields.Int(metadata={"description": "2 when it was asked about further passages."})
    queries = fields.List(
        fields.Str(), metadata={"description": "What it had the index searched for."}
    )
    cost = fields.Float(
        metadata={"description": "By MODEL_INPUT_PRICE and MODEL_OUTPUT_PRICE, if any."}
    )
    input_tokens = fields.Int(required=True)
    output_tokens = fields.Int(required=True)
    seconds = fields.Float(required=True)
    sentences = fields.Nested(WrittenSentencesSchema, required=True)


class StatsSchema(Schema):
    engines = fields.List(fields.Dict(), required=True, metadata={"example": []})
    pages_read = fields.Int(required=True, metadata={"example": 8})
    pages = fields.Dict(
        keys=fields.Str(),
        values=fields.Int(),
        metadata={"description": "Pages of the web that were tried, by outcome."},
    )
    seconds = fields.Dict(
        keys=fields.Str(),
        values=fields.Float(),
        required=True,
        metadata={"example": {"retrieve": 0.012, "answer": 0.031}},
    )
    embedded = fields.Float(
        metadata={
            "description": "The share of the candidates that were compared by meaning, 0 to 1."
            " Absent when there is no embedding model for the language of the question."
        }
    )
    model = fields.Nested(
        ModelStatsSchema, metadata={"description": "Only when a configured model was asked."}
    )


class UsedMemorySchema(Schema):
    id = PublicId(Noun.MEMORY, required=True)
    type = fields.Str(required=True)
    used_for = fields.Str(required=True, validate=validate.OneOf(["ranking", "answer"]))


class ResultSchema(Schema):
    answer = fields.Str(required=True, metadata={"example": _ANSWER})
    answered = fields.Bool(required=True)
    confidence = fields.Float(
        validate=validate.Range(0, 1),
        metadata={
            "example": 0.93,
            "description": "The probability that the sources answer the question, also when they "
            "are held not to. Absent in results from before it was kept.",
        },
    )
    answer_mode = fields.Str(required=True, validate=validate.OneOf(["extractive", "written"]))
    sources = fields.List(fields.Nested(SourceSchema), required=True)
    citations = fields.List(fields.Nested(CitationSchema), required=True)
    contradictions = fields.List(
        fields.Nested(ContradictionSchema),
        required=True,
        metadata={
            "example": [],
            "description": "Where sources disagree; the answer says so in its last line.",
        },
    )
    memories = fields.List(
        fields.Nested(UsedMemorySchema),
        metadata={
            "description": "Which memories of the persona were used: for the order of sources, or"
            " as notes for the model that wrote the answer. Absent when none was named."
        },
    )
    stats = fields.Nested(StatsSchema, required=True)


class SnapshotOut(Schema):
    url = fields.Str(required=True)
    title = fields.Str(required=True, allow_none=True, metadata={"example": "Barn owls"})
    text = fields.Str(required=True, metadata={"example": _TEXT})
    content_hash = fields.Str(
        required=True,
        metadata={
            "example": _TEXT_HASH,
            "description": "sha256:<hex> of `text`.",
        },
    )
    language = fields.Str(required=True, allow_none=True, metadata={"example": "en"})
    published_at = Time(required=True, allow_none=True)
    fetched_at = Time(required=True)
