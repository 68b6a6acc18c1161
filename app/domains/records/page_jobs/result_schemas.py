"""Results of jobs: runs, pages, changes, and records with the passage of each value."""

from typing import Final

from marshmallow import validate

from app.core.http import fields
from app.core.http.exports import forms
from app.core.http.fields import (
    STORABLE,
    AnswerSchema,
    PublicId,
    QueryFlag,
    Seconds,
    Time,
    id_pattern,
)
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.schemas import STOP_REASONS, JobFailureSchema, ValidationSchema

RUN, RECORD, SNAPSHOT, CHANGE = "run", "rec", "snap", "chg"
RUN_STATUSES: Final = ("running", "completed", "failed", "cancelled", "skipped_overlap")
VERDICTS: Final = ("same", "new", "changed", "removed", "error")
UNSURE: Final = fields.List(
    fields.Str(),
    required=True,
    example=[],
    description="Pointers of values with a confidence below 0.9.",
)


class RunPagesSchema(AnswerSchema):
    """Page counts. The last five compare with the previous run."""

    found = fields.Int()
    done = fields.Int()
    failed = fields.Int()
    same = fields.Int()
    new = fields.Int()
    changed = fields.Int()
    removed = fields.Int()
    error = fields.Int()


class RunOut(AnswerSchema):
    id = PublicId(Noun.RUN)
    n = fields.Int()
    tick = Time(allow_none=True, description="Scheduled time, if any.")
    status = fields.Str(validate=validate.OneOf(RUN_STATUSES))
    stop_reason = fields.Str(
        allow_none=True, validate=validate.OneOf([None, *STOP_REASONS]), example="done"
    )
    pages = fields.Nested(RunPagesSchema)
    records = fields.Int()
    stats = fields.Dict()
    validation = fields.Nested(ValidationSchema, allow_none=True, example=None)
    error = fields.Nested(JobFailureSchema, allow_none=True, example=None)
    started_at = Time(allow_none=True)
    completed_at = Time(allow_none=True)


RunPageSchema = page_schema("RunPageSchema", runs=RunOut)


class OfRunIn(PageIn):
    run = fields.Str(pattern=id_pattern(Noun.RUN), description="Run to read. Default: the latest.")


class PagesIn(OfRunIn):
    outcome = fields.Str(
        validate=validate.Length(1, 60),
        pattern=STORABLE,
        description="Filter by outcome, such as `read`.",
    )


class PageOut(AnswerSchema):
    """A page of a run. Outcomes other than `read`, `unchanged`, `duplicate`, `redirected` and
    `canonical` are failures.
    """

    url = fields.Str()
    outcome = fields.Str(allow_none=True, example="read")
    verdict = fields.Str(allow_none=True)
    records = fields.Int()
    snapshot = PublicId(Noun.SNAPSHOT, allow_none=True, attribute="snapshot_id")
    fetched_at = Time(allow_none=True)


PagePageSchema = page_schema("PagePageSchema", pages=PageOut)


class ChangesIn(PageIn):
    run = fields.Str(pattern=id_pattern(Noun.RUN), description="Run to read. Default: all.")
    verdict = fields.Str(validate=validate.OneOf(VERDICTS), description="Filter by verdict.")


class ChangeOut(AnswerSchema):
    """A difference from the previous version of a page."""

    id = PublicId(Noun.CHANGE)
    run = PublicId(Noun.RUN)
    url = fields.Str()
    verdict = fields.Str(validate=validate.OneOf(VERDICTS))
    record = PublicId(Noun.RECORD, allow_none=True)
    fields_ = fields.List(
        fields.Dict(),
        data_key="fields",
        attribute="fields",
        description="Each `{pointer, previous, current}` with both provenances.",
    )
    difference = fields.Str(allow_none=True)
    snapshot = PublicId(Noun.SNAPSHOT, allow_none=True)
    previous_snapshot = PublicId(Noun.SNAPSHOT, allow_none=True)
    moved_to = fields.Str(allow_none=True)
    returned = fields.Bool()
    created_at = Time(allow_none=True)


ChangePageSchema = page_schema("ChangePageSchema", changes=ChangeOut)


class PageTextSchema(AnswerSchema):
    """Text of a page: `text[:visible_end]` is visible, the rest is structured data."""

    id = PublicId(Noun.SNAPSHOT)
    url = fields.Str()
    text = fields.Str(example=example_page.TEXT)
    visible_end = fields.Int(example=len(example_page.TEXT))
    content_hash = fields.Str(example=example_page.TEXT_HASH)
    fetched_at = Time()


class UnsatisfiedSchema(AnswerSchema):
    """A violation of the schema."""

    pointer = fields.Str()
    keyword = fields.Str()
    expected = fields.Raw(allow_none=True)
    actual = fields.Raw(allow_none=True)


class CandidateSchema(AnswerSchema):
    """A possible value that is more probably wrong than right."""

    value = fields.Raw(allow_none=True)
    confidence = fields.Float(description="Probability that the value is right.")
    quote = fields.Str()
    start = fields.Int()
    end = fields.Int()


class ProvenanceSchema(AnswerSchema):
    """`quote` equals `text[start:end]` of the snapshot; offsets count Unicode code points."""

    pointer = fields.Str(description="Of the value in `data`.")
    kind = fields.Str(
        validate=validate.OneOf(["visible", "structured"]),
        description="`visible` text or structured data of the page.",
    )
    source_url = fields.Str()
    snapshot = PublicId(Noun.SNAPSHOT)
    content_hash = fields.Str()
    fetched_at = Time()
    quote = fields.Str()
    start = fields.Int()
    end = fields.Int()
    prefix = fields.Str()
    suffix = fields.Str()
    selector = fields.Str(allow_none=True, description="An XPath.")
    json_pointer = fields.Str(
        allow_none=True, description="`/script[n]#` and a pointer, of structured data."
    )
    method = fields.Str(
        description="json_ld, microdata, rdfa, opengraph, table, labels, repeated, text or llm."
    )
    transform = fields.Str(description="Conversion from the quote to the value.")
    match = fields.Str()
    confidence = fields.Float(description="Probability that the value is right.")


class RecordOut(AnswerSchema):
    id = PublicId(Noun.RECORD)
    url = fields.Str()
    final = fields.Bool(description="False while the run can still change the record.")
    confidence = fields.Float(description="Expected share of right values.")
    unsure = UNSURE
    data = fields.Dict(example=example_page.DATA)
    unsatisfied = fields.List(fields.Nested(UnsatisfiedSchema), example=[])
    candidates = fields.Dict(
        keys=fields.Str(),
        values=fields.List(fields.Nested(CandidateSchema)),
        description="Possible values below a confidence of 0.5, by pointer.",
    )
    provenance = fields.List(fields.Nested(ProvenanceSchema), example=[example_page.QUOTE])


RecordPageSchema = page_schema("RecordPageSchema", records=RecordOut)


class RecordsIn(PageIn):
    run = fields.Str(pattern=id_pattern(Noun.RUN), description="Run to read. Default: the latest.")
    min_confidence = Seconds(
        load_default=0.0, validate=validate.Range(0, 1), description="Minimum confidence."
    )
    provenance = QueryFlag(
        load_default=False, description="CSV: add a column with the quote of each value."
    )
    bom = QueryFlag(
        load_default=False, description="CSV: start with a byte order mark, for spreadsheets."
    )


EXPORTS: Final = forms.documented(
    RecordPageSchema,
    '{"id": "rec_...", "data": {"name": "Lamp", "price": 9.5}}\n',
    "_id,_url,_fetched_at,_confidence,_unsure,name,price\r\n",
)
