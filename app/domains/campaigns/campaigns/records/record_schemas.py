"""Records as the owner of a campaign reads them; the pages they come from; money that moved."""

from typing import Final

from marshmallow import Schema, validate

from app.core.http import fields
from app.core.http.fields import AnswerSchema, PublicId, Time
from app.core.http.pagination import PageIn, page_schema
from app.core.ids import Noun
from app.domains.records.page_jobs import example_page
from app.domains.records.page_jobs.result_schemas import UNSURE, ProvenanceSchema

VERDICTS: Final = ("accept", "reject")
RECORD_STATES: Final = ("candidate", "accepted", "rejected", "unresolved")


class CampaignQuoteSchema(ProvenanceSchema):
    """`quote` equals `text[start:end]` of the snapshot; offsets count Unicode code points."""

    source_url = fields.Str(allow_none=True)
    snapshot = PublicId(Noun.SNAPSHOT, allow_none=True)
    content_hash = fields.Str(allow_none=True)
    fetched_at = Time(allow_none=True)
    method = fields.Str(description="As for extraction jobs, or `node` for a quote from a node.")
    confidence = fields.Float(
        description="Probability that the value is right; 1 for a quote from a node."
    )


class RecordReasonSchema(AnswerSchema):
    category = fields.Str(
        example="wrong_value",
        description="Category of the voters; for an unresolved record `no_consensus`, or"
        " `too_few_votes` if fewer votes counted than `min_validators`.",
    )
    reason = fields.Str(allow_none=True)


class CampaignRecordSchema(AnswerSchema):
    id = PublicId(Noun.CAMPAIGN_RECORD)
    run = PublicId(Noun.CAMPAIGN_RUN, attribute="run_id")
    url = fields.Str()
    version = fields.Int()
    data = fields.Dict(example=example_page.DATA)
    provenance = fields.List(fields.Nested(CampaignQuoteSchema), example=[example_page.QUOTE])
    unsure = UNSURE
    state = fields.Str(validate=validate.OneOf(RECORD_STATES))
    reasons = fields.List(fields.Nested(RecordReasonSchema), example=[])
    duplicate_of = PublicId(Noun.CAMPAIGN_RECORD, allow_none=True, example=None)
    contributed_by = fields.Str(validate=validate.OneOf(["node", "built_in"]))
    verified_at = Time(allow_none=True)
    due_at = Time(allow_none=True)
    validated_by = fields.List(
        fields.Dict(),
        example=[{"kind": "node", "verdict": "accept"}],
        description="Votes, or built-in checks where no voting node was available.",
    )
    independent_votes = fields.Int(
        description="Votes that counted. Below `min_validators` no record is accepted"
        " while voting nodes are available."
    )
    owner_verdict = fields.Str(
        allow_none=True,
        validate=validate.OneOf([None, *VERDICTS]),
        example=None,
        description="Your judgement. It does not decide the record.",
    )
    created_at = Time()


CampaignRecordPageSchema = page_schema("CampaignRecordPageSchema", records=CampaignRecordSchema)


class JudgementIn(Schema):
    """The judgement of a campaign's owner on a record."""

    verdict = fields.Str(required=True, validate=validate.OneOf(VERDICTS))


class CampaignRecordsIn(PageIn):
    state = fields.Str(
        load_default="accepted",
        validate=validate.OneOf([*RECORD_STATES, "any"]),
        description="Filter by state.",
    )


class CampaignWorkSchema(AnswerSchema):
    """A page that a run reads."""

    id = PublicId(Noun.CAMPAIGN_PAGE)
    run = PublicId(Noun.CAMPAIGN_RUN, attribute="run_id")
    url = fields.Str()
    kinds = fields.List(fields.Str(), example=["web"])
    rechecks = fields.List(
        PublicId(Noun.CAMPAIGN_RECORD),
        attribute="due_ids",
        example=[],
        description="Records that are checked again.",
    )
    state = fields.Str(validate=validate.OneOf(["queued", "offered", "done"]))
    outcome = fields.Str(allow_none=True, example="read")
    by = fields.Str(
        allow_none=True, validate=validate.OneOf([None, "node", "built_in"]), example="node"
    )
    records = fields.Int()
    left_over = fields.Int()
    read_at = Time(allow_none=True)


CampaignWorkPageSchema = page_schema("CampaignWorkPageSchema", work=CampaignWorkSchema)


class CampaignEntrySchema(AnswerSchema):
    """One line of a transfer of the campaign."""

    id = PublicId(Noun.LEDGER_ENTRY)
    why = fields.Str(example="reserve")
    kind = fields.Str(example="escrow", description="`escrow`, `reserved` or the pool of a run.")
    token = fields.Str(example="USD")
    amount = fields.Str(example="-2", description="Negative amounts left the balance.")
    posted_at = Time()


CampaignEntryPageSchema = page_schema("CampaignEntryPageSchema", entries=CampaignEntrySchema)
