"""The result of a search: the answer with its sources, citations and their stored texts."""

from hashlib import sha256
from typing import Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, PublicId, Time
from app.core.ids import Noun
from app.domains.search.searches.answer_state import OF_A_RESULT
from app.domains.search.searches.quality_schemas import QualitySchema

_QUOTE: Final = "A clutch holds four to seven eggs, which hatch after 30 days."
_TEXT: Final = f"{_QUOTE} Both parents feed the young."
_TEXT_HASH: Final = f"sha256:{sha256(_TEXT.encode()).hexdigest()}"
_ANSWER: Final = f"{_QUOTE} [1]"

PAGE: Final = (
    "Page of the document that `lead_start` is on, from 1. Absent for what has no pages, and in "
    "results from before it was kept."
)


class ExcerptSchema(Schema):
    """`text` equals `snapshot_text[start:end]`. `snapshot_text[lead_start:lead_end]` is the part
    that best fits the question.
    """

    text = fields.Str(required=True, example=_TEXT)
    start = fields.Int(required=True, example=0)
    end = fields.Int(required=True, example=len(_TEXT))
    lead_start = fields.Int(required=True, example=0)
    lead_end = fields.Int(required=True, example=len(_QUOTE))
    headings = fields.List(
        fields.Str(),
        required=True,
        example=["Barn owls", "Breeding"],
        description="Headings above the excerpt, from top to bottom; at most six, shortened.",
    )
    page = fields.Int(example=1, description=PAGE)
    score = fields.Float(
        required=True,
        validate=validate.Range(0, 1),
        example=1.0,
        description="Score of the passage relative to the best one, which has 1. Comparable "
        "within one result only; not a probability.",
    )


class SourceSchema(Schema):
    n = fields.Int(required=True)
    title = fields.Str(required=True, example="Barn owls")
    url = fields.Str(required=True)
    quality_score = fields.Float(required=True, example=0.78)
    quality = fields.Nested(QualitySchema, required=True)
    published_at = Time(required=True, allow_none=True)
    fetched_at = Time(required=True)
    content_hash = fields.Str(required=True, example=_TEXT_HASH)
    excerpts = fields.List(
        fields.Nested(ExcerptSchema),
        required=True,
        description="Best passages for the question, even without an answer.",
    )


LEAD = (
    "`snapshot_text[lead_start:lead_end]`, within the quote, is what answers; the rest is there to "
    "understand it."
)


class CitationSchema(Schema):
    """`quote` equals `snapshot_text[start:end]`; all offsets count Unicode code points."""

    n = fields.Int(required=True, description="Number of the marker [n] in the answer.")
    source = fields.Int(required=True, description="`n` of the source.")
    quote = fields.Str(required=True, example=_QUOTE)
    start = fields.Int(required=True, example=0)
    end = fields.Int(required=True, example=len(_QUOTE))
    lead_start = fields.Int(required=True, example=0, description=LEAD)
    lead_end = fields.Int(required=True, example=len(_QUOTE), description=LEAD)
    headings = fields.List(
        fields.Str(),
        example=["Breeding", "Clutch"],
        description="Headings above the quote, outermost first; the name of an entry of a "
        "reference is one. Absent in results from before it was kept.",
    )
    page = fields.Int(example=1, description=PAGE)
    prefix = fields.Str(required=True, example="")
    suffix = fields.Str(required=True, example=_TEXT.removeprefix(_QUOTE))
    answer_start = fields.Int(required=True, example=0)
    answer_end = fields.Int(required=True, example=len(_ANSWER))
    match = fields.Str(required=True, validate=validate.OneOf(["exact", "normalised"]))
    support = fields.Str(
        required=True,
        validate=validate.OneOf(["verified", "lexical"]),
        description="How closely the sentence follows its quotes. `verified`: it repeats a "
        "quote. `lexical`: its numbers, names and most words appear in the quotes. Neither "
        "value confirms that the quote is true or answers the question.",
    )


