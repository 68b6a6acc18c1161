"""From what somebody says a page holds to a candidate: with the quotes that stand in our text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from app.engine.extraction.records.quote_filter import grounded
from app.engine.extraction.records.records import Provenance, Record
from app.engine.extraction.schema.schema import Plan
from app.engine.extraction.schema.validation import unsatisfied

AROUND: Final = 32
_NODE: Final = "node"


@dataclass(frozen=True, slots=True)
class CitedRecord:
    """A record that keeps its schema, with where its values stand."""

    data: dict[str, Any]
    provenance: list[dict[str, Any]]

    def as_json(self) -> dict[str, Any]:
        return {"data": self.data, "provenance": self.provenance}


@dataclass(frozen=True, slots=True)
class Text:
    """The one text of a page, of which `visible_end` characters are seen by readers."""

    text: str
    visible_end: int


def candidate(plan: Plan, record: Record, *, require_citations: bool) -> CitedRecord | None:
    """The record as a candidate; None if it lacks something that its schema requires."""
    kept = grounded(plan, record) if require_citations else record
    if not kept.data or unsatisfied(plan, kept.data):
        return None
    if require_citations and not kept.provenance:
        return None
    return CitedRecord(kept.data, [_plain(each) for each in kept.provenance])


def of_node(
    plan: Plan, page: Text, stated: Mapping[str, Any], *, require_citations: bool
) -> CitedRecord | None:
    """A record that a node states, with only those of its quotes that stand in the text."""
    places = [_place(page, each) for each in stated["provenance"]]
    record = Record(
        data=dict(stated["data"]),
        unsatisfied=(),
        provenance=tuple(place for place in places if place is not None),
        candidates={},
        confidence=1.0,
    )
    return candidate(plan, record, require_citations=require_citations)


def _place(page: Text, stated: Mapping[str, Any]) -> Provenance | None:
    """Finds a quote: where the node says so, or else at the first place."""
    quote: str = stated["quote"]
    start = stated.get("start", -1)
    if page.text[start : start + len(quote)] != quote or start < 0:
        start = page.text.find(quote)
    if start < 0 or not quote:
        return None
    end = start + len(quote)
    return Provenance(
        pointer=stated["pointer"],
        kind="visible" if end <= page.visible_end else "structured",
        quote=quote,
        start=start,
        end=end,
        prefix=page.text[max(0, start - AROUND) : start],
        suffix=page.text[end : end + AROUND],
        selector="",
        json_pointer=None,
        method=_NODE,
        transform="stated",
        match="exact",
        confidence=1.0,
    )


def _plain(place: Provenance) -> dict[str, Any]:
    """As it is stored: what a node stated has no method of ours."""
    stored = place.as_json()
    if place.method == _NODE:
        del stored["method"]
    return stored


def judged(provenance: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = ("pointer", "quote", "start", "method", "transform")
    return [{name: each[name] for name in names if name in each} for each in provenance]
