"""What a caller sends and what a caller gets back."""

import re
from hashlib import sha256
from typing import Any, Final

import idna
from marshmallow import Schema, ValidationError, fields, validate

from app.core.http.fields import OF_ITS_PARTS, Integer, Items, PublicId, Text, Time
from app.core.http.pagination import PageIn, page_schema
from app.domains.queue.jobs.statuses import STATUSES
from app.domains.search.searches.public_ids import PREFIX
from app.engine.answer.extracts import excerpts

_QUOTE: Final = "A clutch holds four to seven eggs, which hatch after 30 days."
_TEXT: Final = f"{_QUOTE} Both parents feed the young."
_TEXT_HASH: Final = f"sha256:{sha256(_TEXT.encode()).hexdigest()}"
_ANSWER: Final = f"{_QUOTE} [1]"
_QUESTION: Final = "How many eggs does a barn owl lay?"

DEPTHS = ("quick", "standard", "deep")
FRESHNESS = re.compile(r"([1-9][0-9]{0,3}[hdwm]|[1-9][0-9]{0,2}y)")  # no year before 1
PERSONA = re.compile(r"[A-Za-z0-9_-]{1,64}")

# A host name that is encoded as it stands, as most are. RFC 5891, section 4.2.3.1: hyphens neither
# at the ends of a label nor at its third and fourth place.
_LABEL = r"(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PLAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)


class Domain(fields.Str):
    """A host name, in any script; loads as lower-case ASCII (IDNA)."""

    MOST_CHARACTERS = 253

    def __init__(self) -> None:
        metadata = {
            "format": "idn-hostname",
            "maxLength": self.MOST_CHARACTERS,
            "examples": ["example.org"],
        }
        super().__init__(metadata=metadata)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip().rstrip(".")
        try:
            if len(text) > self.MOST_CHARACTERS:  # before it is encoded, which takes its time
                raise idna.IDNAError
            if _PLAIN.fullmatch(text):
                return text
            return idna.encode(text, uts46=True, std3_rules=True).decode().lower()
        except idna.IDNAError:
            raise ValidationError("Not a domain such as example.org.") from None


class SearchIn(Schema):
    query = Text(
        required=True,
        most=2000,
        lines=True,
        metadata={"example": _QUESTION, "examples": ["How do I start?"]},
    )
    max_sources = Integer(load_default=8, validate=validate.Range(1, 20), metadata={"example": 5})
    # Without `load_default`: bodies sent again, after an upgrade too, are compared as they were.
    max_excerpt_chars = Integer(
        validate=validate.Range(0, excerpts.MOST_CHARACTERS),
        metadata={
            "default": excerpts.DEFAULT_CHARACTERS,
            "description": "Most characters of the excerpts of one source; 0 for none.",
        },
    )
    depth = fields.Str(load_default="standard", validate=validate.OneOf(DEPTHS))
    include_domains = Items(Domain(), most=20)
    exclude_domains = Items(Domain(), most=20)
    freshness = fields.Str(
        metadata={
            "pattern": f"^{FRESHNESS.pattern}$",
            "examples": ["7d"],
            "description": "Only pages this young: a number and h, d, w, m or y.",
        },
        validate=lambda text: _matches(FRESHNESS, text, "Takes a number and h, d, w, m or y."),
    )
    persona_id = fields.Str(
        metadata={
            "pattern": f"^{PERSONA.pattern}$",
            "description": "1 to 64 of A-Z a-z 0-9 _ -; the memory the answer may use.",
        },
        validate=lambda text: _matches(PERSONA, text, "Takes 1 to 64 of A-Z a-z 0-9 _ -."),
    )


def _matches(pattern: re.Pattern[str], text: str, problem: str) -> bool:
    if not pattern.fullmatch(text):
        raise ValidationError(problem)
    return True


class AcceptedSchema(Schema):
    id = PublicId(PREFIX, required=True)
    status = fields.Str(
        required=True, validate=validate.OneOf(STATUSES), metadata={"example": "running"}
    )


class PaidAcceptedSchema(Schema):
    search = fields.Nested(AcceptedSchema, required=True)
    access_token = fields.Str(
        required=True,
        metadata={
            "example": "cga_...",
            "description": "Reads the search: `Authorization: Bearer ...`. Keep it secret.",
        },
    )


class ProgressSchema(Schema):
    percent = fields.Int(required=True)
    stage = fields.Str(required=True)
    sources_found = fields.Int(required=True)


