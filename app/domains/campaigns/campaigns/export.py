"""All records of a campaign as a stream: page after page, each with a connection for just that."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from app.core import db, ids, untrusted_json
from app.core.http.exports import cells, forms
from app.core.http.fields import rfc3339
from app.core.ids import Noun
from app.domains.campaigns.campaigns import presentation
from app.domains.campaigns.campaigns.records import record_schemas, record_store
from app.domains.campaigns.campaigns.records.record_store import CampaignRecord
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.records.page_jobs import tables
from app.engine.extraction.schema.schema import plan

PAGE: Final = 200
_FACTS: Final = ("_id", "_url", "_state", "_version", "_verified_at", "_unsure")

DOCUMENTED: Final = forms.documented(
    record_schemas.CampaignRecordPageSchema,
    '{"id": "crec_...", "data": {"title": "Barn owls"}}\n',
    "_id,_url,_state,_version,_verified_at,_unsure,title\r\n",
)


def stream(campaign: Campaign, state: str | None, form: str) -> Iterator[bytes]:
    """The records in this form, newest first."""
    return _ndjson(campaign, state) if form == forms.NDJSON else _table(campaign, state)


def _ndjson(campaign: Campaign, state: str | None) -> Iterator[bytes]:
    shape, schema = record_schemas.CampaignRecordSchema(), campaign.body["schema"]
    for record in _records(campaign.id, state):
        yield untrusted_json.dumps(shape.dump(presentation.record(record, schema))) + b"\n"


def _table(campaign: Campaign, state: str | None) -> Iterator[bytes]:
    """Always with the same columns; no cell is one that a spreadsheet computes."""
    schema = campaign.body["schema"]
    columns = tables.columns(plan(schema))
    yield cells.line([*_FACTS, *(cells.safe(column.name) for column in columns)])
    for record in _records(campaign.id, state):
        data = presentation.data(record, schema)
        facts = [
            ids.public(Noun.CAMPAIGN_RECORD, record.id),
            cells.safe(record.url),
            record.state,
            str(record.version),
            rfc3339(record.verified_at) or "",
            cells.safe(tables.doubtful(columns, record.provenance, record.data)),
        ]
        yield cells.line([*facts, *(cells.cell(x.value_in(data)) for x in columns)])


def _records(campaign_id: UUID, state: str | None) -> Iterator[CampaignRecord]:
    before: UUID | None = None
    while True:
        with db.reading() as reader:
            rows = record_store.page(reader, campaign_id, state=state, before=before, most=PAGE)
        yield from rows
        if len(rows) < PAGE:
            return
        before = rows[-1].id
