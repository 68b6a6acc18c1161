"""The bodies that a caller sends and gets back."""

import re
from typing import Any, Final

import idna
from marshmallow import Schema, ValidationError, validate

from app.core.http import fields
from app.core.http.fields import (
    OF_ITS_PARTS,
    AnswerSchema,
    Integer,
    Items,
    Part,
    PublicId,
    Text,
    Time,
)
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.library.documents.metadata import FilterIn
from app.domains.queue.jobs.statuses import STATUSES
from app.domains.search.memories.rules import PERSONA
from app.domains.search.searches.answer_state import OF_A_RESULT
from app.domains.search.searches.result_schemas import ResultSchema
from app.engine.answer.extracts import excerpts

_QUESTION: Final = "How many eggs does a barn owl lay?"

DEPTHS = ("quick", "standard", "deep")
FRESHNESS = re.compile(r"([1-9][0-9]{0,3}[hdwm]|[1-9][0-9]{0,2}y)")  # no year before 1

# A host name that is encoded as it stands, as most are. RFC 5891, section 4.2.3.1: hyphens neither
# at the ends of a label nor at its third and fourth place.
_LABEL = r"(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_PLAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)


class Domain(fields.Str):
    """A host name, in any script; loads as lower-case ASCII (IDNA)."""

    MOST_CHARACTERS = 253

    def __init__(self) -> None:
        super().__init__(
            format="idn-hostname", maxLength=self.MOST_CHARACTERS, examples=["example.org"]
        )

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


class PaidSearchIn(Schema):
    query = Text(
        required=True, most=2000, lines=True, example=_QUESTION, examples=["How do I start?"]
    )
    max_sources = Integer(load_default=8, validate=validate.Range(1, 20), example=5)
    # Without `load_default`: bodies sent again, after an upgrade too, are compared as they were.
    max_excerpt_chars = Integer(
        validate=validate.Range(0, excerpts.MOST_CHARACTERS),
        default=excerpts.DEFAULT_CHARACTERS,
        description="Maximum characters of excerpts per source; 0 for none.",
    )
    depth = fields.Str(load_default="standard", validate=validate.OneOf(DEPTHS))
    include_domains = Items(Domain(), most=20)
    exclude_domains = Items(Domain(), most=20)
    freshness = fields.Str(
        pattern=f"^{FRESHNESS.pattern}$",
        examples=["7d"],
        description="Maximum page age: a number and h, d, w, m or y.",
        validate=lambda text: _matches(FRESHNESS, text, "Must be a number and h, d, w, m or y."),
    )
    persona_id = fields.Str(
        pattern=f"^{PERSONA.pattern}$",
        description="Persona whose memory the search can use; 1 to 64 of A-Z a-z 0-9 _ -.",
        validate=lambda text: _matches(PERSONA, text, "Must be 1 to 64 of A-Z a-z 0-9 _ -."),
    )


class SearchIn(PaidSearchIn):
    follows = PublicId(
        Noun.SEARCH,
        description="A search of yours that the query refers to: its query is searched for as"
        " well.",
    )
    corpora = Items(
        Text(most=80),
        least=1,
        most=20,
        examples=[["handbook"]],
        description="Ids or names of corpora to search; without it, all of yours and of this"
        " server.",
    )
    filter = Part(
        FilterIn,
        example={"and": [{"field": "year", "gt": 2020}]},
        description="Search only documents of yours whose metadata meets these conditions.",
    )


def _matches(pattern: re.Pattern[str], text: str, problem: str) -> bool:
    if not pattern.fullmatch(text):
        raise ValidationError(problem)
    return True


class AcceptedSchema(AnswerSchema):
    id = PublicId(Noun.SEARCH)
    status = fields.Str(validate=validate.OneOf(STATUSES), example="running")


class PaidAcceptedSchema(AnswerSchema):
    search = fields.Nested(AcceptedSchema)
    access_token = fields.Str(
        example="cga_...",
        description="Secret token to read the search: `Authorization: Bearer ...`.",
    )


class PageReadSchema(AnswerSchema):
    """A page that a running search has read."""

    url = fields.Str()
    title = fields.Str(allow_none=True)


class ProgressSchema(AnswerSchema):
    percent = fields.Int()
    stage = fields.Str()
    sources_found = fields.Int()
    pages = fields.List(
        fields.Nested(PageReadSchema),
        description="Pages read, at most 20; none once it is finished.",
    )


class FollowedSchema(AnswerSchema):
    """The search that this one follows."""

    id = PublicId(Noun.SEARCH)
    query = fields.Str(example=_QUESTION)


class FailureSchema(AnswerSchema):
    code = fields.Str()
    message = fields.Str()
    retryable = fields.Bool()


class SearchListedSchema(Schema):
    """A search without its answer."""

    id = PublicId(Noun.SEARCH, required=True)
    status = fields.Str(required=True, validate=validate.OneOf(STATUSES))
    query = fields.Str(required=True, example=_QUESTION)
    follows = fields.Nested(FollowedSchema, description="Only of a follow-up.")
    created_at = Time(required=True)
    started_at = Time(required=True, allow_none=True)
    completed_at = Time(required=True, allow_none=True)
    expires_at = Time(required=True)
    deadline_at = Time(required=True)
    progress = fields.Nested(ProgressSchema, required=True)
    attempts = fields.Int(required=True)
    warnings = fields.List(fields.Str(), required=True)
    error = fields.Nested(FailureSchema, description="Only if failed.")
    answer_state = fields.Str(
        validate=validate.OneOf(OF_A_RESULT), example="answered", description="Only if completed."
    )


class SearchOut(SearchListedSchema):
    result = fields.Nested(ResultSchema, example=OF_ITS_PARTS, description="Only if completed.")


SearchPageSchema = page_schema("SearchPageSchema", searches=SearchListedSchema)


class SearchesIn(PageIn):
    status = fields.Str(validate=validate.OneOf(STATUSES), description="Filter by state.")
    contains = Text(most=200, description="Filter by words in the query.")