class ContradictionSchema(AnswerSchema):
    """Different values from different sources, each with the `n` of its citation."""

    values = fields.List(fields.Str())
    citations = fields.List(fields.Int())


class WrittenSentencesSchema(AnswerSchema):
    written = fields.Int()
    verified = fields.Int()
    lexical = fields.Int()
    dropped = fields.Int()


class ModelStatsSchema(Schema):
    """Statistics of all model calls. An `outcome` other than `ok` means extracts or no answer."""

    name = fields.Str(required=True)
    outcome = fields.Str(required=True)
    rounds = fields.Int(description="2 if the model was asked about further passages.")
    queries = fields.List(fields.Str(), description="Queries by the model.")
    cost = fields.Float(description="Based on MODEL_INPUT_PRICE and MODEL_OUTPUT_PRICE, if set.")
    input_tokens = fields.Int(required=True)
    output_tokens = fields.Int(required=True)
    seconds = fields.Float(required=True)
    sentences = fields.Nested(WrittenSentencesSchema, required=True)


class StatsSchema(Schema):
    engines = fields.List(fields.Dict(), required=True, example=[])
    pages_read = fields.Int(required=True, example=8)
    pages = fields.Dict(keys=fields.Str(), values=fields.Int(), description="Web pages by outcome.")
    seconds = fields.Dict(
        keys=fields.Str(),
        values=fields.Float(),
        required=True,
        example={"retrieve": 0.012, "answer": 0.031},
    )
    embedded = fields.Float(
        description="Share of candidates compared by meaning, from 0 to 1. Absent without "
        "an embedding model for the language of the question."
    )
    model = fields.Nested(ModelStatsSchema, description="Only if a model was used.")


class UsedMemorySchema(AnswerSchema):
    id = PublicId(Noun.MEMORY)
    type = fields.Str()
    used_for = fields.Str(validate=validate.OneOf(["ranking", "answer"]))


class ResultSchema(Schema):
    answer = fields.Str(required=True, example=_ANSWER)
    answered = fields.Bool(required=True)
    state = fields.Str(
        required=True,
        validate=validate.OneOf(OF_A_RESULT),
        description="`answered`, `perhaps` if `confidence` is below 0.5 (the answer may not "
        "be right), `sources_disagree` if sources give different values, or "
        "`no_answer`.",
    )
    confidence = fields.Float(
        required=True,
        validate=validate.Range(0, 1),
        example=0.93,
        description="An estimate of the probability that the answer shown is right, "
        "calibrated on manuals and encyclopedia articles, not on your sources. Without an "
        "answer, that of the nearest passages.",
    )
    sources_confidence = fields.Float(
        validate=validate.Range(0, 1),
        example=0.97,
        description="An estimate of the probability that the sources contain an answer at "
        "all, which decides whether one is shown. Absent in older results.",
    )
    answer_mode = fields.Str(required=True, validate=validate.OneOf(["extractive", "written"]))
    sources = fields.List(fields.Nested(SourceSchema), required=True)
    citations = fields.List(fields.Nested(CitationSchema), required=True)
    contradictions = fields.List(
        fields.Nested(ContradictionSchema),
        required=True,
        example=[],
        description="Disagreements between sources, also listed in the last line of the answer.",
    )
    memories = fields.List(
        fields.Nested(UsedMemorySchema),
        description="Memories of the persona used for ranking or as notes for the model. "
        "Absent without a persona.",
    )
    stats = fields.Nested(StatsSchema, required=True)


class SnapshotOut(Schema):
    url = fields.Str(required=True)
    title = fields.Str(required=True, allow_none=True, example="Barn owls")
    text = fields.Str(required=True, example=_TEXT)
    content_hash = fields.Str(
        required=True, example=_TEXT_HASH, description="sha256:<hex> of `text`."
    )
    language = fields.Str(required=True, allow_none=True, example="en")
    published_at = Time(required=True, allow_none=True)
    fetched_at = Time(required=True)
    pages = fields.List(
        fields.Int(),
        attribute="facts.pages",
        example=[0],
        description="Start in `text` of each page of the document. Absent for what has no pages.",
    )
