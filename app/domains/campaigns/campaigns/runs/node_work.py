"""Extraction by nodes: the page that a node gets, and the checks of the result it sends."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import RAISE, Schema, ValidationError, validate

from app.core import db
from app.core.db import Tx
from app.core.errors import Invalid
from app.core.http import fields
from app.core.http.fields import Integer, Items, Part
from app.domains.campaigns.campaigns import budget, kinds, store
from app.domains.campaigns.campaigns.records import citations, version_store
from app.domains.campaigns.campaigns.records.citations import CitedRecord, Text
from app.domains.campaigns.campaigns.runs import decisions, page_store, pages
from app.domains.campaigns.campaigns.runs.candidates import plan_of
from app.domains.library.passages import snapshots
from app.domains.providers.work import outcomes
from app.domains.providers.work.kinds import Item, WorkKind
from app.engine.judging import kept_page

DEADLINE_SECONDS: Final = 6 * 3_600.0
_MOST_QUOTES: Final = 200
_LONGEST_QUOTE: Final = 2_000


class QuoteIn(Schema):
    pointer = fields.Str(required=True, validate=validate.Length(1, 400))
    quote = fields.Str(required=True, validate=validate.Length(1, _LONGEST_QUOTE))
    start = Integer(load_default=-1)


class RecordIn(Schema):
    data = fields.Dict(required=True)
    provenance = Items(Part(QuoteIn), most=_MOST_QUOTES, required=True)


class OutputIn(Schema):
    """The records that a node has read from a page."""

    records = Items(Part(RecordIn), most=budget.RECORDS_A_PAGE, required=True)


_OUTPUT: Final = OutputIn(unknown=RAISE)


def load(item: Item) -> dict[str, Any] | None:
    """The page as a node gets it. None: nobody waits for it any more."""
    with db.reading() as reader:
        page = page_store.by_id(reader, item.subject)
        campaign = store.by_id(reader, page.campaign_id) if page else None
        if page is None or campaign is None or page.state != "offered" or not page.snapshot_id:
            return None
        text = decisions.page_of(snapshots.find(reader, page.snapshot_id))
    text["structured"] = kept_page.structured(text["text"], text.pop("visible_end"))
    return {
        "objective": campaign.body["objective"],
        "schema": campaign.body["schema"],
        "most_records": budget.RECORDS_A_PAGE,
        "page": text,
    }


def check(item: Item, output: Mapping[str, Any]) -> list[CitedRecord]:
    """The candidates in what a node sends. Raises Invalid for what has not the form of it."""
    try:
        stated: list[dict[str, Any]] = _OUTPUT.load(output)["records"]
    except ValidationError as error:
        raise Invalid(details=_details(error.messages)) from None
    with db.reading() as reader:
        page = page_store.by_id(reader, item.subject)
        campaign = store.by_id(reader, page.campaign_id) if page else None
        if page is None or campaign is None or page.snapshot_id is None:
            return []
        snapshot = snapshots.find(reader, page.snapshot_id)
    seen = snapshot.facts.get("visible_end", len(snapshot.text))
    text, required = Text(snapshot.text, seen), campaign.body["validation"]["require_citations"]
    record_plan = plan_of(campaign)
    read = [citations.of_node(record_plan, text, x, require_citations=required) for x in stated]
    return [candidate for candidate in read if candidate is not None]


def _details(messages: Any, above: str = "/output") -> list[dict[str, str]]:
    if isinstance(messages, Mapping):
        return [
            detail
            for name, below in messages.items()
            for detail in _details(below, f"{above}/{name}")
        ]
    return [{"field": above, "problem": str(problem)} for problem in messages]


def accept(tx: Tx, item: Item, candidates: list[CitedRecord]) -> dict[str, Any] | None:
    """Add what a node read; it is told what became of it."""
    if item.account_id is None:
        return None
    return pages.by_node(tx, item.subject, item.account_id, candidates)


def ended(tx: Tx, item: Item) -> None:
    """No node has done it: the built-in extraction stands in."""
    pages.built_in_instead(tx, item.subject)


EXTRACTION: Final = WorkKind(
    kind=outcomes.register_kind(
        kinds.EXTRACTION, queue=kinds.EXTRACTION, deadline_seconds=DEADLINE_SECONDS, max_attempts=5
    ),
    capability="extraction",
    load=load,
    check=check,
    accept=accept,
    ended=ended,
    records=version_store.contributed,
)
