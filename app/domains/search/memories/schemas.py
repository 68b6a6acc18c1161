"""Bodies and answers of personas' memory."""

from datetime import UTC, datetime
from typing import Any, Final

from marshmallow import Schema, ValidationError, missing, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, Items, PublicId, Text, Time, id_pattern
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.search.memories.rules import APPROVED, MOST_VERSIONS, TYPES, ApprovalRequired

MOST_CHARACTERS: Final = 8_000
MOST_TAGS: Final = 20
TAG_CHARACTERS: Final = 64


class Approval(fields.Str):
    """`user_approved`. Anything else, and nothing, is ApprovalRequired before all other checks."""

    def __init__(self, *, required: bool) -> None:
        description = "Confirms that the user approved the storage of this text."
        super().__init__(required=required, enum=[APPROVED], description=description)

    def deserialize(self, value: Any, attr: Any = None, data: Any = None, **kwargs: Any) -> Any:
        if value is missing and not self.required:
            return missing
        if value != APPROVED:
            raise ApprovalRequired
        return value


class Tag(Text):
    def __init__(self, description: str = "A label.") -> None:
        super().__init__(most=TAG_CHARACTERS, examples=["reading"], description=description)


def _content(**kwargs: Any) -> Text:
    examples = ["Prefer docs.python.org over other sites about Python."]
    return Text(most=MOST_CHARACTERS, lines=True, examples=examples, **kwargs)


def _expires_at(**kwargs: Any) -> Time:
    return Time(
        allow_none=True,
        validate=_later,
        examples=["2030-01-01T00:00:00Z"],
        description="Expiry. Expired memories are not used and are deleted soon.",
        **kwargs,
    )


def _later(at: datetime | None) -> bool:
    if at is not None and at <= datetime.now(UTC):
        raise ValidationError("Must be in the future.")
    return True


def _type(**kwargs: Any) -> fields.Str:
    return fields.Str(validate=validate.OneOf(TYPES), **kwargs)


class MemoryIn(Schema):
    source = Approval(required=True)
    type = _type(required=True)
    content = _content(required=True)
    visibility = fields.Str(load_default="private", validate=validate.OneOf(["private"]))
    tags = Items(Tag(), most=MOST_TAGS, load_default=list)
    supersedes = fields.Str(
        pattern=id_pattern(Noun.MEMORY), description="Id of the memory to replace."
    )
    expires_at = _expires_at()


class MemoryChangeSchema(Schema):
    source = Approval(required=False)
    content = _content()
    tags = Items(Tag(), most=MOST_TAGS)
    expires_at = _expires_at()


class VersionOut(AnswerSchema):
    """A previous version of a memory."""

    version = fields.Int()
    content = fields.Str()
    tags = fields.List(fields.Str())
    created_at = Time()


class MemoryListedSchema(AnswerSchema):
    id = PublicId(Noun.MEMORY)
    persona_id = fields.Str()
    type = _type()
    content = fields.Str(example="Prefer docs.python.org over other sites about Python.")
    source = fields.Str(example="user_approved")
    visibility = fields.Str()
    tags = fields.List(fields.Str())
    version = fields.Int()
    created_at = Time()
    updated_at = Time()
    expires_at = Time(allow_none=True)
    supersedes = PublicId(Noun.MEMORY, allow_none=True)
    superseded_by = PublicId(Noun.MEMORY, allow_none=True)


class MemorySchema(MemoryListedSchema):
    history = fields.List(
        fields.Nested(VersionOut),
        example=[],
        description=f"Former versions, newest first; the last {MOST_VERSIONS}.",
    )


class MemoryOut(AnswerSchema):
    memory = fields.Nested(MemorySchema)


MemoryPageSchema = page_schema("MemoryPageSchema", memory=MemoryListedSchema)


class PersonaSchema(AnswerSchema):
    persona_id = fields.Str()
    memories = fields.Int(description="Without superseded and expired ones.")
    changed_at = Time(allow_none=True)


PersonaPageSchema = page_schema("PersonaPageSchema", personas=PersonaSchema)


class MemoriesIn(PageIn):
    type = _type(description="Filter by type.")
    tag = Tag("Only memories with this tag.")
    q = Text(
        most=2_000,
        examples=["which sites to trust"],
        description="Search text. Returns one page of matches, best first.",
    )


class EraseIn(Schema):
    confirm = fields.Str(description="Name of the persona, for confirmation.", examples=["me"])


# Each line is a memory with its history; not marshmallow's to write, so as plain JSON Schema.
EXPORT: dict[str, Any] = {
    "type": "string",
    "examples": ['{"id":"mem_...","type":"fact","content":"Works with Postgres.","history":[]}'],
}