class FailureSchema(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    retryable = fields.Bool(required=True)


class RelevanceBasisSchema(Schema):
    """Features of the most relevant passage, 0 to 1, and its place in the snapshot."""

    coverage = fields.Float(required=True, allow_none=True)
    best_sentence = fields.Float(required=True, allow_none=True)
    bigram = fields.Float(required=True, allow_none=True)
    cosine = fields.Float(required=True, allow_none=True)
    start = fields.Int(required=True, allow_none=True)
    end = fields.Int(required=True, allow_none=True)


class AuthorityBasisSchema(Schema):
    """The operator's list decides; else links, engines and what the page says of itself."""

    domain = fields.Str(required=True, metadata={"description": "Registrable domain."})
    list = fields.Str(
        required=True, allow_none=True, validate=validate.OneOf([None, "allow", "deny"])
    )
    linking_domains = fields.Int(
        required=True,
        allow_none=True,
        metadata={"description": "Other registrable domains linking here, in our own crawl."},
    )
    engines_returning = fields.Int(required=True, allow_none=True)
    engines_asked = fields.Int(required=True, allow_none=True)
    https = fields.Bool(required=True, allow_none=True)
    author = fields.Bool(required=True, allow_none=True)
    publisher = fields.Bool(required=True, allow_none=True)
    contact = fields.Bool(required=True, allow_none=True)


class FreshnessBasisSchema(Schema):
    """`source` and `precision` say where the date stood and how exactly."""

    published_at = fields.Str(required=True, allow_none=True, metadata={"format": "date-time"})
    source = fields.Str(required=True, allow_none=True)
    precision = fields.Str(required=True, allow_none=True)
    wants_fresh = fields.Bool(required=True)
    half_life_days = fields.Int(required=True)


class ContentBasisSchema(Schema):
    """`distance_to_better` is the simhash distance to the nearest more relevant source."""

    words = fields.Int(required=True, metadata={"description": "Counted up to 300."})
    main_text_ratio = fields.Float(required=True, allow_none=True)
    language = fields.Str(required=True, allow_none=True)
    language_matches = fields.Bool(required=True, allow_none=True)
    blocked = fields.Str(
        required=True,
        allow_none=True,
        validate=validate.OneOf([None, "no", "soft_404", "paywall", "consent_wall", "thin_list"]),
    )
    distance_to_better = fields.Int(required=True, allow_none=True)


class AgreementBasisSchema(Schema):
    """Cited sentences of this source, and who of the independent sources supports them."""

    claims = fields.Int(required=True)
    supported = fields.Int(required=True)
    independent_sources = fields.Int(required=True, metadata={"description": "This one included."})
    supported_by = fields.List(
        fields.Int(), required=True, metadata={"description": "`n` of sources."}
    )


class BasisSchema(Schema):
    """The facts each part was computed from; null is not known."""

    relevance = fields.Nested(RelevanceBasisSchema, required=True)
    authority = fields.Nested(AuthorityBasisSchema, required=True)
    freshness = fields.Nested(FreshnessBasisSchema, required=True)
    content = fields.Nested(ContentBasisSchema, required=True)
    agreement = fields.Nested(AgreementBasisSchema, required=True)


class QualitySchema(Schema):
    """Parts of the score, 0 to 1; null is not known and leaves the mean."""

    relevance = fields.Float(required=True, allow_none=True, metadata={"example": 0.94})
    authority = fields.Float(required=True, allow_none=True, metadata={"example": 0.62})
    freshness = fields.Float(required=True, allow_none=True, metadata={"example": 0.8})
    content = fields.Float(required=True, allow_none=True, metadata={"example": 0.9})
    agreement = fields.Float(required=True, allow_none=True)
    formula = fields.Str(required=True, metadata={"example": "q1"})
    basis = fields.Nested(
        BasisSchema, metadata={"description": "Absent in results from before it was kept."}
    )


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
    id = PublicId("mem", required=True)
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


class SearchListedSchema(Schema):
    """A search without its answer."""

    id = PublicId(PREFIX, required=True)
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))
    query = fields.Str(required=True, metadata={"example": _QUESTION})
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    completed_at = Time(required=True, allow_none=True)
    expires_at = Time(required=True)
    deadline_at = Time(required=True)
    progress = fields.Nested(ProgressSchema, required=True)
    attempts = fields.Int(required=True)
    warnings = fields.List(fields.Str(), required=True)
    error = fields.Nested(FailureSchema, metadata={"description": "Only when failed."})


class SearchOut(SearchListedSchema):
    result = fields.Nested(
        ResultSchema, metadata={"example": OF_ITS_PARTS, "description": "Only when completed."}
    )


SearchPageSchema = page_schema("SearchPageSchema", searches=SearchListedSchema)


class SearchesIn(PageIn):
    status = fields.Str(
        validate=validate.OneOf(STATUSES),
        metadata={"description": "Only searches in this state."},
    )
    contains = Text(
        most=200, metadata={"description": "Only searches with these words in their query."}
    )


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
