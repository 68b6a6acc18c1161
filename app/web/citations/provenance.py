"""A record field by field: its value, what it was read from, and how far that can be relied on."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from app.engine.extraction.values.calibration import is_unsure
from app.engine.extraction.values.compare import steps, value_at
from app.web.citations.quotes import (
    MATCHES,
    MOVED,
    NOT_FOUND,
    PAGE_CHANGED,
    CitedQuote,
    digest,
    locate,
)

State = Literal[
    "confirmed",
    "quote_found",
    "unsure",
    "moved",
    "page_has_changed",
    "quote_not_found_in_stored_page",
    "conflict",
    "not_checked",
    "low_confidence",
    "not_found",
]
"""`quote_found` says that the quote stands in the stored page, `unsure` that it does but the value
may well be another; `confirmed` that a second extraction read the same value as well."""

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
        return ".".join(steps(self.pointer))

    @property
    def quoted(self) -> bool:
        """True if its quotes stand in the stored page."""
        return self.state in ("confirmed", "unsure", MATCHES, MOVED)

    @property
    def raw(self) -> str:
        """The source text of the value, of a list that of its first items."""
        return "; ".join(source["quote"] for source in self.sources[:3])


class StoredText(NamedTuple):
    """The text of a stored page as it is now, and its hash."""

    text: str
    content_hash: str


def fields_of(
    record: Mapping[str, Any],
    schema: Mapping[str, Any] | None,
    text: str | None,
    second: Sequence[Mapping[str, Any]] = (),
) -> list[FieldView]:
    """The fields of a record in the order of its schema.

    `text` is that of the stored page, None when it is not there; `second` are the fields of the
    record that a second extraction read, each with its verdict.
    """
    pointers = list(_pointers((schema or {}).get("properties") or {}, record["data"], ""))
    page = None if text is None else StoredText(text, digest(text))
    compared = {each["pointer"]: each for each in second}
    return [_shown(record, pointer, page, compared.get(pointer)) for pointer in pointers]


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
    record: Mapping[str, Any],
    pointer: str,
    page: StoredText | None,
    second: Mapping[str, Any] | None,
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
    verdict = second["verdict"] if second else None
    if second and verdict == "differs":
        others.append(_second(second))
    return FieldView(
        pointer,
        None if value in (None, []) else readable(value),
        _state(value, sources, page, candidates, verdict),
        sources,
        others,
        demands,
    )


def _state(
    value: Any,
    sources: Sequence[Mapping[str, Any]],
    page: StoredText | None,
    candidates: Sequence[Mapping[str, Any]],
    verdict: str | None,
) -> State:
    """The weakest part decides: a quote that is found does not outweigh a second reading."""
    if value in (None, []):
        distinct = {readable(each["value"]) for each in candidates}
        return "conflict" if len(distinct) > 1 else "low_confidence" if distinct else "not_found"
    if not sources or page is None:
        return "not_checked"
    places = {locate(page.text, CitedQuote.of(source)).state for source in sources}
    if NOT_FOUND in places:
        return NOT_FOUND
    if any(source["content_hash"] != page.content_hash for source in sources):
        return PAGE_CHANGED
    if verdict == "differs":
        return "conflict"
    if places != {MATCHES}:
        return MOVED
    if verdict == "agreed":
        return "confirmed"
    return "unsure" if any(map(is_unsure, sources)) else MATCHES


def _candidate(each: Mapping[str, Any]) -> OtherReading:
    return OtherReading(
        readable(each["value"]),
        each["quote"],
        each["confidence"],
        "this page",
        each["start"],
        each["end"],
    )


def _second(second: Mapping[str, Any]) -> OtherReading:
    source = second.get("second_provenance") or {}
    return OtherReading(
        readable(second.get("second")),
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
