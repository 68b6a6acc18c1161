"""What a caller sends and what a caller gets back (contract 3)."""

import re
from typing import Any

import idna
from marshmallow import Schema, ValidationError, fields, validate

from app.core.http.fields import Integer, PublicId, Seconds, Text, Time
from app.core.http.paging import PageIn
from app.domains.searches import states

FRESHNESS = re.compile(r"([1-9][0-9]{0,3}[hdwm]|[1-9][0-9]{0,2}y)")  # no year before 1
PERSONA = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Domain(fields.Str):
    """A host name, in any script; loads as lower-case ASCII (IDNA)."""

    def __init__(self) -> None:
        super().__init__(metadata={"format": "idn-hostname", "examples": ["example.org"]})

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        text = str(super()._deserialize(value, attr, data, **kwargs)).strip().rstrip(".")
        try:
            return idna.encode(text, uts46=True, std3_rules=True).decode().lower()
        except idna.IDNAError:
            raise ValidationError("Not a domain such as example.org.") from None


class SearchIn(Schema):
    query = Text(required=True, most=2000, lines=True, metadata={"examples": ["How do I start?"]})
    max_sources = Integer(load_default=8, validate=validate.Range(1, 20))
    depth = fields.Str(
        load_default="standard", validate=validate.OneOf(["quick", "standard", "deep"])
    )
    include_domains = fields.List(Domain(), validate=validate.Length(max=20))
    exclude_domains = fields.List(Domain(), validate=validate.Length(max=20))
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


class Accepted(Schema):
    id = PublicId(states.PREFIX, required=True)
    status = fields.Str(required=True, validate=validate.OneOf(states.PUBLIC))


class PaidAccepted(Schema):
    search = fields.Nested(Accepted, required=True)
    access_token = fields.Str(
        required=True,
        metadata={"description": "Reads the search: `Authorization: Bearer ...`. Keep it secret."},
    )


class Progress(Schema):
    percent = fields.Int(required=True)
    stage = fields.Str(required=True)
    sources_found = fields.Int(required=True)


class Failure(Schema):
    code = fields.Str(required=True)
    message = fields.Str(required=True)
    retryable = fields.Bool(required=True)


class Quality(Schema):
    relevance = fields.Float(required=True, allow_none=True)
    authority = fields.Float(required=True, allow_none=True)
    freshness = fields.Float(required=True, allow_none=True)
    content = fields.Float(required=True, allow_none=True)
    agreement = fields.Float(required=True, allow_none=True)
    formula = fields.Str(required=True)


class Source(Schema):
    n = fields.Int(required=True)
    title = fields.Str(required=True)
    url = fields.Str(required=True)
    quality_score = fields.Float(required=True)
    quality = fields.Nested(Quality, required=True)
    published_at = Time(required=True, allow_none=True)
    fetched_at = Time(required=True)
    content_hash = fields.Str(required=True)


class Citation(Schema):
    """`quote` equals `snapshot_text[start:end]`; all offsets count Unicode code points."""

    n = fields.Int(required=True, metadata={"description": "The marker [n] in the answer."})
    source = fields.Int(required=True, metadata={"description": "`n` of the source."})
    quote = fields.Str(required=True)
    start = fields.Int(required=True)
    end = fields.Int(required=True)
    prefix = fields.Str(required=True)
    suffix = fields.Str(required=True)
    answer_start = fields.Int(required=True)
    answer_end = fields.Int(required=True)
    match = fields.Str(required=True, validate=validate.OneOf(["exact", "normalised"]))


class Stats(Schema):
    engines = fields.List(fields.Dict(), required=True)
    pages_read = fields.Int(required=True)
    seconds = fields.Dict(keys=fields.Str(), values=fields.Float(), required=True)


class Result(Schema):
    answer = fields.Str(required=True)
    answered = fields.Bool(required=True)
    answer_mode = fields.Str(required=True, validate=validate.OneOf(["extractive", "written"]))
    sources = fields.List(fields.Nested(Source), required=True)
    citations = fields.List(fields.Nested(Citation), required=True)
    stats = fields.Nested(Stats, required=True)


class SearchListed(Schema):
    """A search without its answer."""

    id = PublicId(states.PREFIX, required=True)
    status = fields.Str(required=True, validate=validate.OneOf(states.PUBLIC))
    query = fields.Str(required=True)
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    completed_at = Time(required=True, allow_none=True)
    expires_at = Time(required=True)
    deadline_at = Time(required=True)
    progress = fields.Nested(Progress, required=True)
    attempts = fields.Int(required=True)
    warnings = fields.List(fields.Str(), required=True)
    error = fields.Nested(Failure, metadata={"description": "Only when failed."})


class SearchOut(SearchListed):
    result = fields.Nested(Result, metadata={"description": "Only when completed."})


class SearchPage(Schema):
    searches = fields.List(fields.Nested(SearchListed), required=True)
    has_more = fields.Bool(required=True)
    next_cursor = fields.Str(required=True, allow_none=True)


class SearchesIn(PageIn):
    status = fields.Str(
        validate=validate.OneOf(states.PUBLIC),
        metadata={"description": "Only searches in this state."},
    )


class WaitIn(Schema):
    wait = Seconds(
        load_default=0.0,
        validate=validate.Range(0, 30),
        metadata={"description": "Hold the answer up to so many seconds until it is final."},
    )


# Each server-sent event; not marshmallow's to write, so as plain JSON Schema.
EVENT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "enum": ["status", "progress", "completed"]},
        "id": {"type": "string", "description": "For `Last-Event-ID`."},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "id", "data"],
}


class SnapshotOut(Schema):
    url = fields.Str(required=True)
    title = fields.Str(required=True, allow_none=True)
    text = fields.Str(required=True)
    content_hash = fields.Str(required=True, metadata={"description": "sha256:<hex> of `text`."})
    language = fields.Str(required=True, allow_none=True)
    published_at = Time(required=True, allow_none=True)
    fetched_at = Time(required=True)
