"""Campaigns, runs, records, pages and entries as their owners see them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from app.core import amounts
from app.core.db import Reader
from app.core.http.fields import RowView
from app.domains.campaigns.campaigns.money.progress import CampaignProgress, progress_of_many
from app.domains.campaigns.campaigns.money.statistics import Statistics
from app.domains.campaigns.campaigns.records.record_store import CampaignRecord
from app.domains.campaigns.campaigns.runs.page_store import CampaignPage
from app.domains.campaigns.campaigns.runs.run_store import CampaignRun
from app.domains.campaigns.campaigns.store import Campaign
from app.domains.money.ledger.store import EntryRow
from app.engine.extraction.values.calibration import unsure

_UNITS: Final = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_VERDICTS: Final = {None: None, True: "accept", False: "reject"}
_COUNTS: Final = ("pages", "candidates", "accepted", "rejected", "unresolved", "duplicates")
_EMPTY_REPORT: Final[dict[str, Any]] = {
    "asked": [],
    "unserved_kinds": [],
    "outcomes": {},
    "left_over": 0,
    "built_in": {"extracted": 0, "validated": 0},
    "skipped": None,
    "error": None,
    **dict.fromkeys(_COUNTS, 0),
}


def campaigns(reader: Reader, rows: Sequence[Campaign]) -> dict[UUID, RowView]:
    """Campaigns as CampaignOut describes them, by id."""
    progress = progress_of_many(reader, rows)
    return {row.id: _campaign(row, progress[row.id]) for row in rows}


def campaign(reader: Reader, row: Campaign) -> RowView:
    return campaigns(reader, [row])[row.id]


def _campaign(campaign: Campaign, progress: CampaignProgress) -> RowView:
    body = campaign.body
    stated = ("name", "objective", "reward_budget", "validation", "schema")
    return RowView(
        campaign,
        **{name: body[name] for name in stated},
        **asdict(progress),
        data_requirements={
            "sources": body["data_requirements"]["sources"],
            "freshness": duration(campaign.freshness_seconds),
            "records_target": campaign.records_target,
        },
        cadence=duration(campaign.cadence_seconds),
        reward_per_record=campaign.reward,
    )


def duration(seconds: int) -> str:
    """In the largest unit that it is whole in."""
    name, size = next(unit for unit in _UNITS if seconds % unit[1] == 0)
    return f"{seconds // size}{name}"


def statistics(made: Statistics) -> RowView:
    spending = [
        {"why": why, "amount": amounts.text(amount)} for why, amount in made.spending.items()
    ]
    return RowView(made, spending=spending)


def run(row: CampaignRun) -> RowView:
    return RowView(row, report={**_EMPTY_REPORT, **row.report})


def record(row: CampaignRecord, schema: Mapping[str, Any]) -> RowView:
    return RowView(
        row,
        data=data(row, schema),
        provenance=[{"method": "node", **each, **_source(row)} for each in row.provenance],
        unsure=unsure(row.provenance, row.data),
        contributed_by="node" if row.contributed_by_node else "built_in",
        owner_verdict=_VERDICTS[row.owner_verdict],
    )


def data(row: CampaignRecord, schema: Mapping[str, Any]) -> dict[str, Any]:
    """In the order of the schema. A page that does not state its own address has it from us: we
    know where we read it, so it needs no quote."""
    properties: Mapping[str, Any] = schema["properties"]
    data = {name: row.data[name] for name in properties if name in row.data}
    wants = properties.get("url")
    if isinstance(wants, Mapping) and wants.get("type") == "string":
        data.setdefault("url", row.url)
    return {**data, **{name: value for name, value in row.data.items() if name not in data}}


def _source(row: CampaignRecord) -> dict[str, Any]:
    return {
        "source_url": row.source_url,
        "snapshot": row.snapshot_id,
        "content_hash": row.content_hash,
        "fetched_at": row.fetched_at,
    }


def page(row: CampaignPage) -> RowView:
    by = ("built_in" if row.built_in else "node") if row.outcome == "read" else None
    return RowView(row, by=by)


def entry(row: EntryRow) -> RowView:
    return RowView(row, amount=amounts.text(row.amount))
