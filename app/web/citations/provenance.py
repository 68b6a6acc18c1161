"""A record field by field: its value, what it was read from, and how far that can be relied on."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from app.engine.extraction.values.compare import value_at
from app.web.citations.quotes import MATCHES, CitedQuote, locate

State = Literal[
    "verified", "moved", "quote_not_found_in_stored_page", "conflict", "unverified", "not_found"
]

_MOST_ITEMS: Final = 50
"""Items of a list of objects that get rows of their own."""


@dataclass(frozen=True, slots=True)
class OtherReading:
    """Another reading of a field: of the page itself, or of the second extraction."""

    value: str
    quote: str
    confidence: float | None
    by: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class FieldView:
    """A field of a record. `sources` are the passages its value was read from; `demands` is what
    the schema wants of it and does not get."""

    pointer: str
    value: str | None
    state: State
    sources: Sequence[Mapping[str, Any]] = ()
    others: Sequence[OtherReading] = ()
    demands: Sequence[str] = field(default=())

    @property
    def name(self) -> str:
        """`/offers/0/price` as `offers.0.price`."""
        steps = self.pointer.split("/")[1:]
        return ".".join(step.replace("~1", "/").replace("~0", "~") for step in steps)

    @property
    def raw(self) -> str:
        """The source text of the value, of a list that of its first items."""
        return "; ".join(source["quote"] for source in self.sources[:3])


def fields_of(
    record: Mapping[str, Any],
    schema: Mapping[str, Any] | None,
    text: str | None,
    doubts: Sequence[Mapping[str, Any]] = (),
) -> list[FieldView]:
    """The fields of a record in the order of its schema.

    `text` is that of the stored page, None when it is not there; `doubts` are the fields of the
    record that a second extraction read differently.
    """
    pointers = list(_pointers((schema or {}).get("properties") or {}, record["data"], ""))
    differing = {each["pointer"]: each for each in doubts if each["verdict"] == "differs"}
    return [_shown(record, pointer, text, differing.get(pointer)) for pointer in pointers]


def _pointers(properties: Mapping[str, Any], data: Mapping[str, Any], above: str) -> Iterator[str]:
    """Of all leaves: those of the schema, then what the data has beyond it."""
    for name in dict.fromkeys([*properties, *data]):
        pointer = f"{above}/{name.replace('~', '~0').replace('/', '~1')}"
        wanted, value = properties.get(name) or {}, data.get(name)
        inner = (wanted.get("items") or {}).get("properties") or {}
        if isinstance(value, Mapping) or (value is None and wanted.get("properties")):
            yield from _pointers(wanted.get("properties") or {}, value or {}, pointer)
        elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
            for at, item in enumerate(value[:_MOST_ITEMS]):
                yield from _pointers(inner, item, f"{pointer}/{at}")
        else:
            yield pointer


def _shown(
    record: Mapping[str, Any], pointer: str, text: str | None, doubt: Mapping[str, Any] | None
) -> FieldView:
    value = value_at(record["data"], pointer)
    sources = [
        each
        for each in record["provenance"]
        if each["pointer"] == pointer or each["pointer"].startswith(f"{pointer}/")
    ]
    candidates = record["candidates"].get(pointer, [])
    demands = [
        f"{each['keyword']}: {readable(each['expected'])}"
        for each in record["unsatisfied"]
        if each["pointer"] == pointer
    ]
    others = [_candidate(each) for each in candidates]
    if doubt is not None:
        others.append(_second(doubt))
    return FieldView(
        pointer,
        None if value in (None, []) else readable(value),
        _state(value, sources, text, candidates, doubtful=doubt is not None),
        sources,
        others,
        demands,
    )


def _state(
    value: Any,
    sources: Sequence[Mapping[str, Any]],
    text: str | None,
    candidates: Sequence[Mapping[str, Any]],
    *,
    doubtful: bool,
) -> State:
    if value in (None, []):
        distinct = {readable(each["value"]) for each in candidates}
        return "conflict" if len(distinct) > 1 else "unverified" if distinct else "not_found"
    if not sources or text is None:
        return "unverified"
    places = {locate(text, CitedQuote.of(source)).state for source in sources}
    if "quote_not_found_in_stored_page" in places:
        return "quote_not_found_in_stored_page"
    if doubtful:
        return "conflict"
    return "verified" if places == {MATCHES} else "moved"


def _candidate(each: Mapping[str, Any]) -> OtherReading:
    return OtherReading(
        readable(each["value"]),
        each["quote"],
        each["confidence"],
        "this page",
        each["start"],
        each["end"],
    )


def _second(doubt: Mapping[str, Any]) -> OtherReading:
    source = doubt.get("second_provenance") or {}
    return OtherReading(
        readable(doubt.get("second")),
        source.get("quote", ""),
        source.get("confidence"),
        "the second extraction",
        source.get("start"),
        source.get("end"),
    )


def readable(value: Any) -> str:
    """A JSON value for people: texts as they are, lists with their items side by side."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(each, list | Mapping) for each in value):
        return "; ".join(map(readable, value))
    return json.dumps(value, ensure_ascii=False)
