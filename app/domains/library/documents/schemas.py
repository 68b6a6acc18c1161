"""The bodies of corpora and documents that a caller sends and gets back."""

from typing import Any, Final

from marshmallow import Schema, ValidationError, validate

from app.core import ids
from app.core.http import fields
from app.core.http.fields import AnswerSchema, PublicId, Time
from app.core.http.names import Name
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.library.documents.metadata import DocumentMetadata
from app.domains.library.pages.addresses import WebUrl

STATES: Final = ("waiting", "ready", "failed")
MOST_KEY_CHARACTERS: Final = 500
MOST_BODY_BYTES: Final = 20 << 20


class CorpusName(Name):
    """A name that no id can be."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(most=80, examples=["handbook"], **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        name = super()._deserialize(value, attr, data, **kwargs)
        if ids.internal(Noun.CORPUS, name) is not None:
            raise ValidationError("Must be a name, not the id of a corpus.")
        return name


class CorpusIn(Schema):
    name = CorpusName(required=True)


class CorpusSchema(AnswerSchema):
    """A corpus of your account."""

    id = PublicId(Noun.CORPUS)
    name = fields.Str(example="handbook")
    documents = fields.Int(example=12)
    waiting = fields.Int(example=1, description="Documents that are being read.")
    failed = fields.Int(example=0, description="Documents that are unreadable.")
    bytes = fields.Int(example=48213)
    created_at = Time()


CorpusPageSchema = page_schema("CorpusPageSchema", corpora=CorpusSchema)


class DocumentSchema(AnswerSchema):
    """A document of your account."""

    key = fields.Str(example="guide/intro.md")
    corpus_id = PublicId(Noun.CORPUS)
    state = fields.Str(
        validate=validate.OneOf(STATES), description="Searches find it when it is `ready`."
    )
    reason = fields.Str(
        allow_none=True,
        example=None,
        description="Why it failed, for example `encrypted`; of a `ready` one, why parts of it are"
        " left out.",
    )
    title = fields.Str(allow_none=True, example="Introduction")
    language = fields.Str(allow_none=True, example="en")
    url = fields.Str(
        allow_none=True, example=None, description="Where it is fetched from; null if uploaded."
    )
    media_type = fields.Str(
        allow_none=True, example="text/markdown", description="Null until it is fetched."
    )
    bytes = fields.Int(example=4021)
    content_hash = fields.Str(
        allow_none=True,
        example=f"sha256:{'0' * 64}",
        description="SHA-256 of the content; null until it is fetched.",
    )
    version = fields.Int(
        example=1, description="Grows when other content is uploaded, and when it is fetched anew."
    )
    passages = fields.Int(example=7)
    metadata = DocumentMetadata()
    uploaded_at = Time()
    read_at = Time(allow_none=True)


DocumentPageSchema = page_schema("DocumentPageSchema", documents=DocumentSchema)


class DocumentUrlIn(Schema):
    url = WebUrl(required=True)


class DocumentChangeIn(Schema):
    metadata = DocumentMetadata(
        required=True, description="Replaces what the document has. See `filter`."
    )


class DocumentsIn(PageIn):
    state = fields.Str(validate=validate.OneOf(STATES), description="Filter by state.")


_BINARY: Final = {"type": "string", "format": "binary"}
_EXAMPLE: Final = "# Introduction\n\nIt starts with `make run`.\n"

CONTENT: Final = {
    "requestBody": {
        "required": True,
        "description": (
            "The document as it is, or a form with one file, up to 20 MB; or, as"
            " `application/json`, the address to fetch it from. Its `Content-Type` is"
            " that of the document; with `application/octet-stream` or none the ending of the key"
            " decides, else it is text."
        ),
        "content": {
            "application/octet-stream": {"schema": _BINARY, "example": _EXAMPLE},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {"file": _BINARY},
                    "required": ["file"],
                    "additionalProperties": False,
                },
                "example": {"file": _EXAMPLE},
            },
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"url": {"type": "string", "format": "uri"}},
                    "required": ["url"],
                    "additionalProperties": False,
                },
                "example": {"url": "https://birds.example.org/owls"},
            },
        },
    }
}
"""The body of an upload, as OpenAPI describes it."""


class BatchErrorSchema(AnswerSchema):
    code = fields.Str(example="unsupported_media_type")
    message = fields.Str()


class BatchResultSchema(Schema):
    """The result of one line."""

    key = fields.Str(required=True, allow_none=True, example="guide/intro.md")
    outcome = fields.Str(
        required=True, validate=validate.OneOf(("accepted", "unchanged", "refused"))
    )
    error = fields.Nested(BatchErrorSchema, description="Only if refused.")


class BatchOut(AnswerSchema):
    results = fields.List(
        fields.Nested(BatchResultSchema), description="One for each line, in order."
    )


BATCH: Final = {
    "requestBody": {
        "required": True,
        "description": (
            "A JSON object in each line: `key`, one of `content`, `content_base64` and `url`, and,"
            " where wanted, `media_type` and `metadata`. Or a ZIP of up to 20 MB, 64 MB unpacked:"
            " each file under its path."
        ),
        "content": {
            "application/zip": {"schema": _BINARY},
            "application/x-ndjson": {
                "schema": {"type": "string"},
                "example": '{"key": "intro.md", "content": "# Introduction"}\n',
            },
        },
    }
}
"""The body of a batch, as OpenAPI describes it."""
